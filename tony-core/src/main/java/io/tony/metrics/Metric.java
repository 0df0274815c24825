package io.tony.metrics;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A figure that is told under one name, once for each set of values of its labels.
 *
 * @param help in a sentence, with the unit
 * @param labels their names
 */
public record Metric(String name, Kind kind, String help, List<String> labels) {
  /** What Prometheus does with it. */
  public enum Kind {
    /** It grows only, and begins anew with the process that tells it. */
    COUNTER,
    /** It goes up and down. */
    GAUGE;

    String typeName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The suffix by which a counter is known. */
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
