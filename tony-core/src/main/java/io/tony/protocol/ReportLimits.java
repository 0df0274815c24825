package io.tony.protocol;

/**
 * Limits for the texts of an executor's reports, in characters unless a constant says otherwise.
 * The ApplicationMaster truncates longer texts. Executors also truncate their programs' output, but
 * a program runs as the same user, can read its executor's token, and can call the
 * ApplicationMaster itself. Reports reach the event log and everyone who can read the log.
 */
public final class ReportLimits {
  /**
   * Maximum size of one request in bytes: room for all limits below at three bytes a character, and
   * some reserve. The server allocates this memory when the length is announced, before the caller
   * is authenticated.
   */
  public static final int MAX_MESSAGE_BYTES = 1 << 20;

  public static final int MAX_PROGRESS_CHARS = 500;

  /** Enough for the last lines of a stack trace; the container's log has the rest. */
  public static final int MAX_STDERR_CHARS = 16 * 1024;

  /** Maximum length of all keys and values together that a program publishes for later steps. */
  public static final int MAX_OUTPUTS_CHARS = 32 * 1024;

  /**
   * Maximum length of the model parameters with their name. They become one environment variable,
   * which Linux limits to this number of bytes.
   */
  public static final int MAX_MODEL_PARAMETERS_CHARS = 128 * 1024;

  /** Maximum length of a message of the executor itself. */
  public static final int MAX_MESSAGE_CHARS = 4 * 1024;

  public static final int MAX_HOST_CHARS = 255;

  /** Maximum length of the place in a program's code where it hangs. */
  public static final int MAX_HANG_LOCATION_CHARS = 200;

  /** Maximum length of the stacks of all threads of a program. */
  public static final int MAX_STACKS_CHARS = 128 * 1024;

  private ReportLimits() {}
}
