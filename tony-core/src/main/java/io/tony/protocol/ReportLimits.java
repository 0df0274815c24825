package io.tony.protocol;

/**
 * How much an executor can say at once, in characters: the ApplicationMaster cuts what is longer.
 * An executor cuts what its program says by itself; but the program runs as the same user, may read
 * its executor's key and call in its name. What is said reaches the event log and everybody who
 * reads that.
 */
public final class ReportLimits {
  /**
   * One message, in bytes: all that may be in one, where each character takes three, and room.
   * Memory is taken for it as soon as its length is announced, before the caller is known.
   */
  public static final int MAX_MESSAGE_BYTES = 1 << 20;

  public static final int MAX_PROGRESS_CHARS = 500;

  /** Enough for the last lines of a stack trace; the log has the rest. */
  public static final int MAX_STDERR_CHARS = 16 * 1024;

  /** Keys and values that a program leaves for later steps. */
  public static final int MAX_OUTPUTS_CHARS = 32 * 1024;

  /**
   * The model parameters, with their name. They become a variable of the environment, and Linux
   * takes none that has more bytes.
   */
  public static final int MAX_MODEL_PARAMETERS_CHARS = 128 * 1024;

  /** What an executor says itself. */
  public static final int MAX_MESSAGE_CHARS = 4 * 1024;

  public static final int MAX_HOST_CHARS = 255;

  /** Where a program stands. */
  public static final int MAX_HANG_LOCATION_CHARS = 200;

  /** What all threads of a program do. */
  public static final int MAX_STACKS_CHARS = 128 * 1024;

  private ReportLimits() {}
}
