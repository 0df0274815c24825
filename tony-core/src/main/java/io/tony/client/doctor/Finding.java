package io.tony.client.doctor;

import java.util.Locale;

/**
 * What a check of an installation found.
 *
 * @param observation the thing, its value and the limit, in one line
 * @param remedy what to do; empty where nothing is to be done
 */
record Finding(Verdict verdict, String observation, String remedy) {

  enum Verdict {
    OK,
    /** Jobs run, but somebody will miss something. */
    WARNING,
    /** Jobs do not run. */
    FAILED,
    /** It could not be looked at, because of another failure. */
    SKIPPED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Finding ok(String observation) {
    return new Finding(Verdict.OK, observation, "");
  }

  static Finding warning(String observation, String remedy) {
    return new Finding(Verdict.WARNING, observation, remedy);
  }

  static Finding failed(String observation, String remedy) {
    return new Finding(Verdict.FAILED, observation, remedy);
  }

  static Finding skipped(String reason) {
    return new Finding(Verdict.SKIPPED, reason, "");
  }

  /** Whether what needs this can be looked at. */
  boolean usable() {
    return verdict == Verdict.OK || verdict == Verdict.WARNING;
  }

  /** One line, whatever line breaks there are in what Hadoop says. */
  String text() {
    String all =
        remedy.isEmpty()
            ? observation
            : observation.strip().replaceFirst("\\.+$", "") + ". " + remedy;
    return all.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
