package io.tony.mini;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.log4j.Logger;

/**
 * The command that runs a {@link MiniCluster} in its own process. It prints the cluster's
 * addresses, writes the file {@code DIR/ready} when the cluster accepts work, and runs until
 * SIGTERM or SIGINT. Exit codes: 2 for an invalid command line, 1 if the cluster did not start,
 * otherwise 128 plus the signal's number.
 */
public final class TonyMini {

  private static final String LOCALIZER = YarnConfiguration.NM_CONTAINER_LOCALIZER_JAVA_OPTS_KEY;

  static final String RESTART_RESOURCE_MANAGER = "restart-resourcemanager";
  static final String FAIL_OVER_RESOURCE_MANAGER = "fail-over-resourcemanager";
  static final String FAIL_OVER_NAME_NODE = "fail-over-namenode";

  private static final int FAILED = 1;
  private static final int BAD_COMMAND_LINE = 2;
  private static final long STOP_SECONDS = 60;

  private TonyMini() {}

  public static void main(String[] args) throws InterruptedException {
    try {
      run(TonyMiniOptions.parse(args));
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.err.print(TonyMiniOptions.USAGE);
      System.exit(BAD_COMMAND_LINE);
    } catch (IOException | RuntimeException e) {
      System.err.println(e.getMessage() == null ? e.toString() : e.getMessage());
      System.exit(FAILED);
    }
  }

  private static void run(TonyMiniOptions options) throws IOException, InterruptedException {
    // Log the exception by which a thread of a daemon dies, for example because Hadoop stops at the
    // same time as the JVM.
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, e) ->
            Logger.getLogger(TonyMini.class).error("Thread " + thread.getName() + " died", e));
    ClusterFolder folder = ClusterFolder.claim(options.dir());
    Optional<Kdc> kdc = Optional.empty();
    MiniClusterSpec spec = options.spec();
    if (options.highAvailability()) {
      spec = spec.withDefaults(HighAvailability.settings());
    }
    if (!options.kerberosUsers().isEmpty()) {
      kdc = Optional.of(Kdc.start(folder.kdc(), options.kerberosUsers()));
      spec = secure(kdc.get(), folder, spec);
    }
    MiniCluster cluster =
        MiniCluster.start(
            folder, spec, options.hadoopClasspath().orElseGet(HadoopClasspath::ofThisJvm));
    for (String user : options.kerberosUsers()) {
      cluster.makeHome(user);
    }
    // This hook has a priority with which it runs before Hadoop's own hook, which closes the file
    // systems that the daemons use.
    ShutdownHookManager.get()
        .addShutdownHook(
            () -> stop(cluster),
            FileSystem.SHUTDOWN_HOOK_PRIORITY + 1,
            STOP_SECONDS,
            TimeUnit.SECONDS);
    String hdfs = cluster.configuration().get(CommonConfigurationKeys.FS_DEFAULT_NAME_KEY);
    System.out.println("HDFS                " + hdfs);
    System.out.println("NameNode            " + cluster.nameNodeHttp());
    System.out.println("ResourceManager     " + cluster.resourceManagerHttp());
    System.out.println("HADOOP_CONF_DIR     " + cluster.confDir());
    // This comes last, because a process that waits for the ready file may stop this process
    // immediately.
    announce(cluster, kdc);
    processCommands(cluster, kdc);
    new CountDownLatch(1).await();
  }

  /**
   * Executes the commands that the parent process sends to standard input in tests, and prints a
   * line after each. Returns at the end of the input or when a command fails.
   */
  private static void processCommands(MiniCluster cluster, Optional<Kdc> kdc)
      throws InterruptedException {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        switch (line) {
          case RESTART_RESOURCE_MANAGER -> cluster.restartResourceManager();
          case FAIL_OVER_RESOURCE_MANAGER -> cluster.failOverResourceManager();
          case FAIL_OVER_NAME_NODE -> cluster.failOverNameNode();
          default -> throw new IllegalArgumentException("'" + line + "' is no command");
        }
        announce(cluster, kdc);
        System.out.println(line + ": done");
      }
    } catch (IOException | TimeoutException | RuntimeException e) {
      System.err.println("tony-mini takes no commands any more: " + e);
    }
  }

  /**
   * Prepares this JVM for a secure cluster, and returns the cluster's size and settings with those
   * for Kerberos. Some parts of Hadoop read the configuration from the class path and ignore the
   * daemon's own, so a folder with the configuration is added to the class path, as on a real node.
   */
  private static MiniClusterSpec secure(Kdc kdc, ClusterFolder folder, MiniClusterSpec spec)
      throws IOException {
    MiniClusterSpec secured =
        spec.withDefaults(kdc.settings()).with(LOCALIZER, localizer(kdc, spec));
    ConfDir.writeSite(folder.site(), secured.hadoopSettings());
    Thread main = Thread.currentThread();
    main.setContextClassLoader(
        new URLClassLoader(
            new URL[] {folder.site().toUri().toURL()}, main.getContextClassLoader()));
    // A NodeManager starts the processes that download the files of containers (localizers) with
    // this class path.
    String classPath = System.getProperty("java.class.path");
    System.setProperty("java.class.path", folder.site() + File.pathSeparator + classPath);
    kdc.logIn();
    return secured;
  }

  /**
   * Returns the JVM options of localizers, the processes that download the files of containers.
   * They include the Kerberos configuration, because localizers do not inherit this JVM's system
   * properties.
   */
  private static String localizer(Kdc kdc, MiniClusterSpec spec) {
    return spec.hadoopSettings()
            .getOrDefault(LOCALIZER, YarnConfiguration.NM_CONTAINER_LOCALIZER_JAVA_OPTS_DEFAULT)
        + " -Djava.security.krb5.conf="
        + kdc.krb5Conf();
  }

  private static void announce(MiniCluster cluster, Optional<Kdc> kdc) throws IOException {
    Configuration conf = cluster.configuration();
    Map<String, String> ready = new LinkedHashMap<>();
    ready.put("pid", Long.toString(ProcessHandle.current().pid()));
    ready.put("user", UserGroupInformation.getCurrentUser().getShortUserName());
    ready.put("fs.default", conf.get(CommonConfigurationKeys.FS_DEFAULT_NAME_KEY));
    if (HighAvailability.isEnabled(conf)) {
      ready.put("fs.other", HighAvailability.otherHdfs(conf));
    }
    ready.put("namenode.http", cluster.nameNodeHttp());
    ready.put("resourcemanager.http", cluster.resourceManagerHttp());
    ready.put("conf", cluster.confDir().toString());
    ready.put("classpath", cluster.hadoopClasspath());
    kdc.ifPresent(server -> ready.put("krb5.conf", server.krb5Conf().toString()));
    Path file = cluster.folder().ready();
    Path written = file.resolveSibling("ready.tmp");
    Files.write(written, ready.entrySet().stream().map(TonyMini::line).toList());
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Formats a line of the ready file. {@code Properties.store} is not used, because it escapes each
   * colon, and shell scripts also read the file.
   */
  private static String line(Map.Entry<String, String> property) {
    return property.getKey() + "=" + property.getValue().replace("\\", "\\\\");
  }

  private static void stop(MiniCluster cluster) {
    try {
      cluster.close();
    } catch (IOException e) {
      System.err.println("tony-mini did not stop cleanly: " + e);
    }
  }
}
