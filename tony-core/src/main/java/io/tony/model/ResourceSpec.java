package io.tony.model;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one container is asked to have. Memory is in MiB; {@code others} holds any further resource
 * type that the cluster defines, by YARN's name for it ({@code yarn.io/gpu}), in YARN's units.
 */
public record ResourceSpec(long memoryMiB, int vcores, SortedMap<String, Long> others) {
  /** YARN's name for GPUs, which TonY's users write as {@code tony.<role>.gpus}. */
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
