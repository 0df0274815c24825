package io.tony.checkpoint;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Identifies a checkpoint of a gang; the text form is the name of a folder. All tasks of the gang
 * write their parts of the checkpoint into this one folder. Names sort by age: the newest
 * checkpoint has the greatest name.
 *
 * @param generation identifies one start of one gang; see {@link #generation(String, int)}
 * @param number training step that the program gave, or a running count; from 0 to {@link
 *     #MAX_NUMBER}
 */
public record CheckpointName(String generation, long number) implements Comparable<CheckpointName> {
  /** Maximum number of a checkpoint: folder names have twelve digits for the number. */
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

  /**
   * Returns the generation of one start of a gang. Generations sort by the application's id first
   * and by the session second, so that a later start has a greater generation.
   *
   * @param application id of a YARN application
   * @param session attempt of the gang, counted from 0
   * @throws IllegalArgumentException if {@code application} is not the id of an application
   */
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

  /** Parses the name of a folder; empty if the folder is not the folder of a checkpoint. */
  public static Optional<CheckpointName> parse(String folder) {
    Matcher name = FOLDER.matcher(folder);
    return name.matches()
        ? Optional.of(new CheckpointName(name.group(1), Long.parseLong(name.group(2))))
        : Optional.empty();
  }

  /** Returns true if the checkpoint was created by any start of this application. */
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

  /** Returns the name of the checkpoint's folder; {@link #parse} reads the name back. */
  @Override
  public String toString() {
    return generation + "-" + digits(12, Long.toString(number));
  }
}
