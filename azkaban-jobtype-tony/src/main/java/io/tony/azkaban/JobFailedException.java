package io.tony.azkaban;

/**
 * Thrown when a job did not succeed. {@link TonyJob} writes the message into the job's log itself:
 * for an exception from a job type, the newest Azkaban logs only the cause, and older versions log
 * the message twice. The exception that reaches Azkaban is therefore {@link #toSummary}. It has no
 * stack trace, which would push the client's last lines off the screen.
 */
public final class JobFailedException extends Exception {

  private final String result;

  public JobFailedException(String message) {
    this(message, "FAILED");
  }

  /**
   * Creates an exception with a result for Azkaban.
   *
   * @param result how the job ended, in a few words without a full stop
   */
  JobFailedException(String message, String result) {
    super(message, null, false, false);
    this.result = result;
  }

  /**
   * Returns an exception with the result only, for Azkaban; the message is already in the job's
   * log.
   */
  JobFailedException toSummary(String jobId) {
    return new JobFailedException(jobId + ": " + result + ", the lines above say why.", result);
  }
}
