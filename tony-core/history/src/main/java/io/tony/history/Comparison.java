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
import org.jspecify.annotations.Nullable;

/**
 * A comparison of several runs of a job: resource use, duration and results of each run, and which
 * figures deviate from those of the other runs.
 *
 * @param runs the runs in display order
 * @param columns the figures, one column each
 */
public record Comparison(List<JobSummary> runs, List<Column> columns) {
  /** Minimum number of values in a column for which outliers are determined. */
  public static final int MIN_RUNS = 5;

  /**
   * Maximum number of roles, and of outputs, that get columns; the names that occur in the most
   * runs are preferred.
   */
  static final int MAX_NAMES = 100;

  /** Distance from the median above which a value is an outlier, in standard deviations. */
  private static final double OUTLIER_DEVIATIONS = 3.5;

  /**
   * Ratio of the standard deviation to the MAD (median absolute deviation) in a normal
   * distribution.
   */
  private static final double DEVIATION_PER_MAD = 1.4826;

  /**
   * Distance from the median, as a share of the median, below which a value is never an outlier,
   * even if all other values are equal.
   */
  private static final double MIN_MEDIAN_SHARE = 0.02;

  /** Unit of the values of a column. */
  public enum Unit {
    SECONDS,
    COUNT,
    MIB,
    /** A number without a known unit, such as an output of a program. */
    NUMBER,
    /** A share from 0 to 1. */
    SHARE
  }

  /** How a value compares with the other values of its column. */
  public enum Deviation {
    USUAL,
    HIGH,
    LOW
  }

  /**
   * One figure of all runs.
   *
   * @param values the figure of each run, in the order of the runs; null for a run without the
   *     figure
   * @param deviations the deviation of each run, in the order of the runs; {@code USUAL} also if
   *     there are too few values
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
    columns.add(column(runs, "duration", Unit.SECONDS, Comparison::duration));
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
    List<Double> values = new ArrayList<>(); // may contain null, which List.of rejects
    runs.forEach(run -> values.add(value.apply(run)));
    return Column.of(name, unit, values);
  }

  private static @Nullable Double duration(JobSummary run) {
    return run.ended() == null ? null : seconds(run.duration(run.ended()));
  }

  private static @Nullable Double seconds(@Nullable Duration time) {
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
   * Compares each value with the median, in units of the MAD (median absolute deviation). Unlike
   * mean and standard deviation, these are hardly changed by a few extreme values.
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
        : sorted[middle - 1] / 2 + sorted[middle] / 2; // adding before dividing could overflow
  }
}
