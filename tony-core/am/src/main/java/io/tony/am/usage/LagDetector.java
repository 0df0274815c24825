package io.tony.am.usage;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds tasks of a role that lag behind the others in one figure, such as the pace. Time is divided
 * into windows. A task is reported when it has been behind in a given number of consecutive
 * windows, so many that this is not chance, and again when it has kept up for as many windows.
 */
final class LagDetector {
  /**
   * A task that lags behind or has recovered.
   *
   * @param index index of the task in its role
   * @param recovered true if the task keeps up again; false if it is behind
   * @param since start of the first of the consecutive windows
   * @param figure the task's average figure since then
   * @param median average of the role's medians since then
   * @param peers number of tasks of the role with a known figure in the last window
   */
  record Finding(
      int index, boolean recovered, Instant since, double figure, double median, int peers) {}

  /** Consecutive windows in all of which a task was behind, or in all of which it kept up. */
  private static final class Streak {
    boolean behind;
    int windows;
    Instant since = Instant.MIN; // MIN before the first window
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
   * Creates a detector for one figure of one role.
   *
   * @param windows number of consecutive windows after which a task is reported
   * @param tasks number of tasks that the role may have
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
   * Adds a window, and returns the tasks that have now been behind, or have kept up, for the
   * required number of windows. A task that is not known to be behind or to keep up in this window
   * starts to count again.
   *
   * @param startedAt start of the window
   * @param figures figure of each task, by index; NaN if not known
   * @param exempt by index, true for tasks that are not judged in this window; their earlier
   *     windows are forgotten
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
