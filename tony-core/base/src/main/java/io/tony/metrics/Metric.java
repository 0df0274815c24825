package io.tony.metrics;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A metric of Prometheus, with one sample for each combination of label values.
 *
 * @param help one sentence that names the unit
 * @param labels names of the labels
 */
public record Metric(String name, Kind kind, String help, List<String> labels) {
  /** Type of a metric. */
  public enum Kind {
    /** A value that only grows, and starts from zero again in each process. */
    COUNTER,
    /** A value that may grow and shrink. */
    GAUGE;

    String typeName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Suffix of the names of counters; no other metric's name has it. */
  private static final String TOTAL = "_total";

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");

  public Metric {
    labels = List.copyOf(labels);
    if (!NAME.matcher(name).matches()
        || !labels.stream().allMatch(label -> NAME.matcher(label).matches())) {
      throw new IllegalArgumentException("not the name of a metric: " + name + labels);
    }
    if (name.endsWith(TOTAL) != (kind == Kind.COUNTER)) {
      throw new IllegalArgumentException(name + " is a " + kind + "; counters end with " + TOTAL);
    }
  }

  public static Metric gauge(String name, String help, String... labels) {
    return new Metric(name, Kind.GAUGE, help, List.of(labels));
  }

  public static Metric counter(String name, String help, String... labels) {
    return new Metric(name, Kind.COUNTER, help, List.of(labels));
  }
}
