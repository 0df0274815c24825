package io.tony.model;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Resources requested for one container.
 *
 * @param memoryMiB memory in MiB
 * @param vcores number of virtual cores
 * @param others amounts of other resource types, by YARN's name ({@code yarn.io/gpu}) and in YARN's
 *     units
 */
public record ResourceSpec(long memoryMiB, int vcores, SortedMap<String, Long> others) {
  /** YARN's resource type for GPUs; jobs set {@code tony.<role>.gpus}. */
  public static final String GPU = "yarn.io/gpu";

  public ResourceSpec {
    others = Collections.unmodifiableSortedMap(new TreeMap<>(others));
  }

  public ResourceSpec(long memoryMiB, int vcores) {
    this(memoryMiB, vcores, new TreeMap<>());
  }

  public long gpus() {
    return others.getOrDefault(GPU, 0L);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(memoryMiB)
        .append(" MiB, ")
        .append(vcores)
        .append(vcores == 1 ? " vcore" : " vcores");
    for (Map.Entry<String, Long> other : others.entrySet()) {
      text.append(", ").append(other.getValue()).append(' ').append(other.getKey());
    }
    return text.toString();
  }
}
