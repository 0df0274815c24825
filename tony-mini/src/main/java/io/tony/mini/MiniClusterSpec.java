package io.tony.mini;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The size and the settings of a {@link MiniCluster}. Memory is in MiB, as in YARN; nothing is
 * null. A value out of its range is an {@link IllegalArgumentException} that names every problem at
 * once.
 *
 * @param nodeManagers how many NodeManagers, at least 1
 * @param nodeMemoryMiB what each of them offers; not checked against the machine's memory, so that
 *     small machines can pretend to be large ones
 * @param nodeVcores what each of them offers
 * @param maxContainerMemoryMiB the largest container that YARN grants
 *     (yarn.scheduler.maximum-allocation-mb); 0 means as large as a node. The largest number of
 *     vcores is a node's
 * @param nodeHeartbeat how often a NodeManager reports, which is also how often it is given
 *     containers. An ApplicationMaster's own heartbeat is the application's choice
 * @param ownAddresses whether each NodeManager has a host of its own, 127.1.0.1, 127.1.0.2 and so
 *     on, as on a real cluster, so that applications can tell nodes apart by their hosts; else all
 *     are {@code localhost}. Linux answers to all of 127.0.0.0/8, other systems may not
 * @param hadoopSettings Hadoop properties that win over all others: for the daemons, and in the
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

  /** YARN's yarn.scheduler.minimum-allocation-mb here: what a container is rounded up to. */
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
   * Two NodeManagers of 4 GiB and 8 vcores, containers as large as a node, YARN's own heartbeat of
   * 1 s.
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

  /** Adds one Hadoop property to those already given. */
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

  /** Adds those Hadoop properties that are not given yet. */
  MiniClusterSpec withDefaults(Map<String, String> settings) {
    MiniClusterSpec all = this;
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      if (!hadoopSettings.containsKey(setting.getKey())) {
        all = all.with(setting.getKey(), setting.getValue());
      }
    }
    return all;
  }

  /** Not 127.0.0.x: some systems give addresses there the machine's name. */
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
