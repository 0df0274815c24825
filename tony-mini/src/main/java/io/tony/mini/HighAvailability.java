package io.tony.mini;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.yarn.conf.HAUtil;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * Settings for a cluster with two NameNodes under one logical name, two ResourceManagers, and a
 * second HDFS that has one NameNode and uses the same DataNode. One daemon of each pair is active,
 * and failover is manual, as Hadoop's documents "HDFS High Availability" and "ResourceManager High
 * Availability" describe it.
 */
final class HighAvailability {
  /** The logical name of the HDFS with two NameNodes. */
  static final String NAME_SERVICE = "mini";

  /**
   * The name of the second HDFS in Hadoop's settings. Clients do not use this name; they use the
   * address of the second HDFS's NameNode.
   */
  private static final String OTHER_NAME_SERVICE = "other";

  private static final List<String> NAME_NODES = List.of("nn1", "nn2");
  private static final List<String> RESOURCE_MANAGERS = List.of("rm1", "rm2");

  private HighAvailability() {}

  /**
   * Returns the properties with the names and addresses of all these daemons, for the daemons and
   * their clients. Reserves the ports.
   */
  static Map<String, String> settings() throws IOException {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put(CommonConfigurationKeys.FS_DEFAULT_NAME_KEY, "hdfs://" + NAME_SERVICE);
    settings.put(DFSConfigKeys.DFS_NAMESERVICES, NAME_SERVICE + "," + OTHER_NAME_SERVICE);
    settings.put(
        DFSConfigKeys.DFS_HA_NAMENODES_KEY_PREFIX + "." + NAME_SERVICE,
        String.join(",", NAME_NODES));
    settings.put(
        HdfsClientConfigKeys.Failover.PROXY_PROVIDER_KEY_PREFIX + "." + NAME_SERVICE,
        ConfiguredFailoverProxyProvider.class.getName());
    for (String id : NAME_NODES) {
      addNameNode(settings, NAME_SERVICE + "." + id);
    }
    addNameNode(settings, OTHER_NAME_SERVICE);
    settings.put(YarnConfiguration.RM_HA_ENABLED, "true");
    settings.put(YarnConfiguration.AUTO_FAILOVER_ENABLED, "false");
    settings.put(YarnConfiguration.RM_CLUSTER_ID, NAME_SERVICE);
    settings.put(YarnConfiguration.RM_HA_IDS, String.join(",", RESOURCE_MANAGERS));
    for (String id : RESOURCE_MANAGERS) {
      settings.put(HAUtil.addSuffix(YarnConfiguration.RM_HOSTNAME, id), DaemonSettings.HOST);
      for (String address : ConfDir.RESOURCE_MANAGER_ADDRESSES) {
        settings.put(HAUtil.addSuffix(address, id), Ports.nextAddress());
      }
    }
    return settings;
  }

  private static void addNameNode(Map<String, String> settings, String suffix) throws IOException {
    for (String address :
        List.of(
            DFSConfigKeys.DFS_NAMENODE_RPC_ADDRESS_KEY,
            DFSConfigKeys.DFS_NAMENODE_HTTP_ADDRESS_KEY)) {
      settings.put(address + "." + suffix, Ports.nextAddress());
    }
  }

  /** Returns true if these settings are for pairs of daemons. */
  static boolean isEnabled(Configuration conf) {
    return HAUtil.isHAEnabled(conf);
  }

  /**
   * Returns the topology for Hadoop's MiniDFSCluster: the second HDFS first, then the two NameNodes
   * of the pair. In the other order, the second HDFS would start with the settings of the pair.
   */
  static MiniDFSNNTopology nameNodes(Configuration conf) {
    MiniDFSNNTopology.NSConf pair = new MiniDFSNNTopology.NSConf(NAME_SERVICE);
    for (String id : NAME_NODES) {
      pair.addNN(nameNode(conf, id, NAME_SERVICE + "." + id));
    }
    return new MiniDFSNNTopology()
        .setFederation(true)
        .addNameservice(
            new MiniDFSNNTopology.NSConf(OTHER_NAME_SERVICE)
                .addNN(nameNode(conf, null, OTHER_NAME_SERVICE)))
        .addNameservice(pair);
  }

  private static MiniDFSNNTopology.NNConf nameNode(
      Configuration conf, @Nullable String id, String suffix) {
    return new MiniDFSNNTopology.NNConf(id)
        .setIpcPort(port(conf, DFSConfigKeys.DFS_NAMENODE_RPC_ADDRESS_KEY + "." + suffix))
        .setHttpPort(port(conf, DFSConfigKeys.DFS_NAMENODE_HTTP_ADDRESS_KEY + "." + suffix));
  }

  private static int port(Configuration conf, String address) {
    return NetUtils.createSocketAddr(conf.get(address)).getPort();
  }

  /** Returns the configuration of each ResourceManager. The first one is active at the start. */
  static List<Configuration> resourceManagers(Configuration conf) {
    List<Configuration> each = RESOURCE_MANAGERS.stream().map(id -> withId(conf, id)).toList();
    String provider = InMemoryConfigurationProvider.class.getName();
    each.forEach(own -> own.set(YarnConfiguration.RM_CONFIGURATION_PROVIDER_CLASS, provider));
    return each;
  }

  private static Configuration withId(Configuration conf, String id) {
    Configuration own = new YarnConfiguration(conf);
    own.set(YarnConfiguration.RM_HA_ID, id);
    return own;
  }

  /**
   * Returns the configuration of the NodeManagers. If there are two ResourceManagers, it names the
   * first one: a NodeManager's web pages link to a ResourceManager, and if both run on the
   * NodeManager's own machine, it cannot choose one itself.
   */
  static Configuration ofNodes(Configuration conf) {
    return isEnabled(conf) ? withId(conf, RESOURCE_MANAGERS.get(0)) : conf;
  }

  /** Returns the address of the second HDFS, for clients. */
  static String otherHdfs(Configuration conf) {
    return "hdfs://"
        + conf.get(DFSConfigKeys.DFS_NAMENODE_RPC_ADDRESS_KEY + "." + OTHER_NAME_SERVICE);
  }
}
