package io.tony.am.usage;

import java.util.Arrays;

/**
 * How the tasks of one role compare by one figure. The median stands for all; where the figures are
 * so far apart that there is none of which one could say so, nobody is behind.
 *
 * @param median of those whose figure is known; of two, the higher
 * @param knownCount how many these are
 */
record PeerComparison(Rule rule, double median, int knownCount, boolean alike) {
  /**
   * What is behind the others, as parts of the median.
   *
   * @param behind less than this is
   * @param behindOfTwo the same where there is but one other
   * @param keepsUp this or more is as good as the others
   * @param maxSpread so far apart half of the others may be
   * @param minMedian a lower median tells that nobody works
   */
  record Rule(
      double behind, double behindOfTwo, double keepsUp, double maxSpread, double minMedian) {}

  /**
   * @param figures not a number where it is not known
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
