package io.tony.am.usage;

import java.util.Arrays;

/**
 * How the tasks of one role compare by one figure. The median stands for all; where the figures are
 * so far apart that there is none of which one could say so, nobody is behind.
 *
 * @param median of those whose figure is known; of two, the higher
 * @param known how many these are
 */
record Peers(Rule rule, double median, int known, boolean alike) {
  /**
   * What is behind the others, as parts of the median.
   *
   * @param behind less than this is
   * @param behindOfTwo the same where there is but one other
   * @param keepsUp this or more is as good as the others
   * @param spread so far apart half of the others may be
   * @param least a lower median tells that nobody works
   */
  record Rule(double behind, double behindOfTwo, double keepsUp, double spread, double least) {}

  /**
   * @param figures not a number where it is not known
   */
  static Peers of(Rule rule, double[] figures) {
    double[] known = Arrays.stream(figures).filter(Double::isFinite).sorted().toArray();
    if (known.length < 3) {
      double higher = known.length == 0 ? Double.NaN : known[known.length - 1];
      return new Peers(rule, higher, known.length, known.length == 2 && higher > rule.least);
    }
    double median = middle(known);
    double[] distances = Arrays.stream(known).map(one -> Math.abs(one - median)).sorted().toArray();
    boolean alike = median > rule.least && middle(distances) <= rule.spread * median;
    return new Peers(rule, median, known.length, alike);
  }

  private static double middle(double[] sorted) {
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  boolean isBehind(double figure) {
    double limit = known == 2 ? rule.behindOfTwo : rule.behind;
    return alike && figure < limit * median;
  }

  boolean keepsUp(double figure) {
    return alike && figure >= rule.keepsUp * median;
  }
}
