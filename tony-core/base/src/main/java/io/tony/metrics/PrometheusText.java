package io.tony.metrics;

import java.util.List;
import java.util.function.Consumer;

/**
 * Writes metrics in Prometheus' text format, version 0.0.4. Each metric has its help, its type, and
 * its samples, one per line. A metric without samples is left out. Not thread-safe.
 */
public final class PrometheusText {
  /** Content type of an HTTP response in this format. */
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /** Above this value, a double cannot represent every whole number. */
  private static final double MAX_WHOLE_NUMBER = 1L << 53;

  private final StringBuilder text = new StringBuilder();

  /** Receives the samples of one metric. */
  @FunctionalInterface
  public interface Samples {
    /**
     * Adds a sample.
     *
     * @param labels value of each label of the metric, in the order of the metric's labels; any
     *     text
     */
    void add(double value, String... labels);
  }

  /**
   * Appends a metric with all samples that {@code samples} adds; no two of them may have the same
   * label values. Returns this object.
   */
  public PrometheusText with(Metric metric, Consumer<Samples> samples) {
    int begin = text.length();
    text.append("# HELP ").append(metric.name()).append(' ');
    escape(metric.help(), false);
    text.append("\n# TYPE ").append(metric.name()).append(' ');
    text.append(metric.kind().typeName()).append('\n');
    int empty = text.length();
    samples.accept((value, labels) -> sample(metric, value, labels));
    if (text.length() == empty) {
      text.setLength(begin);
    }
    return this;
  }

  /** Appends a metric without labels. Returns this object. */
  public PrometheusText with(Metric metric, double value) {
    return with(metric, samples -> samples.add(value));
  }

  private void sample(Metric metric, double value, String... values) {
    List<String> labels = metric.labels();
    if (values.length != labels.size()) {
      throw new IllegalArgumentException(
          metric.name() + " has the labels " + labels + ", not " + values.length + " values");
    }
    text.append(metric.name());
    for (int i = 0; i < values.length; i++) {
      text.append(i == 0 ? '{' : ',').append(labels.get(i)).append("=\"");
      escape(values[i], true);
      text.append('"');
    }
    text.append(values.length == 0 ? " " : "} ").append(number(value)).append('\n');
  }

  /**
   * Appends a value with the three escapes of the format. Other control characters become spaces,
   * because a terminal might interpret them.
   */
  private void escape(String value, boolean quoted) {
    for (int i = 0; i < value.length(); i++) {
      char next = value.charAt(i);
      if (next == '\\') {
        text.append("\\\\");
      } else if (next == '\n') {
        text.append("\\n");
      } else if (next == '"' && quoted) {
        text.append("\\\"");
      } else {
        text.append(Character.isISOControl(next) ? ' ' : next);
      }
    }
  }

  private static String number(double value) {
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    return Math.rint(value) == value && Math.abs(value) < MAX_WHOLE_NUMBER
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
