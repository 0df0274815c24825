package io.tony.mini;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.FileSystemRMStateStore;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.util.resource.DominantResourceCalculator;

/**
 * The configuration of a cluster's daemons. Properties that are not set here have the values in
 * yarn-default.xml and hdfs-default.xml.
 */
final class DaemonSettings {

  static final String HOST = "localhost";
  private static final String SCHEDULER = "yarn.scheduler.capacity.";

  private DaemonSettings() {}

  static Configuration of(MiniClusterSpec spec, ClusterFolder folder, String hadoopClasspath) {
    Configuration conf = new YarnConfiguration();
    conf.set(CommonConfigurationKeys.HADOOP_TMP_DIR, folder.tmp().toString());
    conf.setInt(DFSConfigKeys.DFS_REPLICATION_KEY, 1);
    // A DataNode of Hadoop 3.4 forgets a block that is opened while the block is being closed
    // (HDFS-17342), and in this cluster each block has only one replica. The DataNode finds the
    // block again when it scans its folders, which it does at this interval (s).
    conf.setInt(DFSConfigKeys.DFS_DATANODE_DIRECTORYSCAN_INTERVAL_KEY, 2);
    resourceManager(conf, folder);
    scheduler(conf, spec);
    nodeManagers(conf, spec);
    conf.set(
        YarnConfiguration.YARN_APPLICATION_CLASSPATH,
        folder.conf() + "," + hadoopClasspath.replace(':', ','));
    spec.hadoopSettings().forEach(conf::set);
    return conf;
  }

  private static void resourceManager(Configuration conf, ClusterFolder folder) {
    conf.set(YarnConfiguration.RM_HOSTNAME, HOST);
    // YARN's default is to wait up to 15 minutes for the ResourceManager and to try every 30 s.
    // That is meant for machines that boot, and is too slow for this cluster.
    conf.setLong(YarnConfiguration.RESOURCEMANAGER_CONNECT_MAX_WAIT_MS, 60_000);
    conf.setLong(YarnConfiguration.RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS, 500);
    // A restarted ResourceManager recovers its applications and keeps their containers.
    conf.setBoolean(YarnConfiguration.RECOVERY_ENABLED, true);
    conf.setBoolean(YarnConfiguration.RM_WORK_PRESERVING_RECOVERY_ENABLED, true);
    conf.setLong(YarnConfiguration.RM_WORK_PRESERVING_RECOVERY_SCHEDULING_WAIT_MS, 1_000);
    conf.set(YarnConfiguration.RM_STORE, FileSystemRMStateStore.class.getName());
    conf.set(
        YarnConfiguration.FS_RM_STATE_STORE_URI,
        folder.yarn().resolve("rm-state").toUri().toString());
    // These folders are used only if the cluster's additional properties enable node labels.
    conf.set(
        YarnConfiguration.FS_NODE_LABELS_STORE_ROOT_DIR,
        folder.yarn().resolve("node-labels").toUri().toString());
    conf.set(
        YarnConfiguration.FS_NODE_ATTRIBUTE_STORE_ROOT_DIR,
        folder.yarn().resolve("node-attributes").toUri().toString());
  }

  private static void scheduler(Configuration conf, MiniClusterSpec spec) {
    conf.set(YarnConfiguration.RM_SCHEDULER, CapacityScheduler.class.getName());
    conf.setInt(
        YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB,
        MiniClusterSpec.MIN_CONTAINER_MEMORY_MIB);
    conf.setInt(YarnConfiguration.RM_SCHEDULER_MAXIMUM_ALLOCATION_MB, spec.largestContainerMiB());
    conf.setInt(YarnConfiguration.RM_SCHEDULER_MAXIMUM_ALLOCATION_VCORES, spec.nodeVcores());
    // YARN's default calculator counts only memory; this one also counts vcores and GPUs.
    conf.set(SCHEDULER + "resource-calculator", DominantResourceCalculator.class.getName());
    conf.set(SCHEDULER + "root.queues", "default");
    conf.set(SCHEDULER + "root.default.capacity", "100");
    conf.set(SCHEDULER + "root.default.user-limit-factor", "1");
    // With YARN's default of 0.1, a cluster of this size can run only one application at a time.
    conf.set(SCHEDULER + "maximum-am-resource-percent", "0.9");
    conf.setLong(YarnConfiguration.RM_NM_HEARTBEAT_INTERVAL_MS, spec.nodeHeartbeat().toMillis());
  }

  private static void nodeManagers(Configuration conf, MiniClusterSpec spec) {
    conf.setInt(YarnConfiguration.NM_PMEM_MB, spec.nodeMemoryMiB());
    conf.setInt(YarnConfiguration.NM_VCORES, spec.nodeVcores());
    // Virtual memory is not checked, because a JVM's address space is much larger than the memory
    // that it uses. Physical memory is not checked either, as on any cluster with the defaults of
    // Hadoop 3.4: YARN leaves this check to cgroups, which need root, unless
    // yarn.nodemanager.resource.memory.enforced=false.
    conf.setBoolean(YarnConfiguration.NM_VMEM_CHECK_ENABLED, false);
    // A NodeManager normally stops using a disk that is 90 % full, and a developer's disk may be
    // fuller.
    conf.set(YarnConfiguration.NM_MAX_PER_DISK_UTILIZATION_PERCENTAGE, "99.9");
    // When an application ends, its working directories are deleted; its logs stay on the node and
    // can be read.
    conf.setLong(YarnConfiguration.DEBUG_NM_DELETE_DELAY_SEC, 0);
    conf.setBoolean(YarnConfiguration.LOG_AGGREGATION_ENABLED, false);
    conf.set(YarnConfiguration.NM_CONTAINER_EXECUTOR, JvmContainerExecutor.class.getName());
    // HADOOP_CONF_DIR and similar variables are not passed on to containers: on this machine, they
    // may refer to another Hadoop.
    conf.set(YarnConfiguration.NM_ENV_WHITELIST, "JAVA_HOME,PATH,LANG,LC_ALL,TZ");
  }
}
