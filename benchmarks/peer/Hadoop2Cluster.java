import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;

/**
 * HDFS and YARN with two NodeManagers of Hadoop 2 in this JVM, on the loopback interface: for
 * programs that Hadoop 3 does not run. Settings and files are those of tony-mini as far as they
 * matter to a benchmark. Runs until SIGTERM.
 *
 * <p>usage: Hadoop2Cluster DIR JARS NODE_MEMORY_MB NODE_VCORES
 */
public final class Hadoop2Cluster {

  private static final String ANY_PORT = "localhost:0";
  private static final int NODES = 2;

  public static void main(String[] args) throws Exception {
    Path root = Files.createDirectories(Path.of(args[0])).toRealPath();
    Path conf = Files.createDirectory(root.resolve("conf"));
    Configuration settings = settings(root, conf, args[1], args[2], args[3]);
    DefaultMetricsSystem.setMiniClusterMode(true);

    MiniDFSCluster hdfs =
        new MiniDFSCluster.Builder(settings, Files.createDirectory(root.resolve("hdfs")).toFile())
            .numDataNodes(1)
            .build();
    hdfs.waitClusterUp();
    settings.set("fs.defaultFS", hdfs.getURI().toString());
    try (FileSystem fs = FileSystem.newInstance(settings)) {
      org.apache.hadoop.fs.Path home =
          new org.apache.hadoop.fs.Path(
              "/user", UserGroupInformation.getCurrentUser().getShortUserName());
      fs.mkdirs(home);
    }

    // Hadoop keeps the scheduler's limits in statics; those of the defaults, where this is not done.
    ResourceUtils.resetResourceTypes(settings);
    ResourceManager resourceManager = new ResourceManager();
    resourceManager.init(settings);
    resourceManager.start();
    List<NodeManager> nodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      nodes.add(startNode(settings, root, i));
    }
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  nodes.forEach(NodeManager::stop);
                  resourceManager.stop();
                  hdfs.shutdown();
                }));
    write(settings, conf);
    while (resourceManager.getResourceScheduler().getNumClusterNodes() < NODES) {
      Thread.sleep(50);
    }
    Path written = root.resolve("ready.tmp");
    Files.writeString(written, "conf=" + conf + "\nclasspath=" + args[1] + "\n");
    Files.move(written, root.resolve("ready"), StandardCopyOption.ATOMIC_MOVE);
    new CountDownLatch(1).await();
  }

  private static Configuration settings(
      Path root, Path conf, String jars, String memory, String vcores) {
    Configuration settings = new YarnConfiguration();
    settings.set("hadoop.tmp.dir", root.resolve("tmp").toString());
    settings.set("dfs.replication", "1");
    settings.set("yarn.resourcemanager.hostname", "localhost");
    for (String service : List.of("", "admin.", "scheduler.", "resource-tracker.", "webapp.")) {
      settings.set("yarn.resourcemanager." + service + "address", ANY_PORT);
    }
    settings.set(
        "yarn.resourcemanager.scheduler.class",
        "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler");
    settings.set("yarn.scheduler.minimum-allocation-mb", "64");
    settings.set("yarn.scheduler.maximum-allocation-mb", memory);
    settings.set("yarn.scheduler.maximum-allocation-vcores", vcores);
    settings.set(
        "yarn.scheduler.capacity.resource-calculator",
        "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
    settings.set("yarn.scheduler.capacity.root.queues", "default");
    settings.set("yarn.scheduler.capacity.root.default.capacity", "100");
    settings.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.9");
    settings.set("yarn.nodemanager.resource.memory-mb", memory);
    settings.set("yarn.nodemanager.resource.cpu-vcores", vcores);
    settings.set("yarn.nodemanager.vmem-check-enabled", "false");
    settings.set("yarn.nodemanager.pmem-check-enabled", "false");
    settings.set(
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99.9");
    settings.set("yarn.nodemanager.env-whitelist", "JAVA_HOME,PATH,LANG,LC_ALL,TZ");
    settings.set("yarn.application.classpath", conf + "," + jars.replace(':', ','));
    return settings;
  }

  private static NodeManager startNode(Configuration settings, Path root, int index)
      throws IOException {
    Configuration own = new YarnConfiguration(settings);
    for (String service : List.of("", "localizer.", "webapp.")) {
      own.set("yarn.nodemanager." + service + "address", ANY_PORT);
    }
    Path node = root.resolve("yarn/nodes/" + index);
    own.set(
        "yarn.nodemanager.local-dirs", Files.createDirectories(node.resolve("local")).toString());
    own.set("yarn.nodemanager.log-dirs", Files.createDirectories(node.resolve("logs")).toString());
    NodeManager starting = new NodeManager();
    starting.init(own);
    starting.start();
    return starting;
  }

  /** For clients and containers. */
  private static void write(Configuration settings, Path conf) throws IOException {
    for (String prefix : List.of("", "dfs.", "yarn.")) {
      Configuration site = new Configuration(false);
      for (String name : List.of("fs.defaultFS", "hadoop.tmp.dir", "dfs.replication")) {
        if (name.startsWith("dfs.") ? prefix.equals("dfs.") : prefix.isEmpty()) {
          site.set(name, settings.get(name));
        }
      }
      if (prefix.equals("yarn.")) {
        settings.getPropsWithPrefix("yarn.resourcemanager.").forEach(
            (name, value) -> {
              if (name.endsWith("address") || name.equals("hostname")) {
                site.set("yarn.resourcemanager." + name, value);
              }
            });
        site.set("yarn.application.classpath", settings.get("yarn.application.classpath"));
        site.set("yarn.scheduler.minimum-allocation-mb", "64");
      }
      String file = prefix.isEmpty() ? "core" : prefix.equals("dfs.") ? "hdfs" : "yarn";
      try (OutputStream out = Files.newOutputStream(conf.resolve(file + "-site.xml"))) {
        site.writeXml(out);
      }
    }
    Files.writeString(
        conf.resolve("log4j.properties"),
        """
        log4j.rootLogger=WARN,console
        log4j.appender.console=org.apache.log4j.ConsoleAppender
        log4j.appender.console.target=System.err
        log4j.appender.console.layout=org.apache.log4j.PatternLayout
        log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
        log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
        """);
  }
}
