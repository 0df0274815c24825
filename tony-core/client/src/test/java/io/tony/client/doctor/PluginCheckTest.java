package io.tony.client.doctor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.input.SiteSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class PluginCheckTest {

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path plugin;
  private Path conf;
  private Path java;
  private Path hadoop;

  @Before
  public void makeAnInstallation() throws IOException {
    plugin = temporary.newFolder("plugin").toPath().toRealPath();
    conf = temporary.newFolder("conf").toPath().toRealPath();
    java = temporary.newFolder("jdk").toPath().toRealPath();
    hadoop = temporary.newFolder("hadoop").toPath().toRealPath();
    write(plugin.resolve("private.properties"), "jobtype.class=io.tony.azkaban.TonyJob");
    write(plugin.resolve("azkaban-jobtype-tony-1.jar"), "");
    write(plugin.resolve("lib/tony-core-1.jar"), "");
    write(conf.resolve("core-site.xml"), "<configuration/>");
    write(conf.resolve("yarn-site.xml"), "<configuration/>");
    write(java.resolve("bin/java"), "");
    assertTrue(java.resolve("bin/java").toFile().setExecutable(true));
    write(java.resolve("release"), "JAVA_VERSION=\"17.0.15\"");
    Files.createDirectories(hadoop.resolve("share/hadoop/common"));
    settings(java, hadoop, conf);
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text, StandardCharsets.UTF_8);
  }

  private void settings(Path javaHome, Path hadoopHome, Path confDir, String... others)
      throws IOException {
    write(
        plugin.resolve("plugin.properties"),
        String.join(
            "\n",
            "tony.client.java.home=" + javaHome,
            "hadoop.home=" + hadoopHome,
            "hadoop.conf.dir=" + confDir,
            "tony.yarn.queue=training",
            "tony.application.name=${flow.name}",
            String.join("\n", others)));
  }

  /** Moves the plugin's folder to where Azkaban has it; returns Azkaban's. */
  private Path installInAzkaban() throws IOException {
    Path azkaban = temporary.getRoot().toPath().toRealPath().resolve("azkaban");
    Path installed = azkaban.resolve("plugins/jobtypes/tony");
    Files.createDirectories(installed.getParent());
    Files.move(plugin, installed);
    plugin = installed;
    return azkaban;
  }

  /** As it is when the other checks read the same configuration. */
  private Finding look() throws IOException {
    Configuration hadoopConf = new Configuration(false);
    hadoopConf.setClassLoader(
        new java.net.URLClassLoader(new java.net.URL[] {conf.toUri().toURL()}, null));
    return PluginCheck.of(plugin).check(hadoopConf);
  }

  @Test
  public void shouldFindACompleteFolderInOrder() throws Exception {
    assertEquals(Finding.ok(plugin + " is complete"), look());
  }

  @Test
  public void shouldDoubtAUserThatAzkabanDoesNotCheck() throws Exception {
    Path azkaban = installInAzkaban();
    write(
        plugin.resolve("private.properties"),
        "jobtype.class=io.tony.azkaban.TonyJob\nazkaban.should.proxy.user=true");
    Path server = azkaban.resolve("conf/azkaban.properties");
    String doubt =
        "jobs run as user.to.proxy, and "
            + server
            + " has no proxy.user.lock.down=true, without which every project may name every user";

    assertTrue(look().toString(), look().toString().contains(doubt));
    write(server, "proxy.user.lock.down=false");
    assertTrue(look().toString(), look().toString().contains(doubt));
    write(plugin.resolve("private.properties"), "jobtype.class=io.tony.azkaban.TonyJob");
    assertEquals(Finding.ok(plugin + " is complete"), look());
    for (String shared : List.of("azkaban.should.proxy.user=true", "azkaban.should.proxy=true")) {
      write(plugin.resolveSibling("commonprivate.properties"), shared);
      assertTrue(look().toString(), look().toString().contains(doubt));
    }
    write(server, "proxy.user.lock.down=true");
    assertEquals(Finding.ok(plugin + " is complete"), look());
  }

  @Test
  public void shouldNameEverythingThatIsMissing() throws Exception {
    Files.delete(plugin.resolve("private.properties"));
    Files.delete(plugin.resolve("azkaban-jobtype-tony-1.jar"));
    Files.delete(plugin.resolve("lib/tony-core-1.jar"));
    Path nowhere = conf.resolve("nowhere");
    settings(nowhere, nowhere, nowhere);

    Finding finding = look();

    assertEquals(Finding.Verdict.FAILED, finding.verdict());
    for (String problem :
        List.of(
            "private.properties has no jobtype.class=io.tony.azkaban.TonyJob",
            plugin + " holds no azkaban-jobtype-tony-<version>.jar",
            plugin.resolve("lib") + " holds no tony-core-<version>.jar",
            "tony.client.java.home is " + nowhere + ", which has no bin/java",
            "hadoop.home is wrong: there is no " + nowhere + "/share/hadoop/common",
            "hadoop.conf.dir is wrong: there is no " + nowhere + "/yarn-site.xml")) {
      assertTrue(
          problem + " is missing in " + finding.observation(),
          finding.observation().contains(problem));
    }
  }

  @Test
  public void shouldSeeWhatAnUpgradeLeftBehind() throws Exception {
    write(plugin.resolve("lib/tony-core-2.jar"), "");

    assertEquals(
        plugin.resolve("lib") + " holds [tony-core-1.jar, tony-core-2.jar]: remove the older",
        look().observation());
  }

  @Test
  public void shouldRefuseAnOldJava() throws Exception {
    write(java.resolve("release"), "JAVA_VERSION=\"1.8.0_392\"");

    assertEquals(
        "tony.client.java.home is " + java + ", which is Java 1.8.0_392; the client needs 17",
        look().observation());
  }

  @Test
  public void shouldSayWhatCountsForSettingsThatAreLeftOut() throws Exception {
    write(plugin.resolve("plugin.properties"), "");

    Finding finding = look();

    assertEquals(Finding.Verdict.WARNING, finding.verdict());
    assertTrue(finding.observation().contains("hadoop.home is not set, so that HADOOP_HOME"));
  }

  @Test
  public void shouldSayWhenTheOtherChecksReadAnotherConfiguration() throws Exception {
    assertEquals(
        "hadoop.conf.dir is " + conf + ", and the other checks were made with no core-site.xml",
        PluginCheck.of(plugin).check(new Configuration(false)).observation());
  }

  @Test
  public void shouldTakeTheDefaultsThatNeedNoAzkaban() throws Exception {
    assertEquals(Map.of("tony.yarn.queue", "training"), PluginCheck.of(plugin).site().defaults());
  }

  @Test
  public void shouldTakeWhatTheAdministratorAllows() throws Exception {
    write(
        plugin.resolve("plugin.properties"),
        "tony.client.allowed-paths="
            + conf
            + ", /not/on/this/machine\n"
            + "tony.client.allowed-file-systems=hdfs://other:8020, s3a://*, models, file://*");

    SiteSettings site = PluginCheck.of(plugin).site();

    assertEquals(List.of(conf, Path.of("/not/on/this/machine")), site.folders());
    assertEquals(List.of("hdfs://other:8020", "s3a://*"), site.fileSystems());
    assertEquals(Map.of(), site.defaults());
    assertTold(
        "tony.client.allowed-file-systems names models, which is not SCHEME://HOST:PORT",
        "tony.client.allowed-file-systems names file://*, which is not");
  }

  @Test
  public void shouldWarnOfAnAllowedFolderThatThisMachineDoesNotHave() throws Exception {
    settings(java, hadoop, conf, "tony.client.allowed-paths=/not/here");
    assertEquals(Finding.Verdict.WARNING, look().verdict());
    assertTold("tony.client.allowed-paths names /not/here, which this machine does not have");

    for (String wrong : List.of("here", "/here:/there", java.resolve("bin/java").toString())) {
      settings(java, hadoop, conf, "tony.client.allowed-paths=" + wrong);
      assertEquals(Finding.Verdict.FAILED, look().verdict());
      assertTold("names " + wrong + ", which is not the absolute path of a folder");
    }
  }

  @Test
  public void shouldReadThePropertiesOfAllJobTypesAsAzkabanDoes() throws Exception {
    installInAzkaban();
    Path jobTypes = plugin.getParent();
    write(
        plugin.resolve("private.properties"),
        "jobtype.class=io.tony.azkaban.TonyJob\nhadoop.home=" + hadoop);
    write(jobTypes.resolve("commonprivate.properties"), "hadoop.home=/no\nbase=" + conf);
    write(
        jobTypes.resolve("common.properties"),
        "hadoop.conf.dir=/no\nbase=/no\ntony.yarn.queue=shared\ntony.am.memory=1g");
    write(
        plugin.resolve("plugin.properties"),
        "tony.client.java.home="
            + java
            + "\nhadoop.conf.dir=${base}\ntony.yarn.queue=training\ntony.application.name=${x}");

    assertEquals(Finding.ok(plugin + " is complete"), look());
    assertEquals(
        Map.of("tony.yarn.queue", "training", "tony.am.memory", "1g"),
        PluginCheck.of(plugin).site().defaults());
  }

  @Test
  public void shouldCheckEachClusterThatTheAdministratorNames() throws Exception {
    Path other = temporary.newFolder("other").toPath().toRealPath();
    write(other.resolve("core-site.xml"), "<configuration/>");
    settings(
        java,
        hadoop,
        conf,
        "tony.client.clusters=prod, gpu, g.pu, bare",
        "tony.client.cluster.prod.hadoop.conf.dir=" + conf,
        "tony.client.cluster.gpu.hadoop.conf.dir=" + other,
        "tony.client.cluster.gpu.hadoop.home=" + other,
        "tony.client.cluster.bare.classpath=/no/jars/*",
        "tony.client.cluster.gpus.projects=a");

    assertTold(
        "tony.client.cluster.gpu.hadoop.conf.dir is wrong: there is no " + other + "/yarn-site.xml",
        "tony.client.cluster.gpu.hadoop.home is wrong: there is no "
            + other
            + "/share/hadoop/common",
        "tony.client.clusters names 'g.pu': a cluster's name has letters",
        "tony.client.clusters names bare, and tony.client.cluster.bare.hadoop.conf.dir is not set",
        "no entry of tony.client.cluster.bare.classpath exists: /no/jars/*");

    settings(
        java,
        hadoop,
        conf,
        "tony.client.clusters=prod",
        "tony.client.cluster.prod.hadoop.conf.dir=" + conf,
        "tony.client.cluster.prod.projects=a",
        "tony.client.cluster.gpu.projects=a");
    assertTold(
        "tony.client.cluster.prod.projects needs azkaban.webserver.url in ",
        "tony.client.cluster.gpu.* has no effect: tony.client.clusters does not name gpu");

    settings(
        java,
        hadoop,
        conf,
        "tony.client.clusters=prod",
        "tony.client.cluster.prod.hadoop.conf.dir=" + conf);
    assertEquals(
        Finding.ok(
            plugin
                + " is complete; the clusters are prod, and the other checks were made with "
                + conf),
        look());
  }

  @Test
  public void shouldSayWhatAzkabansRouterNeeds() throws Exception {
    Path azkaban = installInAzkaban();
    Path server = azkaban.resolve("conf/azkaban.properties");
    write(server, "azkaban.cluster.router=com.example.Router");
    assertTold(
        "it does not choose for this job type: private.properties has no"
            + " jobtype.dependency.components");

    write(
        plugin.resolve("private.properties"),
        "jobtype.class=io.tony.azkaban.TonyJob\njobtype.dependency.components=hadoop");
    assertTold(
        server
            + " has no env.HADOOP_CONF_DIR in azkaban.plugin.load.override.props, without which"
            + " every step is refused");

    write(
        server,
        "azkaban.cluster.router=com.example.Router\n"
            + "azkaban.plugin.load.override.props=env.HADOOP_HOME, env.HADOOP_CONF_DIR");
    Path cluster = azkaban.resolve("cluster/second/cluster.properties");
    write(cluster, "hadoop.conf.dir=/c2");
    assertTold(cluster + " has no env.HADOOP_CONF_DIR, without which steps");

    write(cluster, "env.HADOOP_CONF_DIR=/c2");
    assertEquals(
        Finding.ok(
            plugin
                + " is complete; Azkaban's router chooses the cluster, and the other checks were"
                + " made with "
                + conf),
        look());
  }

  private void assertTold(String... expected) throws IOException {
    String found = look().observation();
    for (String problem : expected) {
      assertTrue(found, found.contains(problem));
    }
  }
}
