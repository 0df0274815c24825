package io.tony.testing;

import io.tony.mini.MiniClusterProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Starts clusters for tests, each in a separate process that is stopped when this JVM ends. */
public final class TestCluster {
  /**
   * How often nodes report to the ResourceManager in tests; a fifth of YARN's default, so that
   * tests wait less.
   */
  public static final Duration NODE_HEARTBEAT = Duration.ofMillis(200);

  private static final String HEARTBEAT_OPTION = "--node-heartbeat-ms";

  private TestCluster() {}

  /**
   * Starts a cluster with the Hadoop of this build.
   *
   * @param name the cluster's folder is {@code target/<name>} in the folder of the module
   * @param options of the command {@link io.tony.mini.TonyMini}
   */
  public static MiniClusterProcess start(String name, String... options)
      throws IOException, InterruptedException {
    return start(name, BuildArtifacts.hadoopJars(), options);
  }

  /**
   * Starts a cluster with another Hadoop.
   *
   * @param hadoopJars the folder of that Hadoop's jars
   */
  public static MiniClusterProcess start(String name, Path hadoopJars, String... options)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(options));
    if (!all.contains(HEARTBEAT_OPTION)) {
      all.addAll(List.of(HEARTBEAT_OPTION, Long.toString(NODE_HEARTBEAT.toMillis())));
    }
    return MiniClusterProcess.start(
        BuildArtifacts.miniJar(), hadoopJars, Path.of("target", name), all.toArray(String[]::new));
  }

  /**
   * Returns the options for {@link #start} that set these Hadoop properties.
   *
   * @param settings each as NAME=VALUE
   */
  public static String[] settings(String... settings) {
    List<String> options = new ArrayList<>();
    for (String setting : settings) {
      options.addAll(List.of("--set", setting));
    }
    return options.toArray(String[]::new);
  }
}
