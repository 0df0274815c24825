package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;

import azkaban.utils.Props;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public final class SetupCheckTest {

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private Path root;
  private Path plugin;

  @Before
  public void makeFolders() throws IOException {
    root = folder.getRoot().toPath();
    plugin = Files.createDirectories(root.resolve("tony"));
  }

  @Test
  public void shouldReportEveryProblemWithItsRemedyAtOnce() throws Exception {
    Path oldJava = java("jdk8", "1.8.0_392");
    write("tony.client.java.home=" + oldJava, "hadoop.home=" + root, "hadoop.conf.dir=/no/such");

    String settings = plugin.resolve("plugin.properties").toString();
    assertEquals(
        """
        TonY's job type is not set up on this Azkaban executor:
          - tony.client.java.home is %1$s, which is Java 1.8.0_392; the client needs 17. Set \
        tony.client.java.home in %2$s to the home of a JDK 17 or newer.
          - Hadoop's configuration /no/such is not a folder. Set hadoop.conf.dir in %2$s to the \
        folder of the cluster's core-site.xml and yarn-site.xml.
          - %3$s/lib holds no tony-core-<version>.jar. Copy the whole plugin folder, with lib/, \
        from TonY's distribution.
          - Hadoop's home %4$s has no share/hadoop/common. Set hadoop.home in %2$s to Hadoop's \
        folder, the one with share/hadoop; where its jars lie elsewhere, set \
        tony.client.classpath to the output of `hadoop classpath`."""
            .formatted(oldJava, settings, plugin, root),
        problems(Map.of()));
  }

  @Test
  public void shouldReportWhatIsNotSetAtAll() throws Exception {
    write("tony.client.java.home=/no/java", "hadoop.home= ");

    String problems = problems(Map.of());

    for (String part :
        List.of(
            "tony.client.java.home is /no/java, which has no bin/java.",
            "Neither hadoop.conf.dir nor HADOOP_CONF_DIR is set.",
            "Neither hadoop.home nor HADOOP_HOME is set.")) {
      assertEquals(problems, true, problems.contains(part));
    }
  }

  @Test
  public void shouldReportAClassPathOfNothing() throws Exception {
    write("tony.client.classpath=/no/a.jar:/no/lib/*");

    String problems = problems(Map.of());

    assertEquals(
        problems,
        true,
        problems.contains("No entry of tony.client.classpath exists: /no/a.jar:/no/lib/*"));
  }

  @Test
  public void shouldBuildTheClassPathOfHadoopsHome() throws Exception {
    Path hadoop = Files.createDirectories(root.resolve("hadoop"));
    Files.createDirectories(hadoop.resolve("share/hadoop/common"));
    Files.createDirectories(hadoop.resolve("etc/hadoop"));
    installLib();

    ProcessBuilder command = check(Map.of("HADOOP_HOME", hadoop.toString()));

    List<String> entries =
        List.of(command.environment().get("CLASSPATH").split(File.pathSeparator, -1));
    String share = hadoop + "/share/hadoop/";
    assertEquals(
        List.of(
            plugin + "/lib/other.jar",
            plugin + "/lib/tony-core-1.jar",
            share + "common/*",
            share + "common/lib/*",
            share + "hdfs/*",
            share + "hdfs/lib/*",
            share + "yarn/*",
            share + "yarn/lib/*",
            share + "mapreduce/*",
            share + "mapreduce/lib/*",
            hadoop + "/etc/hadoop"),
        entries);
    assertEquals(hadoop + "/etc/hadoop", command.environment().get("HADOOP_CONF_DIR"));
  }

  @Test
  public void shouldPutOnlyOptionsAndArgumentsIntoTheCommandLine() throws Exception {
    installLib();
    Path java = java("jdk21", "21");
    write(
        "base=" + root,
        "hadoop.conf.dir=${base}/tony",
        "tony.client.classpath=" + root,
        "tony.client.java.home=" + java,
        "tony.client.jvm.args= -Xmx200m  -XX:+UseG1GC");

    ProcessBuilder command = check(Map.of());

    assertEquals(
        List.of(
            java + "/bin/java",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "-Dfile.encoding=UTF-8",
            "-Dstdout.encoding=UTF-8",
            "-Dstderr.encoding=UTF-8",
            "-Xmx200m",
            "-XX:+UseG1GC",
            "io.tony.client.TonyCli",
            "kill",
            "an argument"),
        command.command());
    assertEquals(plugin.toString(), command.environment().get("HADOOP_CONF_DIR"));
  }

  @Test
  public void shouldTakeSettingsFromThePrivatePropertiesOfAllPlugins() throws Exception {
    installLib();

    ProcessBuilder command =
        SetupCheck.check(
                plugin.toFile(),
                SiteProperties.read(
                    plugin.toFile(),
                    Props.of("hadoop.conf.dir", root.toString(), "tony.client.classpath", "/")),
                Map.of())
            .command(root.toFile(), Map.of("HADOOP_CONF_DIR", "the job's"), List.of());

    assertEquals(root.toString(), command.environment().get("HADOOP_CONF_DIR"));
  }

  @Test
  public void shouldKeepTheClassesOfTheClientInTheUsersHomeUnlessTheAdministratorSaysOtherwise()
      throws Exception {
    installLib();
    Map<String, String> environment = Map.of("HOME", root.toString());
    String settings = "hadoop.conf.dir=" + root + "\ntony.client.classpath=" + root;

    write(settings);
    assertEquals(root.resolve(".cache/tony"), archive(environment).getParent());

    write(settings, "tony.client.cache=" + root.resolve("elsewhere"));
    assertEquals(root.resolve("elsewhere"), archive(environment).getParent());

    write(settings, "tony.client.cache=none");
    assertNull(archive(environment));
  }

  @Test
  public void shouldShareTheClassesOfTheClientAmongPodsWhereTheAdministratorSaysSo()
      throws Exception {
    installLib();
    Map<String, String> pod = Map.of("HOME", root.toString(), "FLOW_EXECUTION_ID", "17");
    String settings = "hadoop.conf.dir=" + root + "\ntony.client.classpath=" + root;

    write(settings);
    assertNull("the home of a pod ends with it", archive(pod));

    write(settings, "tony.client.cache=" + root.resolve("shared"));
    Path shared = archive(pod);
    assertEquals(root.resolve("shared"), shared.getParent());
    assertNotEquals("a machine's has its name in it", archive(Map.of()), shared);
  }

  @Test
  public void shouldTakeSettingsFromThePropertiesOfAllJobTypesLast() throws Exception {
    installLib();
    Files.write(
        root.resolve("common.properties"),
        List.of("hadoop.base=" + root, "hadoop.conf.dir=/no/such", "tony.client.classpath=/"));
    write("hadoop.conf.dir=${hadoop.base}/tony");

    assertEquals(plugin.toString(), check(Map.of()).environment().get("HADOOP_CONF_DIR"));
  }

  private Path archive(Map<String, String> environment) throws Exception {
    return check(environment).command().stream()
        .filter(argument -> argument.startsWith("-Dtony.client.archive="))
        .map(argument -> Path.of(argument.substring("-Dtony.client.archive=".length())))
        .findFirst()
        .orElse(null);
  }

  private ProcessBuilder check(Map<String, String> environment) throws Exception {
    return SetupCheck.check(
            plugin.toFile(), SiteProperties.read(plugin.toFile(), new Props()), environment)
        .command(root.toFile(), Map.of(), List.of("kill", "an argument"));
  }

  private String problems(Map<String, String> environment) {
    return assertThrows(JobFailedException.class, () -> check(environment)).getMessage();
  }

  private void installLib() throws IOException {
    Path lib = Files.createDirectories(plugin.resolve("lib"));
    Files.createFile(lib.resolve("tony-core-1.jar"));
    Files.createFile(lib.resolve("other.jar"));
    Files.createFile(lib.resolve("notes.txt"));
  }

  private Path java(String name, String version) throws IOException {
    Path home = root.resolve(name);
    Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
    Files.createFile(java);
    assertEquals(true, java.toFile().setExecutable(true));
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    return home;
  }

  private void write(String... lines) throws IOException {
    Files.write(plugin.resolve("plugin.properties"), List.of(lines));
  }
}
