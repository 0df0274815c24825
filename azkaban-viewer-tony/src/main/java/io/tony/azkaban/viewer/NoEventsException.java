package io.tony.azkaban.viewer;

/** Thrown when no events can be served; has a message for the reader and an HTTP status. */
final class NoEventsException extends Exception {
  private static final long serialVersionUID = 1;

  private final int status;

  NoEventsException(int status, String why) {
    super(why);
    this.status = status;
  }

  int status() {
    return status;
  }
}
