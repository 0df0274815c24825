package io.tony.azkaban;

import static org.junit.Assert.assertEquals;

import io.tony.mini.MiniClusterProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.rules.TemporaryFolder;

/**
 * The plugin's folder as this build packaged it, installed for the JobTypeManager of Azkaban
 * 3.58.0, and one real cluster for all tests of this JVM, which is idle before and after each.
 */
abstract class PackagedPluginTest {

  private static final Duration IDLE_WITHIN = Duration.ofMinutes(1);

  private static MiniClusterProcess cluster;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  final JobLog log = new JobLog();
  private InstalledPlugin plugin;

  /** It stops with this JVM. */
  static synchronized MiniClusterProcess cluster() throws IOException, InterruptedException {
    if (cluster == null) {
      cluster =
          MiniClusterProcess.start(
              Path.of(System.getProperty("tony.mini.jar")),
              Path.of(System.getProperty("tony.mini.lib")),
              Path.of("target", "mini"),
              "--node-heartbeat-ms",
              "200");
    }
    return cluster;
  }

  @Before
  public void install() throws Exception {
    assertEquals(List.of(), cluster().awaitIdle(IDLE_WITHIN));
    plugin =
        InstalledPlugin.installPackaged(
            folder.getRoot().toPath(),
            Path.of(System.getProperty("tony.plugin")),
            "tony.client.java.home=" + System.getProperty("java.home"),
            "hadoop.conf.dir=" + cluster().ready("conf"),
            "tony.client.classpath=" + cluster().ready("classpath"));
  }

  @After
  public void nothingIsLeft() throws Exception {
    assertEquals(List.of(), cluster().awaitIdle(IDLE_WITHIN));
  }

  /** Azkaban's folder of job types. */
  Path jobTypes() {
    return plugin.jobTypes();
  }
}
