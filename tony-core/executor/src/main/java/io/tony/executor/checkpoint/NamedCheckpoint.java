package io.tony.executor.checkpoint;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint that the program names in a line of its checkpoint file.
 *
 * @param path path of the checkpoint's file or folder; the beginning of the line if there is a
 *     problem
 * @param step training step of the checkpoint; {@link #NO_STEP} if the line has none
 * @param problem why the line names no checkpoint, and the remedy; null if it names one
 */
record NamedCheckpoint(String path, long step, @Nullable String problem) {
  static final long NO_STEP = -1;

  /** A line with a step: the path, blanks, and {@code step=NUMBER} as the last word. */
  private static final Pattern WITH_STEP = Pattern.compile("(.*\\S)\\s+step=(\\d{1,12})");

  NamedCheckpoint(String path, long step) {
    this(path, step, null);
  }

  /** Parses a line of the checkpoint file, which must neither begin nor end with a blank. */
  static NamedCheckpoint of(String line) {
    Matcher with = WITH_STEP.matcher(line);
    return with.matches()
        ? new NamedCheckpoint(with.group(1), Long.parseLong(with.group(2)))
        : new NamedCheckpoint(line, NO_STEP);
  }
}
