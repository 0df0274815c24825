package io.tony.am.usage;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds tasks of a role that lag behind, by one figure such as the pace. Time is divided into
 * windows. A task is reported when it was behind the others in so many consecutive windows that
 * this is not chance, and again when it has kept up for as many windows.
 */
final class LagDetector {
  /**
   * A task that lags behind or has recovered.
   *
   * @param recovered true if the task keeps up again; false if it is behind
   * @param since start of the consecutive windows
   * @param figure the task's average figure since then
   * @param median average of the role's medians since then
   * @param peers number of tasks with a known figure
   */
  record Finding(
      int index, boolean recovered, Instant since, double figure, double median, int peers) {}

  /** Consecutive windows in all of which a task was behind, or in all of which it kept up. */
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
   * @param windows number of consecutive windows after which a task is reported
   */
  LagDetector(PeerComparison.Rule rule, int windows, int tasks) {
    this.rule = rule;
    this.windows = windows;
    for (int i = 0; i < tasks; i++) {
      streaks.add(new Streak());
    }
  }

  /** Forgets the task's windows, because its program has ended or is replaced. */
  void forget(int index) {
    streaks.get(index).reset();
  }

  /**
   * Adds a window, and returns the tasks that it makes reportable.
   *
   * @param startedAt start of the window
   * @param figures figure of each task, by index; NaN if not known
   * @param exempt true for tasks whose figures prove nothing in this window, by index
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
