package io.tony.am.usage;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Watches one figure of the tasks of a role, window by window: who is behind the others in so many
 * in a row that it is no chance, and who keeps up again for as long.
 */
final class LagDetector {
  /**
   * What became of one task.
   *
   * @param recovered whether it keeps up; else it is behind
   * @param since when that began
   * @param figure its own since then, and {@code median} that of its role, on average
   * @param peers how many tasks that is
   */
  record Finding(
      int index, boolean recovered, Instant since, double figure, double median, int peers) {}

  /** The windows in a row in which a task was behind, or kept up. */
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
   * @param windows how many in a row are no chance
   */
  LagDetector(PeerComparison.Rule rule, int windows, int tasks) {
    this.rule = rule;
    this.windows = windows;
    for (int i = 0; i < tasks; i++) {
      streaks.add(new Streak());
    }
  }

  /** A task is another from now on, or no more. */
  void forget(int index) {
    streaks.get(index).reset();
  }

  /**
   * One more window; answers what is known now and was not before.
   *
   * @param figures of each task; not a number where it is not known
   * @param exempt of whom the figure tells nothing this time
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
