package io.tony.load;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** The calls of the executors by their kind, and how long each waited for its answer. */
final class Tally {
  private static final class Latencies {
    private long[] micros = new long[1024];
    private int count;

    void add(long next) {
      if (count == micros.length) {
        micros = Arrays.copyOf(micros, 2 * count);
      }
      micros[count++] = next;
    }

    double percentile(double part) {
      long[] sorted = Arrays.copyOf(micros, count);
      Arrays.sort(sorted);
      return sorted[(int) Math.min(count - 1, Math.floor(part * count))] / 1000.0;
    }
  }

  private final Map<String, Latencies> byKind = new TreeMap<>();

  synchronized void add(String kind, long nanos) {
    byKind.computeIfAbsent(kind, name -> new Latencies()).add(nanos / 1000);
  }

  synchronized long calls() {
    return byKind.values().stream().mapToLong(one -> one.count).sum();
  }

  synchronized long calls(String kind) {
    return byKind.containsKey(kind) ? byKind.get(kind).count : 0;
  }

  /** Milliseconds; then all is counted anew. */
  synchronized String take() {
    StringBuilder json = new StringBuilder("{");
    byKind.forEach(
        (kind, one) ->
            json.append(json.length() > 1 ? "," : "")
                .append(
                    "\"%s\":{\"calls\":%d,\"p50\":%.2f,\"p99\":%.2f,\"max\":%.2f}"
                        .formatted(
                            kind,
                            one.count,
                            one.percentile(0.5),
                            one.percentile(0.99),
                            one.percentile(1))));
    byKind.clear();
    return json.append('}').toString();
  }
}
