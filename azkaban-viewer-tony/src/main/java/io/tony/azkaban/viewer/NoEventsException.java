package io.tony.azkaban.viewer;

/** Nothing can be told: why, in words for the reader, and the HTTP status that says so. */
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
