package io.tony.load;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** What this JVM has taken so far, as one line of JSON. */
final class Footprint {
  private Footprint() {}

  static String afterCollection() {
    System.gc();
    return now();
  }

  static String now() {
    long used = 0;
    long peak = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      if (pool.getType() == MemoryType.HEAP) {
        used += pool.getUsage().getUsed();
        peak += pool.getPeakUsage().getUsed();
      }
    }
    long collecting = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      collecting += collector.getCollectionTime();
    }
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return "{\"cpuMs\":%d,\"heapMiB\":%.1f,\"peakMiB\":%.1f,\"gcMs\":%d,\"threads\":%d,\"rssMiB\":%d,\"byThread\":%s}"
        .formatted(
            cpuMillis(),
            used / 1048576.0,
            peak / 1048576.0,
            collecting,
            threads.getThreadCount(),
            resident(),
            byThread(threads));
  }

  static long cpuMillis() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime()
        / 1_000_000;
  }

  /** CPU milliseconds of the threads that still live; what they do not explain is the JVM's own. */
  private static String byThread(ThreadMXBean threads) {
    Map<String, Long> byName = new TreeMap<>();
    for (long id : threads.getAllThreadIds()) {
      long nanos = threads.getThreadCpuTime(id);
      if (nanos > 0 && threads.getThreadInfo(id) != null) {
        String name = threads.getThreadInfo(id).getThreadName();
        byName.merge(name.replaceAll("[\"\\\\]|\\d+", ""), nanos / 1_000_000, Long::sum);
      }
    }
    StringBuilder json = new StringBuilder("{");
    byName.forEach(
        (name, millis) -> {
          if (millis >= 10) {
            json.append(json.length() > 1 ? "," : "").append("\"%s\":%d".formatted(name, millis));
          }
        });
    return json.append('}').toString();
  }

  private static long resident() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
