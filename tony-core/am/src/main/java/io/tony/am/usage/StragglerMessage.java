package io.tony.am.usage;

import io.tony.am.usage.LagDetector.Finding;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/**
 * Composes the sentences about stragglers, which compare a task's figure with the median of its
 * role.
 */
final class StragglerMessage {
  private static final int PER_MINUTE = 60;
  private static final int PER_HOUR = 3_600;

  private StragglerMessage() {}

  /**
   * Returns the sentence about a task that makes less progress than the others.
   *
   * @param who the task and its node
   */
  static String pace(String who, String role, Finding finding) {
    int times = 1;
    String unit = "a second";
    if (finding.median() * PER_MINUTE < 10) {
      times = PER_HOUR;
      unit = "an hour";
    } else if (finding.median() < 1) {
      times = PER_MINUTE;
      unit = "a minute";
    }
    return sentence(
        who + " is slower than its gang",
        finding,
        String.format(
            Locale.ROOT, "its progress goes on by %.1f %s", times * finding.figure(), unit),
        of(role, finding, String.format(Locale.ROOT, "by %.1f", times * finding.median())));
  }

  static String gpus(String who, String role, Finding finding) {
    return sentence(
        who + " is idle while its gang works",
        finding,
        String.format(Locale.ROOT, "its GPUs compute %.0f %% of the time", finding.figure()),
        of(role, finding, String.format(Locale.ROOT, "%.0f %%", finding.median())));
  }

  static String cores(String who, String role, Finding finding) {
    return sentence(
        who + " is idle while its gang works",
        finding,
        String.format(Locale.ROOT, "it keeps %.2f cores busy", finding.figure()),
        of(role, finding, String.format(Locale.ROOT, "%.2f", finding.median())));
  }

  static String recovered(String who) {
    return who + " keeps up with its gang again";
  }

  private static String of(String role, Finding finding, String figure) {
    return finding.peers() == 2
        ? "the other " + role + " " + figure
        : "the median of " + finding.peers() + " " + role + " tasks " + figure;
  }

  private static String sentence(String what, Finding finding, String own, String others) {
    return what
        + " since "
        + finding.since().truncatedTo(ChronoUnit.SECONDS)
        + ": "
        + own
        + ", "
        + others;
  }
}
