package io.tony.mini;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The size and the settings of a {@link MiniCluster}. Memory is in MiB. If values are out of range,
 * the constructor throws an {@link IllegalArgumentException} that lists all problems.
 *
 * @param nodeManagers number of NodeManagers, at least 1
 * @param nodeMemoryMiB memory that each node offers; not limited by the machine's memory, so that a
 *     small machine can simulate a large one
 * @param nodeVcores number of vcores that each node offers
 * @param maxContainerMemoryMiB memory of the largest container that YARN grants
 *     (yarn.scheduler.maximum-allocation-mb); 0 means a node's memory. The largest number of vcores
 *     of a container is a node's
 * @param nodeHeartbeat how often a NodeManager reports to the ResourceManager, and so how often
 *     YARN allocates containers on the node. The heartbeat of an ApplicationMaster is set by its
 *     application
 * @param ownAddresses true if each NodeManager has its own host, 127.1.0.1, 127.1.0.2 and so on, so
 *     that applications can distinguish nodes by their hosts, as on a real cluster; false if all
 *     hosts are {@code localhost}. Linux accepts all addresses 127.x.x.x; other systems may not
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
   * The cluster's yarn.scheduler.minimum-allocation-mb. YARN rounds the memory of a container up to
   * a multiple of it.
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
   * Returns the default: two NodeManagers of 4 GiB and 8 vcores, containers as large as a node, and
   * YARN's default heartbeat of 1 s.
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

  /** Returns a copy with this Hadoop property added or replaced. */
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

  /** Returns a copy with these Hadoop properties added, except for those that are already set. */
  MiniClusterSpec withDefaults(Map<String, String> settings) {
    MiniClusterSpec all = this;
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      if (!hadoopSettings.containsKey(setting.getKey())) {
        all = all.with(setting.getKey(), setting.getValue());
      }
    }
    return all;
  }

  /**
   * Returns the host of a NodeManager. Own addresses are not in 127.0.0.x, because some systems map
   * the machine's name to an address in that range.
   */
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
