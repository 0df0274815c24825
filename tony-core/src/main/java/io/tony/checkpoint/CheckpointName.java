package io.tony.checkpoint;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which checkpoint of which start of a gang: the name of a folder. The checkpoints of all tasks
 * that belong together are in one such folder, and the newest one's name is the last of all.
 *
 * @param generation tells the start of the gang from all others
 * @param number the step that the program named, or a count; at most {@link #MAX_NUMBER}
 */
public record CheckpointName(String generation, long number) implements Comparable<CheckpointName> {
  /** What twelve digits can say. */
  public static final long MAX_NUMBER = 999_999_999_999L;

  private static final Pattern APPLICATION = Pattern.compile("application_(\\d{1,13})_(\\d{1,10})");
  private static final Pattern GENERATION = Pattern.compile("\\d{13}_\\d{10}_\\d{6}");
  private static final Pattern FOLDER = Pattern.compile("(" + GENERATION + ")-(\\d{12})");

  public CheckpointName {
    if (!GENERATION.matcher(generation).matches() || number < 0 || number > MAX_NUMBER) {
      throw new IllegalArgumentException(
          "no set of checkpoints: generation '" + generation + "', number " + number);
    }
  }

  /** Grows from one application of a cluster to the next, and within one with the session. */
  public static String generation(String application, int session) {
    Matcher id = APPLICATION.matcher(application);
    if (!id.matches()) {
      throw new IllegalArgumentException("not an application: '" + application + "'");
    }
    return digits(13, id.group(1))
        + "_"
        + digits(10, id.group(2))
        + "_"
        + digits(6, Integer.toString(session));
  }

  /** Reads the name of a folder; empty where it is not one of these. */
  public static Optional<CheckpointName> parse(String folder) {
    Matcher name = FOLDER.matcher(folder);
    return name.matches()
        ? Optional.of(new CheckpointName(name.group(1), Long.parseLong(name.group(2))))
        : Optional.empty();
  }

  /** Whether a start of this application made it. */
  public static boolean isOf(String application, CheckpointName set) {
    String first = generation(application, 0);
    return set.generation().startsWith(first.substring(0, first.lastIndexOf('_') + 1));
  }

  private static String digits(int length, String number) {
    return "0".repeat(Math.max(0, length - number.length())) + number;
  }

  @Override
  public int compareTo(CheckpointName other) {
    return toString().compareTo(other.toString());
  }

  /** The name of the folder. */
  @Override
  public String toString() {
    return generation + "-" + digits(12, Long.toString(number));
  }
}
