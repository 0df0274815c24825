package io.tony.azkaban;

/**
 * Thrown if a job did not succeed. {@link TonyJob} itself writes the message into the job's log,
 * because the newest Azkaban logs only the cause of a job type's exception and older versions log
 * the message twice. The exception that reaches Azkaban is therefore the result of {@link
 * #toSummary}. It has no stack trace, which would make the client's last lines hard to find in the
 * log.
 */
public final class JobFailedException extends Exception {

  private final String result;

  public JobFailedException(String message) {
    this(message, "FAILED");
  }

  /**
   * Creates an exception with a result for Azkaban.
   *
   * @param message the reason, for the job's log
   * @param result how the job ended, in a few words without a full stop
   */
  JobFailedException(String message, String result) {
    super(message, null, false, false);
    this.result = result;
  }

  /**
   * Returns the exception to be thrown to Azkaban. It contains only the result, because the message
   * is already in the job's log.
   */
  JobFailedException toSummary(String jobId) {
    return new JobFailedException(jobId + ": " + result + ", the lines above say why.", result);
  }
}
