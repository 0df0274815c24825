package io.tony.testing;

import io.tony.mini.MiniClusterProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Starts clusters for tests, as separate processes that end with this JVM. */
public final class TestCluster {
  /** Heartbeat of nodes in tests: a fifth of the default, so that tests wait less. */
  public static final Duration NODE_HEARTBEAT = Duration.ofMillis(200);

  private static final String HEARTBEAT_OPTION = "--node-heartbeat-ms";

  private TestCluster() {}

  /**
   * Starts a cluster in {@code target/<name>} of the module.
   *
   * @param options of {@link io.tony.mini.TonyMini}
   */
  public static MiniClusterProcess start(String name, String... options)
      throws IOException, InterruptedException {
    return start(name, BuildArtifacts.hadoopJars(), options);
  }

  /** Starts a cluster on the jars of another Hadoop. */
  public static MiniClusterProcess start(String name, Path hadoopJars, String... options)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(options));
    if (!all.contains(HEARTBEAT_OPTION)) {
      all.addAll(List.of(HEARTBEAT_OPTION, Long.toString(NODE_HEARTBEAT.toMillis())));
    }
    return MiniClusterProcess.start(
        BuildArtifacts.miniJar(), hadoopJars, Path.of("target", name), all.toArray(String[]::new));
  }

  /** Returns options of a cluster that set these Hadoop properties, NAME=VALUE. */
  public static String[] settings(String... settings) {
    List<String> options = new ArrayList<>();
    for (String setting : settings) {
      options.addAll(List.of("--set", setting));
    }
    return options.toArray(String[]::new);
  }
}
