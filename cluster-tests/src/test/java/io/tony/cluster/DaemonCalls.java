package io.tony.cluster;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.MetricsTag;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;

/**
 * How often each call of one port of the cluster's daemons has been made so far, as the daemons of
 * this JVM count it. Their beans and pages tell what was true some seconds ago.
 */
final class DaemonCalls extends MetricsRecordBuilder implements MetricsCollector {
  private static final String CALLS = "NumOps";

  /** What is counted a second time, in another respect. */
  private static final Pattern AGAIN = Pattern.compile("(Overall|Deferred).*");

  private final Map<String, Long> calls = new TreeMap<>();

  private DaemonCalls() {}

  /** The number of calls by their names. */
  static Map<String, Long> of(int port) {
    MetricsSource source =
        DefaultMetricsSystem.instance().getSource("RpcDetailedActivityForPort" + port);
    DaemonCalls counted = new DaemonCalls();
    if (source != null) {
      source.getMetrics(counted, true);
    }
    return counted.calls;
  }

  @Override
  public MetricsRecordBuilder addCounter(MetricsInfo info, long value) {
    String name = info.name();
    if (name.endsWith(CALLS) && value > 0 && !AGAIN.matcher(name).matches()) {
      calls.put(name.substring(0, name.length() - CALLS.length()), value);
    }
    return this;
  }

  // ---- What else a source may tell is not asked for ----

  @Override
  public MetricsRecordBuilder addRecord(String name) {
    return this;
  }

  @Override
  public MetricsRecordBuilder addRecord(MetricsInfo info) {
    return this;
  }

  @Override
  public MetricsCollector parent() {
    return this;
  }

  @Override
  public MetricsRecordBuilder tag(MetricsInfo info, String value) {
    return this;
  }

  @Override
  public MetricsRecordBuilder add(MetricsTag tag) {
    return this;
  }

  @Override
  public MetricsRecordBuilder add(AbstractMetric metric) {
    return this;
  }

  @Override
  public MetricsRecordBuilder setContext(String value) {
    return this;
  }

  @Override
  public MetricsRecordBuilder addCounter(MetricsInfo info, int value) {
    return this;
  }

  @Override
  public MetricsRecordBuilder addGauge(MetricsInfo info, int value) {
    return this;
  }

  @Override
  public MetricsRecordBuilder addGauge(MetricsInfo info, long value) {
    return this;
  }

  @Override
  public MetricsRecordBuilder addGauge(MetricsInfo info, float value) {
    return this;
  }

  @Override
  public MetricsRecordBuilder addGauge(MetricsInfo info, double value) {
    return this;
  }
}
