package io.tony.metrics;

import java.util.List;
import java.util.function.Consumer;

/**
 * Figures in Prometheus' text format, version 0.0.4: of each metric its help, its type and its
 * samples, one a line. A metric without a sample is left out. For one thread.
 */
public final class PrometheusText {
  /** What an answer in this format is. */
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /** Above it, a double does not tell whole numbers apart. */
  private static final double MAX_WHOLE_NUMBER = 1L << 53;

  private final StringBuilder text = new StringBuilder();

  /** Takes the samples of one metric. */
  @FunctionalInterface
  public interface Samples {
    /** {@code labels} has a value for each label of the metric, in their order; any text. */
    void add(double value, String... labels);
  }

  /** A metric with all its samples. The values of the labels differ from sample to sample. */
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

  /** A metric without labels. */
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

  /** The format's own three; what else a terminal might obey is a space. */
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
