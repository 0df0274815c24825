package io.tony.model;

/**
 * By how much the containers of a role grow when one of them had too little memory.
 *
 * @param factor 1 where they do not
 * @param maxMiB what none of them may have more than; 0 for the cluster's largest container
 */
public record MemoryGrowth(double factor, long maxMiB) {
  public static final MemoryGrowth NONE = new MemoryGrowth(1, 0);

  public boolean isEnabled() {
    return factor > 1;
  }
}
