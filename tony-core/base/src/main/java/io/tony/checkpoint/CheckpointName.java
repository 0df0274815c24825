package io.tony.checkpoint;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Identifies a checkpoint of a gang. Each task of the gang saves its part of the checkpoint in the
 * same folder, whose name is {@link #toString} of this object. Of two checkpoints of one job, the
 * newer one compares greater.
 *
 * @param generation application and session (start of the gang) that created the checkpoint, as
 *     {@link #generation(String, int)} returns it
 * @param number training step that the program reported, or, if it reports none, a running number;
 *     from 0 to {@link #MAX_NUMBER}
 */
public record CheckpointName(String generation, long number) implements Comparable<CheckpointName> {
  /**
   * Maximum number of a checkpoint: the name of the checkpoint's folder has twelve digits for it.
   */
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
   * Returns the text that identifies one start of a gang in the names of checkpoints. A later start
   * has a greater text: texts are ordered by the application's id and then by the session.
   *
   * @param application id of a YARN application
   * @param session number of the gang's start within the application, from 0
   * @throws IllegalArgumentException if {@code application} is not the id of a YARN application
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

  /**
   * Parses the name of a checkpoint's folder, as {@link #toString} returns it; empty if {@code
   * folder} has another form.
   */
  public static Optional<CheckpointName> parse(String folder) {
    Matcher name = FOLDER.matcher(folder);
    return name.matches()
        ? Optional.of(new CheckpointName(name.group(1), Long.parseLong(name.group(2))))
        : Optional.empty();
  }

  /**
   * Returns true if {@code application} created the checkpoint {@code set}, in any start of its
   * gang.
   */
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

  /** Returns the name of the checkpoint's folder, which {@link #parse} accepts. */
  @Override
  public String toString() {
    return generation + "-" + digits(12, Long.toString(number));
  }
}
