package io.tony.am.usage;

import java.util.Arrays;

/**
 * Compares the tasks of one role by one figure, such as the pace. Each task is compared with the
 * median of the role. If the figures differ so much that the median is not typical, no task counts
 * as behind.
 *
 * @param median median of the known figures; of only two, the higher one
 * @param knownCount number of known figures
 * @param alike true if the figures are close enough together for a comparison
 */
record PeerComparison(Rule rule, double median, int knownCount, boolean alike) {
  /**
   * The limits of a comparison. All but {@code minMedian} are fractions of the median.
   *
   * @param behind a task with a figure below this is behind
   * @param behindOfTwo replaces {@code behind} in a role with only two known figures
   * @param keepsUp a task with a figure at or above this keeps up
   * @param maxSpread maximum median absolute deviation of figures that are close enough together
   * @param minMedian median up to which the role counts as idle, so that no task is behind
   */
  record Rule(
      double behind, double behindOfTwo, double keepsUp, double maxSpread, double minMedian) {}

  /**
   * Returns the comparison of these figures.
   *
   * @param figures figure of each task; NaN if not known
   */
  static PeerComparison of(Rule rule, double[] figures) {
    double[] sorted = Arrays.stream(figures).filter(Double::isFinite).sorted().toArray();
    if (sorted.length < 3) {
      double higher = sorted.length == 0 ? Double.NaN : sorted[sorted.length - 1];
      return new PeerComparison(
          rule, higher, sorted.length, sorted.length == 2 && higher > rule.minMedian);
    }
    double median = middle(sorted);
    double[] distances =
        Arrays.stream(sorted).map(figure -> Math.abs(figure - median)).sorted().toArray();
    boolean alike = median > rule.minMedian && middle(distances) <= rule.maxSpread * median;
    return new PeerComparison(rule, median, sorted.length, alike);
  }

  private static double middle(double[] sorted) {
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  boolean isBehind(double figure) {
    double limit = knownCount == 2 ? rule.behindOfTwo : rule.behind;
    return alike && figure < limit * median;
  }

  boolean keepsUp(double figure) {
    return alike && figure >= rule.keepsUp * median;
  }
}
