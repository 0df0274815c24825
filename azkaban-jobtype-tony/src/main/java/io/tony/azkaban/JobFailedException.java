package io.tony.azkaban;

/**
 * Tells Azkaban, and the person who reads the job's log, why the job did not succeed. Azkaban logs
 * it after the client's last lines; it has no stack trace, which would push those off the screen.
 */
public final class JobFailedException extends Exception {

  public JobFailedException(String message) {
    super(message, null, false, false);
  }
}
