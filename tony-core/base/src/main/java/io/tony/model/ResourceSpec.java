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
 * @param others amounts of other resource types, in YARN's units; keys are YARN's names, such as
 *     {@code yarn.io/gpu}
 */
public record ResourceSpec(long memoryMiB, int vcores, SortedMap<String, Long> others) {
  /** YARN's resource type for GPUs. Users set it by {@code tony.<role>.gpus}. */
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
