package io.tony.model;

import java.util.Locale;

/**
 * What a task uses at a moment; written {@code 812 0.97}, or {@code 812 0.97 43 2048} with GPUs.
 *
 * @param memoryMiB resident memory of the program's processes
 * @param cores how many cores they keep busy
 * @param gpus null where the task has none, or their use is not known
 */
public record TaskUsage(long memoryMiB, double cores, GpuUsage gpus) {
  /**
   * What all GPUs of one task are used for.
   *
   * @param percent of the time in which they compute, on average
   * @param memoryMiB of all of them together
   */
  public record GpuUsage(int percent, long memoryMiB) {}

  /**
   * Reads what {@link #toString} writes.
   *
   * @throws IllegalArgumentException when the text is anything else
   */
  public static TaskUsage parse(String text) {
    String[] parts = text.split(" ", -1);
    if (parts.length != 2 && parts.length != 4) {
      throw new IllegalArgumentException("not the use of a task: '" + text + "'");
    }
    return new TaskUsage(
        Long.parseLong(parts[0]),
        Double.parseDouble(parts[1]),
        parts.length == 2
            ? null
            : new GpuUsage(Integer.parseInt(parts[2]), Long.parseLong(parts[3])));
  }

  @Override
  public String toString() {
    String memoryAndCores = String.format(Locale.ROOT, "%d %.2f", memoryMiB, cores);
    return gpus == null
        ? memoryAndCores
        : memoryAndCores + " " + gpus.percent() + " " + gpus.memoryMiB();
  }
}
