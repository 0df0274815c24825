package io.tony.protocol;

/**
 * Maximum lengths of the texts in an executor's reports, in characters unless a constant says
 * otherwise. Reports are written to the event log and are visible to everyone who can read the log.
 * The ApplicationMaster truncates longer texts. The truncation by executors does not suffice: a
 * program runs as the same user as its executor, can read the executor's token, and can call the
 * ApplicationMaster itself.
 */
public final class ReportLimits {
  /**
   * Maximum size of one request in bytes: all limits below at three bytes a character, and some
   * reserve. The server allocates this memory as soon as a caller announces the length, before the
   * caller is authenticated.
   */
  public static final int MAX_MESSAGE_BYTES = 1 << 20;

  public static final int MAX_PROGRESS_CHARS = 500;

  /**
   * Maximum length of a program's last lines of stderr: enough for a stack trace. The container's
   * log has all lines.
   */
  public static final int MAX_STDERR_CHARS = 16 * 1024;

  /**
   * Maximum total length of the outputs (keys and values) that a program publishes for later steps
   * of the flow.
   */
  public static final int MAX_OUTPUTS_CHARS = 32 * 1024;

  /**
   * Maximum length of the model parameters together with their name. They become one environment
   * variable, which Linux limits to 128 KiB.
   */
  public static final int MAX_MODEL_PARAMETERS_CHARS = 128 * 1024;

  /** Maximum length of a message that the executor itself creates. */
  public static final int MAX_MESSAGE_CHARS = 4 * 1024;

  public static final int MAX_HOST_CHARS = 255;

  /** Maximum length of the description of where in its code a program hangs. */
  public static final int MAX_HANG_LOCATION_CHARS = 200;

  /** Maximum length of the stacks of all threads of a program. */
  public static final int MAX_STACKS_CHARS = 128 * 1024;

  private ReportLimits() {}
}
