package io.tony.am.yarn;

import io.tony.model.TaskId;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Memory use, in MiB, of a container that its NodeManager ended for exceeding a limit. Parsed from
 * the diagnostics of the NodeManager's ContainersMonitor. The values are of the last measurement,
 * which is also the highest one.
 */
record MemoryUse(long physical, long physicalLimit, long virtual, long virtualLimit) {
  private static final String SIZE = "(\\d+(?:[.,]\\d+)?)\\s*([KMGTPE]?)B";
  private static final Pattern USAGE =
      Pattern.compile(
          "Current usage: "
              + SIZE
              + " of "
              + SIZE
              + " physical memory used; "
              + SIZE
              + " of "
              + SIZE
              + " virtual memory used",
          Pattern.CASE_INSENSITIVE);

  /**
   * Factor by which the recommended size exceeds the measured one, because the container was ended
   * while its memory use was still growing.
   */
  private static final double HEADROOM = 1.25;

  static Optional<MemoryUse> of(String diagnostics) {
    Matcher matcher = USAGE.matcher(diagnostics);
    return matcher.find()
        ? Optional.of(
            new MemoryUse(
                mebibytes(matcher, 1),
                mebibytes(matcher, 3),
                mebibytes(matcher, 5),
                mebibytes(matcher, 7)))
        : Optional.empty();
  }

  /**
   * Returns the size in MiB. YARN writes it with one digit after the decimal separator of the
   * NodeManager's locale.
   */
  private static long mebibytes(Matcher matcher, int group) {
    double number = Double.parseDouble(matcher.group(group).replace(',', '.'));
    String unit = matcher.group(group + 1).toUpperCase(Locale.ROOT);
    int power = unit.isEmpty() ? 0 : "KMGTPE".indexOf(unit) + 1;
    return Math.round(number * Math.pow(1024, power - 2));
  }

  /**
   * Returns the recommended container size, for example {@code 512m} or {@code 6g}. {@code
   * ofVirtual} is true if the container exceeded its limit of virtual memory, false for physical
   * memory.
   */
  String advice(boolean ofVirtual) {
    // A node's limit of virtual memory is proportional to the container's physical memory.
    double needed =
        ofVirtual ? (double) virtual * physicalLimit / Math.max(1, virtualLimit) : physical;
    double wanted = needed * HEADROOM;
    long step = wanted < 1024 ? 256 : wanted < 8192 ? 512 : 1024;
    long size = (long) Math.ceil(wanted / step) * step;
    return size % 1024 == 0 ? size / 1024 + "g" : size + "m";
  }

  /**
   * Returns the message about the end of the task's container. {@code task} and {@code memoryKey}
   * are as in {@link ExitStatuses#message}; {@code ofVirtual} is as in {@link #advice}.
   */
  String message(@Nullable TaskId task, String memoryKey, boolean ofVirtual) {
    String set = "; set " + memoryKey + "=" + advice(ofVirtual);
    return ofVirtual
        ? task
            + " used "
            + virtual
            + " MiB of the "
            + virtualLimit
            + " MiB of virtual memory that its node allows it"
            + set
            + ", or ask the administrator for a larger yarn.nodemanager.vmem-pmem-ratio"
        : task + " used " + physical + " MiB of its " + physicalLimit + " MiB" + set;
  }
}
