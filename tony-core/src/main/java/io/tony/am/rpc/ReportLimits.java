package io.tony.am.rpc;

import io.tony.protocol.proto.TonyProtos.Entry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How much an executor can say at once. Executors say less by themselves; but a program runs as the
 * same user as its executor, may read its key and call in its name. What it says reaches the event
 * log and everybody who reads that.
 */
final class ReportLimits {
  static final int PROGRESS = 500;
  static final int STDERR = 16 * 1024;
  static final int MESSAGE = 4 * 1024;
  static final int HOST = 255;

  /** Those that a program leaves, and what a preprocessing program hands on. */
  static final int OUTPUTS = (32 + 128) * 1024;

  private ReportLimits() {}

  /** The first ones, as many as there may be. */
  static Map<String, String> outputs(List<Entry> entries) {
    Map<String, String> outputs = new LinkedHashMap<>();
    int characters = 0;
    for (Entry entry : entries) {
      characters += entry.getKey().length() + entry.getValue().length();
      if (characters > OUTPUTS) {
        break;
      }
      outputs.put(entry.getKey(), entry.getValue());
    }
    return outputs;
  }
}
