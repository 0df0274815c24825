package io.tony.executor.checkpoint;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A checkpoint as the program names it.
 *
 * @param path path of a file or folder
 * @param step training step of the checkpoint; {@link #NO_STEP} if the program does not give one
 * @param problem why the line names no checkpoint, and the remedy; null if it does
 */
record NamedCheckpoint(String path, long step, String problem) {
  static final long NO_STEP = -1;

  /** The step is the last word of the line, and never the only one. */
  private static final Pattern WITH_STEP = Pattern.compile("(.*\\S)\\s+step=(\\d{1,12})");

  NamedCheckpoint(String path, long step) {
    this(path, step, null);
  }

  /** Parses a line, which must have no blanks around it. */
  static NamedCheckpoint of(String line) {
    Matcher with = WITH_STEP.matcher(line);
    return with.matches()
        ? new NamedCheckpoint(with.group(1), Long.parseLong(with.group(2)))
        : new NamedCheckpoint(line, NO_STEP);
  }
}
