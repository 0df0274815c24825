package io.tony.am.usage;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Watches one figure of a role's tasks, window by window. Reports a task that is behind the others
 * in so many consecutive windows that chance is excluded, and a task that has kept up again for as
 * long.
 */
final class LagDetector {
  /**
   * A change of one task.
   *
   * @param recovered true if the task keeps up again; false if it is behind
   * @param since start of the streak
   * @param figure average figure of the task since then
   * @param median average median of the role since then
   * @param peers number of compared tasks
   */
  record Finding(
      int index, boolean recovered, Instant since, double figure, double median, int peers) {}

  /** Consecutive windows in which a task was behind, or in which it kept up. */
  private static final class Streak {
    boolean behind;
    int windows;
    Instant since;
    double figures;
    double medians;

    void add(boolean isBehind, Instant startedAt, double figure, double median) {
      if (windows == 0 || behind != isBehind) {
        reset();
        behind = isBehind;
        since = startedAt;
      }
      windows++;
      figures += figure;
      medians += median;
    }

    void reset() {
      windows = 0;
      figures = 0;
      medians = 0;
    }
  }

  private final PeerComparison.Rule rule;
  private final int windows;
  private final List<Streak> streaks = new ArrayList<>();

  /**
   * @param windows number of consecutive windows that make a finding
   */
  LagDetector(PeerComparison.Rule rule, int windows, int tasks) {
    this.rule = rule;
    this.windows = windows;
    for (int i = 0; i < tasks; i++) {
      streaks.add(new Streak());
    }
  }

  /** Resets the task's streak, because its program is replaced or gone. */
  void forget(int index) {
    streaks.get(index).reset();
  }

  /**
   * Adds a window and returns the new findings.
   *
   * @param figures the figure of each task by index; NaN if not known
   * @param exempt tasks whose figures are not conclusive in this window
   */
  List<Finding> addWindow(Instant startedAt, double[] figures, boolean[] exempt) {
    PeerComparison peers = PeerComparison.of(rule, figures);
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < figures.length; i++) {
      Streak streak = streaks.get(i);
      boolean behind = peers.isBehind(figures[i]);
      if (exempt[i] || !(behind || peers.keepsUp(figures[i]))) {
        streak.reset();
        continue;
      }
      streak.add(behind, startedAt, figures[i], peers.median());
      if (streak.windows == windows) {
        double figure = streak.figures / windows;
        double median = streak.medians / windows;
        findings.add(new Finding(i, !behind, streak.since, figure, median, peers.knownCount()));
      }
    }
    return findings;
  }
}
