package io.tony.azkaban.mini;

import java.util.regex.Pattern;

/** Output that a page of the documentation shows, compared with what a run has printed. */
final class ShownOutput {
  private static final Pattern DIFFERS_BETWEEN_RUNS =
      Pattern.compile(
          "application_\\d+_\\d+|\\d\\d:\\d\\d:\\d\\d|(\\d+ ?m(in)? )?\\d+(\\.\\d+)? ?s\\b|\\d+\\.\\d+"
              + "|(?<=worker:)\\d| +");

  private ShownOutput() {}

  /** Returns the text without what differs between runs: ids, times, durations and decimals. */
  static String alike(String text) {
    return DIFFERS_BETWEEN_RUNS.matcher(text).replaceAll("*");
  }
}
