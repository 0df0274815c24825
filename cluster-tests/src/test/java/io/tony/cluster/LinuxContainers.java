package io.tony.cluster;

import io.tony.testing.BuildArtifacts;
import io.tony.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.rules.ExternalResource;

/**
 * What makes a cluster's containers run as their submitters' own users of the operating system, as
 * on a cluster with Kerberos: YARN's LinuxContainerExecutor, with a stand-in for its native helper.
 * The helper is installed before the cluster starts, in a folder beside the cluster's own.
 */
final class LinuxContainers extends ExternalResource {
  /** The prefix of its settings. */
  static final String EXECUTOR = "yarn.nodemanager.linux-container-executor";

  private final Path folder;
  private final List<String> configuration =
      new ArrayList<>(
          List.of(EXECUTOR + ".group=root", "banned.users=hdfs,yarn,bin", "min.user.id=1000"));

  /**
   * For one cluster.
   *
   * @param cluster its name
   * @param more lines of the helper's configuration
   */
  LinuxContainers(String cluster, String... more) {
    this.folder = Path.of("target", cluster + "-helper").toAbsolutePath();
    this.configuration.addAll(List.of(more));
  }

  /** The options of the cluster, with more of Hadoop's settings, NAME=VALUE. */
  String[] options(String... more) {
    return TestCluster.settings(settings(more));
  }

  /** Hadoop's settings. */
  String[] settings(String... more) {
    List<String> settings =
        new ArrayList<>(
            List.of(
                "yarn.nodemanager.container-executor.class"
                    + "=org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor",
                EXECUTOR + ".path=" + helper(),
                EXECUTOR + ".group=root",
                // Without Kerberos YARN would run all containers as one user, if this did not
                // forbid it.
                EXECUTOR + ".nonsecure-mode.limit-users=false",
                // The localizer's JVM must leave no file in /tmp, where the tests look for files
                // that we leave.
                "yarn.nodemanager.container-localizer.java.opts=-Xmx256m -XX:-UsePerfData",
                // What the NodeManager itself has may be another Java, or nothing.
                "yarn.nodemanager.admin-env=JAVA_HOME=" + System.getProperty("java.home")));
    settings.addAll(List.of(more));
    return settings.toArray(String[]::new);
  }

  private Path helper() {
    return folder.resolve("bin/container-executor");
  }

  @Override
  protected void before() throws IOException {
    Files.createDirectories(helper().getParent());
    Files.deleteIfExists(helper());
    Files.createSymbolicLink(
        helper(), BuildArtifacts.file("src-test-resources/linux-containers/container-executor"));
    Path file = folder.resolve("etc/hadoop/container-executor.cfg");
    Files.createDirectories(file.getParent());
    Files.write(file, configuration);
  }
}
