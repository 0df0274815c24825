package io.tony.am.http;

/**
 * Thrown to reject a request. The message is sent to the caller; the log file also names the
 * exceeded limit.
 */
public final class RequestRejectedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String message;
  private final String cap;

  /**
   * Creates a rejection.
   *
   * @param status HTTP status; 0 for other protocols
   * @param cap name of the exceeded limit for the log file; must not contain text from the caller
   * @param message message for the caller and the log file
   */
  public RequestRejectedException(int status, String cap, String message) {
    // No stack trace, because callers determine how many of these are created.
    super(message, null, false, false);
    this.status = status;
    this.message = message;
    this.cap = cap;
  }

  /** Returns a rejection (HTTP status 400) of a request that no correct client would send. */
  public static RequestRejectedException badRequest(String message) {
    return new RequestRejectedException(400, "requests that make no sense", message);
  }

  @Override
  public String getMessage() {
    return message;
  }

  int status() {
    return status;
  }

  String cap() {
    return cap;
  }
}
