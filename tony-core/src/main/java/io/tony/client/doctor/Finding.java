package io.tony.client.doctor;

import java.util.Locale;

/**
 * What a check of an installation found.
 *
 * @param found the thing, its value and the limit, in one line
 * @param remedy what to do; empty where nothing is to be done
 */
record Finding(Verdict verdict, String found, String remedy) {

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

  static Finding ok(String found) {
    return new Finding(Verdict.OK, found, "");
  }

  static Finding warning(String found, String remedy) {
    return new Finding(Verdict.WARNING, found, remedy);
  }

  static Finding failed(String found, String remedy) {
    return new Finding(Verdict.FAILED, found, remedy);
  }

  static Finding skipped(String because) {
    return new Finding(Verdict.SKIPPED, because, "");
  }

  /** Whether what needs this can be looked at. */
  boolean usable() {
    return verdict == Verdict.OK || verdict == Verdict.WARNING;
  }

  /** One line, whatever line breaks there are in what Hadoop says. */
  String text() {
    String all = remedy.isEmpty() ? found : found.strip().replaceFirst("\\.+$", "") + ". " + remedy;
    return all.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
