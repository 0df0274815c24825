package io.tony.azkaban.viewer;

/** Thrown if no events can be served. Its message is shown to the reader. */
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
