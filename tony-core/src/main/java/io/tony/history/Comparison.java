package io.tony.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Jobs beside one another: what each took and what came out of it, and which figure is out of line
 * with those of the others.
 *
 * @param runs in the order in which they are shown
 */
public record Comparison(List<JobSummary> runs, List<Column> columns) {
  /** Fewer say nothing about what is usual. */
  public static final int MIN_RUNS = 5;

  /** Maximum number of roles, and of outputs: those that most of the runs have. */
  static final int MAX_NAMES = 100;

  /** How far from the median is out of line, in standard deviations of the others. */
  private static final double OUTLIER_DEVIATIONS = 3.5;

  /** Of a normal distribution, the standard deviation is so many times the MAD. */
  private static final double DEVIATION_PER_MAD = 1.4826;

  /** Less of the median is never out of line, however alike the others are. */
  private static final double MIN_MEDIAN_SHARE = 0.02;

  /** What the numbers of a column are. */
  public enum Unit {
    SECONDS,
    COUNT,
    MIB,
    /** What a program left. */
    NUMBER,
    /** From 0 to 1. */
    SHARE
  }

  /** How a figure compares with the others of its column. */
  public enum Deviation {
    USUAL,
    HIGH,
    LOW
  }

  /**
   * One figure of all runs.
   *
   * @param values of the runs in their order; null where a run has none
   * @param deviations likewise; {@code USUAL} also where nothing can be said
   */
  public record Column(String name, Unit unit, List<Double> values, List<Deviation> deviations) {
    static Column of(String name, Unit unit, List<Double> values) {
      return new Column(
          name,
          unit,
          Collections.unmodifiableList(new ArrayList<>(values)),
          computeDeviations(values));
    }

    boolean isEmpty() {
      return values.stream().allMatch(Objects::isNull);
    }
  }

  public Comparison {
    runs = List.copyOf(runs);
    columns = List.copyOf(columns);
  }

  public static Comparison of(List<JobSummary> runs) {
    List<Column> columns = new ArrayList<>();
    columns.add(
        column(runs, "duration", Unit.SECONDS, run -> seconds(run.ended() == null ? null : run)));
    columns.add(column(runs, "queue wait", Unit.SECONDS, run -> seconds(run.queueWait())));
    columns.add(column(runs, "restarts", Unit.COUNT, run -> (double) run.restarts()));
    for (String role : names(runs, run -> run.peakMemoryMiB().keySet())) {
      columns.add(
          column(
              runs,
              "MiB of " + role,
              Unit.MIB,
              run -> {
                Long peak = run.peakMemoryMiB().get(role);
                return peak == null ? null : Double.valueOf(peak);
              }));
    }
    for (String output : names(runs, run -> run.outputs().keySet())) {
      columns.add(column(runs, "output." + output, Unit.NUMBER, run -> run.outputs().get(output)));
    }
    columns.add(column(runs, "progress", Unit.SHARE, JobSummary::fraction));
    columns.add(column(runs, "goodput", Unit.SHARE, JobSummary::goodput));
    columns.removeIf(Column::isEmpty);
    return new Comparison(runs, columns);
  }

  private static Column column(
      List<JobSummary> runs, String name, Unit unit, Function<JobSummary, Double> value) {
    List<Double> values = new ArrayList<>(); // some are null
    runs.forEach(run -> values.add(value.apply(run)));
    return Column.of(name, unit, values);
  }

  private static Double seconds(JobSummary ended) {
    return ended == null ? null : seconds(ended.duration(ended.ended()));
  }

  private static Double seconds(Duration time) {
    return time == null ? null : time.toMillis() / 1_000.0;
  }

  private static SortedSet<String> names(
      List<JobSummary> runs, Function<JobSummary, Set<String>> namesOf) {
    Map<String, Integer> counts = new TreeMap<>();
    runs.forEach(run -> namesOf.apply(run).forEach(name -> counts.merge(name, 1, Integer::sum)));
    return counts.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .limit(MAX_NAMES)
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * By the median and the MAD, the median distance from it: a run that is far away, or a few, do
   * not move what is usual.
   */
  static List<Deviation> computeDeviations(List<Double> values) {
    double[] present =
        values.stream().filter(Objects::nonNull).mapToDouble(Double::doubleValue).toArray();
    boolean enough = present.length >= MIN_RUNS;
    double median = enough ? median(present) : 0;
    double mad =
        enough
            ? median(Arrays.stream(present).map(value -> Math.abs(value - median)).toArray())
            : 0;
    double limit =
        OUTLIER_DEVIATIONS * DEVIATION_PER_MAD * mad + MIN_MEDIAN_SHARE * Math.abs(median);
    List<Deviation> deviations = new ArrayList<>();
    for (Double value : values) {
      double distance = value == null || !enough ? 0 : value - median;
      deviations.add(
          distance > limit ? Deviation.HIGH : distance < -limit ? Deviation.LOW : Deviation.USUAL);
    }
    return deviations;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1
        ? sorted[middle]
        : sorted[middle - 1] / 2 + sorted[middle] / 2; // the sum may be too large
  }
}
