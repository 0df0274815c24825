package io.tony.model;

/**
 * How much memory the containers of a role get after one of them exceeded its memory.
 *
 * @param factor factor by which the next container's memory is larger; 1 for no growth
 * @param maxMiB maximum memory of a container in MiB; 0 for the memory of the cluster's largest
 *     container
 */
public record MemoryGrowth(double factor, long maxMiB) {
  public static final MemoryGrowth NONE = new MemoryGrowth(1, 0);

  public boolean isEnabled() {
    return factor > 1;
  }
}
