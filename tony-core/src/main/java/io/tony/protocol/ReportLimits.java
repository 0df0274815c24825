package io.tony.protocol;

/**
 * How much an executor can say at once: it says no more, and the ApplicationMaster takes no more.
 * For a program runs as the same user as its executor, may read its key and call in its name; and
 * what it says reaches the event log and everybody who reads that. In characters.
 */
public final class ReportLimits {
  public static final int PROGRESS = 500;

  /** Enough for the last lines of a stack trace; the log has the rest. */
  public static final int STDERR = 16 * 1024;

  /** Keys and values that a program leaves for later steps. */
  public static final int OUTPUTS = 32 * 1024;

  /**
   * The model parameters, with their name. They become a variable of the environment, and Linux
   * takes none that has more bytes.
   */
  public static final int MODEL_PARAMETERS = 128 * 1024;

  /** What an executor says itself. */
  public static final int MESSAGE = 4 * 1024;

  public static final int HOST = 255;

  private ReportLimits() {}
}
