package io.tony.mini;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The size and the settings of a {@link MiniCluster}. Memory is in MiB, as in YARN; nothing is
 * null. For values out of range, the constructor throws an {@link IllegalArgumentException} that
 * lists all problems.
 *
 * @param nodeManagers number of NodeManagers, at least 1
 * @param nodeMemoryMiB memory that each node offers; not checked against the machine's memory, so
 *     that a small machine can simulate a large one
 * @param nodeVcores number of vcores that each node offers
 * @param maxContainerMemoryMiB memory of the largest container that YARN grants
 *     (yarn.scheduler.maximum-allocation-mb); 0 means as large as a node. The maximum number of
 *     vcores is always a node's
 * @param nodeHeartbeat how often a NodeManager reports, which is also how often YARN allocates
 *     containers on it. An ApplicationMaster's own heartbeat is set by the application
 * @param ownAddresses true if each NodeManager has its own host, 127.1.0.1, 127.1.0.2 and so on, as
 *     on a real cluster, so that applications can distinguish nodes by their hosts; false if all
 *     are {@code localhost}. Linux answers to all of 127.0.0.0/8, other systems may not
 * @param hadoopSettings Hadoop properties that override all others, for the daemons and in the
 *     files of {@link MiniCluster#confDir()}
 */
public record MiniClusterSpec(
    int nodeManagers,
    int nodeMemoryMiB,
    int nodeVcores,
    int maxContainerMemoryMiB,
    Duration nodeHeartbeat,
    boolean ownAddresses,
    Map<String, String> hadoopSettings) {

  /**
   * The cluster's yarn.scheduler.minimum-allocation-mb, to a multiple of which YARN rounds up a
   * container's memory.
   */
  static final int MIN_CONTAINER_MEMORY_MIB = 64;

  private static final int MAX_ADDRESSES = 254;

  private static final MiniClusterSpec DEFAULTS =
      new MiniClusterSpec(2, 4096, 8, 0, Duration.ofSeconds(1), false, Map.of());

  public MiniClusterSpec {
    hadoopSettings = Map.copyOf(hadoopSettings);
    List<String> problems = new ArrayList<>();
    requireMinimum(1, nodeManagers, "NodeManagers", problems);
    requireMinimum(MIN_CONTAINER_MEMORY_MIB, nodeMemoryMiB, "MiB of memory per node", problems);
    requireMinimum(1, nodeVcores, "vcores per node", problems);
    if (maxContainerMemoryMiB != 0) {
      requireMinimum(
          MIN_CONTAINER_MEMORY_MIB,
          maxContainerMemoryMiB,
          "MiB of the largest container",
          problems);
    }
    if (ownAddresses && nodeManagers > MAX_ADDRESSES) {
      problems.add(
          "NodeManagers with own addresses: "
              + nodeManagers
              + ", must be at most "
              + MAX_ADDRESSES);
    }
    if (nodeHeartbeat.toMillis() < 1) {
      problems.add("node heartbeat: " + nodeHeartbeat.toMillis() + " ms, must be at least 1 ms");
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join(System.lineSeparator(), problems));
    }
  }

  /**
   * Two NodeManagers of 4 GiB and 8 vcores, containers as large as a node, and YARN's default
   * heartbeat of 1 s.
   */
  public static MiniClusterSpec defaults() {
    return DEFAULTS;
  }

  public MiniClusterSpec withNodeManagers(int count) {
    return new MiniClusterSpec(
        count,
        nodeMemoryMiB,
        nodeVcores,
        maxContainerMemoryMiB,
        nodeHeartbeat,
        ownAddresses,
        hadoopSettings);
  }

  public MiniClusterSpec withNodeSize(int memoryMiB, int vcores) {
    return new MiniClusterSpec(
        nodeManagers,
        memoryMiB,
        vcores,
        maxContainerMemoryMiB,
        nodeHeartbeat,
        ownAddresses,
        hadoopSettings);
  }

  public MiniClusterSpec withMaxContainerMemory(int memoryMiB) {
    return new MiniClusterSpec(
        nodeManagers,
        nodeMemoryMiB,
        nodeVcores,
        memoryMiB,
        nodeHeartbeat,
        ownAddresses,
        hadoopSettings);
  }

  public MiniClusterSpec withNodeHeartbeat(Duration interval) {
    return new MiniClusterSpec(
        nodeManagers,
        nodeMemoryMiB,
        nodeVcores,
        maxContainerMemoryMiB,
        interval,
        ownAddresses,
        hadoopSettings);
  }

  public MiniClusterSpec withOwnAddresses() {
    return new MiniClusterSpec(
        nodeManagers,
        nodeMemoryMiB,
        nodeVcores,
        maxContainerMemoryMiB,
        nodeHeartbeat,
        true,
        hadoopSettings);
  }

  /** Returns a copy with one more Hadoop property. */
  public MiniClusterSpec with(String name, String value) {
    Map<String, String> settings = new TreeMap<>(hadoopSettings);
    settings.put(name, value);
    return new MiniClusterSpec(
        nodeManagers,
        nodeMemoryMiB,
        nodeVcores,
        maxContainerMemoryMiB,
        nodeHeartbeat,
        ownAddresses,
        settings);
  }

  /** Returns a copy with those Hadoop properties that are not set yet. */
  MiniClusterSpec withDefaults(Map<String, String> settings) {
    MiniClusterSpec all = this;
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      if (!hadoopSettings.containsKey(setting.getKey())) {
        all = all.with(setting.getKey(), setting.getValue());
      }
    }
    return all;
  }

  /** Not 127.0.0.x: some systems map the machine's name to an address in this range. */
  String hostOfNode(int index) {
    return ownAddresses ? "127.1.0." + (index + 1) : DaemonSettings.HOST;
  }

  int largestContainerMiB() {
    return maxContainerMemoryMiB == 0 ? nodeMemoryMiB : maxContainerMemoryMiB;
  }

  private static void requireMinimum(int minimum, int value, String what, List<String> problems) {
    if (value < minimum) {
      problems.add(what + ": " + value + ", must be at least " + minimum);
    }
  }
}
