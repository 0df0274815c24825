package io.tony.azkaban;

/**
 * Tells why a job did not succeed. {@link TonyJob} writes the message into the job's log itself: of
 * an exception that a job type throws, the newest Azkaban logs nothing but the cause, and older
 * ones log the message twice. What it throws to Azkaban is therefore {@link #toSummary}. There is
 * no stack trace, which would push the client's last lines off the screen.
 */
public final class JobFailedException extends Exception {

  private final String result;

  public JobFailedException(String message) {
    this(message, "FAILED");
  }

  /**
   * Names the result as well.
   *
   * @param result how the job ended, in a few words without a full stop
   */
  JobFailedException(String message, String result) {
    super(message, null, false, false);
    this.result = result;
  }

  /** The result alone, for Azkaban, when the message stands in the job's log. */
  JobFailedException toSummary(String jobId) {
    return new JobFailedException(jobId + ": " + result + ", the lines above say why.", result);
  }
}
