package io.tony.azkaban;

import io.tony.mini.MiniClusterProcess;
import io.tony.testing.InstalledJobType;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.Before;
import org.junit.Rule;
import org.junit.rules.TemporaryFolder;

/**
 * The plugin's folder as this build packaged it, installed for the JobTypeManager of Azkaban
 * 3.58.0, and one real cluster for all tests of this JVM, which is idle before and after each.
 */
abstract class PackagedPluginTest {
  private static MiniClusterProcess cluster;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = LeavesNothing.on(PackagedPluginTest::cluster);

  final JobLog log = new JobLog();
  private InstalledJobType plugin;

  /** It stops with this JVM. */
  static synchronized MiniClusterProcess cluster() throws IOException, InterruptedException {
    if (cluster == null) {
      cluster = TestCluster.start("mini");
    }
    return cluster;
  }

  /** Into a folder whose name has a blank, which needs care. */
  @Before
  public void install() throws Exception {
    plugin = InstalledJobType.install(folder.getRoot().toPath().resolve("job types"), cluster());
  }

  /** Azkaban's folder of job types. */
  Path jobTypes() {
    return plugin.jobTypes();
  }
}
