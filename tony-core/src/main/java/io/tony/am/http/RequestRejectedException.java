package io.tony.am.http;

/** A caller asks for what it may not have: it is told so, and the log names the cap. */
public final class RequestRejectedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String cap;

  /**
   * @param status of HTTP
   * @param cap which one, in the words of the log: the same for all callers
   * @param message for the caller, and for the log
   */
  public RequestRejectedException(int status, String cap, String message) {
    super(message, null, false, false); // a caller decides how many there are: no stack trace
    this.status = status;
    this.cap = cap;
  }

  /** What no client of this server would say. */
  public static RequestRejectedException badRequest(String message) {
    return new RequestRejectedException(400, "requests that make no sense", message);
  }

  int status() {
    return status;
  }

  String cap() {
    return cap;
  }
}
