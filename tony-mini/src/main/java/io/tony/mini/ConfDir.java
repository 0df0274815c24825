package io.tony.mini;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Writes and reads a folder of configuration files, which clients and containers put on their class
 * path (HADOOP_CONF_DIR).
 */
final class ConfDir {

  /**
   * The properties with a ResourceManager's addresses. If there are two ResourceManagers, each name
   * is followed by a dot and the ResourceManager's id.
   */
  static final List<String> RESOURCE_MANAGER_ADDRESSES =
      List.of(
          YarnConfiguration.RM_ADDRESS,
          YarnConfiguration.RM_ADMIN_ADDRESS,
          YarnConfiguration.RM_SCHEDULER_ADDRESS,
          YarnConfiguration.RM_RESOURCE_TRACKER_ADDRESS,
          YarnConfiguration.RM_WEBAPP_ADDRESS);

  private static final List<String> FOR_CLIENTS =
      List.of(
          CommonConfigurationKeys.FS_DEFAULT_NAME_KEY,
          CommonConfigurationKeys.HADOOP_TMP_DIR,
          DFSConfigKeys.DFS_REPLICATION_KEY,
          YarnConfiguration.RESOURCEMANAGER_CONNECT_MAX_WAIT_MS,
          YarnConfiguration.RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS,
          YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB,
          YarnConfiguration.RM_SCHEDULER_MAXIMUM_ALLOCATION_MB,
          YarnConfiguration.RM_SCHEDULER_MAXIMUM_ALLOCATION_VCORES,
          YarnConfiguration.LOG_AGGREGATION_ENABLED,
          YarnConfiguration.YARN_APPLICATION_CLASSPATH);

  /**
   * Content of log4j.properties. The level can be overridden with
   * -Dhadoop.root.logger=INFO,console, as in Hadoop's own file.
   */
  private static final String LOG4J =
      """
      hadoop.root.logger=WARN,console
      log4j.rootLogger=${hadoop.root.logger}
      log4j.appender.console=org.apache.log4j.ConsoleAppender
      log4j.appender.console.target=System.err
      log4j.appender.console.layout=org.apache.log4j.PatternLayout
      log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
      # Says on every start that Hadoop's native code is not installed.
      log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
      """;

  private ConfDir() {}

  /**
   * Writes the configuration files of clients and containers.
   *
   * @param dir the folder of the files
   * @param daemons the configuration of the running daemons, with the ports on which they listen
   * @param extra additional properties for the files
   */
  static void write(Path dir, Configuration daemons, Map<String, String> extra) throws IOException {
    Configuration core = new Configuration(false);
    Configuration hdfs = new Configuration(false);
    Configuration yarn = new Configuration(false);
    Configuration types = new Configuration(false);
    List<String> names = new ArrayList<>(FOR_CLIENTS);
    if (!HighAvailability.isEnabled(daemons)) {
      names.add(YarnConfiguration.RM_HOSTNAME);
      names.addAll(RESOURCE_MANAGER_ADDRESSES);
    }
    for (String name : names) {
      fileOf(name, core, hdfs, yarn, types).set(name, daemons.get(name));
    }
    extra.forEach((name, value) -> fileOf(name, core, hdfs, yarn, types).set(name, value));
    write(core, dir.resolve("core-site.xml"));
    write(hdfs, dir.resolve("hdfs-site.xml"));
    write(yarn, dir.resolve("yarn-site.xml"));
    if (types.size() > 0) {
      write(types, dir.resolve(YarnConfiguration.RESOURCE_TYPES_CONFIGURATION_FILE));
    }
    Files.writeString(dir.resolve("log4j.properties"), LOG4J);
  }

  /** Writes a core-site.xml with these properties, which the daemons find on their class path. */
  static void writeSite(Path dir, Map<String, String> settings) throws IOException {
    Configuration core = new Configuration(false);
    settings.forEach(core::set);
    write(core, dir.resolve("core-site.xml"));
  }

  static Configuration read(Path dir) {
    Configuration conf = new YarnConfiguration();
    for (String file : List.of("core-site.xml", "hdfs-site.xml", "yarn-site.xml")) {
      conf.addResource(new org.apache.hadoop.fs.Path(dir.resolve(file).toUri()));
    }
    return conf;
  }

  private static Configuration fileOf(
      String name,
      Configuration core,
      Configuration hdfs,
      Configuration yarn,
      Configuration types) {
    if (name.startsWith(YarnConfiguration.RESOURCE_TYPES)) {
      return types;
    }
    if (name.startsWith("yarn.")) {
      return yarn;
    }
    return name.startsWith("dfs.") ? hdfs : core;
  }

  private static void write(Configuration conf, Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      conf.writeXml(out);
    }
  }
}
