package io.tony.client.doctor;

import java.util.Locale;

/**
 * Result of a check.
 *
 * @param observation one line: what was checked, the value found and, if there is one, the limit
 * @param remedy what the user can do; empty if there is nothing to do
 */
record Finding(Verdict verdict, String observation, String remedy) {

  enum Verdict {
    OK,
    /** Jobs can run, but something may be missing for some of them. */
    WARNING,
    /** Jobs cannot run. */
    FAILED,
    /** The check was not run, because a check that it needs failed or was skipped. */
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

  /** Returns true if the checks that need this check may run: it succeeded or warned. */
  boolean usable() {
    return verdict == Verdict.OK || verdict == Verdict.WARNING;
  }

  /**
   * Returns the observation and the remedy on one line. Line breaks, which Hadoop's messages may
   * contain, become blanks.
   */
  String text() {
    String all =
        remedy.isEmpty()
            ? observation
            : observation.strip().replaceFirst("\\.+$", "") + ". " + remedy;
    return all.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
