package io.tony.container;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class JvmCommandTest {
  private static final Map<String, String> ARCHIVE =
      Map.of("tony.java.archive", "hdfs:///apps/jdk.tar.gz");

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @Test
  public void shouldRefuseWhatAShellWouldActUpon() {
    for (String option :
        List.of(
            "-Da=$HOME",
            "-Da=`id`",
            "-Da=b;id",
            "-Da=b|c",
            "-Da=b&",
            "\"quoted\"",
            "'x'",
            "-Da=<b",
            "-Da=b>c",
            "-Da=\\b",
            "-Da=(b)",
            "-Da=*",
            "-Da=b?",
            "-Da={b}",
            "-Da=~",
            "-Da=#",
            "-Da=ü",
            "-Da=!x")) {
      assertEquals(List.of(option), JvmCommand.unsafeOptions("-Xss1m " + option + " -ea"));
    }
  }

  @Test
  public void shouldTakeTheOptionsOfAJvm() {
    assertEquals(
        List.of(),
        JvmCommand.unsafeOptions(
            "  -Xmx1g\t-XX:+UseG1GC -Da.b=c:d,e/f@g%h -agentlib:jdwp=transport=dt_socket"
                + " --add-opens=java.base/java.lang=ALL-UNNAMED\n-XX:-UsePerfData "));
    assertEquals(List.of(), JvmCommand.unsafeOptions(""));
  }

  @Test
  public void shouldStartTheMainClassWithItsHeapAndTheUsersOptionsLast() {
    String command = command(Map.of("tony.java.home", "/opt/java"), "-Xmx96m -Dx=y");

    assertTrue(command, command.startsWith("exec /opt/java/bin/java -Xmx64m "));
    assertTrue(
        command,
        command.endsWith(
            " -Xmx96m -Dx=y io.tony.container.JvmCommandTest 1>><LOG_DIR>/a.log 2>><LOG_DIR>/stderr"));
  }

  @Test
  public void shouldUseTheNodesJavaWithoutAnother() {
    String command = command(Map.of(), "");

    assertTrue(command, command.startsWith("exec {{JAVA_HOME}}/bin/java "));
  }

  @Test
  public void shouldFindTheJavaOfAnArchiveWithOrWithoutATopFolder() throws Exception {
    for (String home : List.of("", "/jdk-17.0.15+8", "/java 17")) {
      Path folder = temporary.newFolder().toPath().toRealPath();
      Files.createDirectories(folder.resolve(Staging.JAVA + "/a folder of something else/bin"));
      java(folder.resolve(Staging.JAVA + home), "echo \"$JAVA_HOME\"; echo \"$*\"");

      assertEquals(0, runAsYarnDoes(folder));

      List<String> lines = Files.readAllLines(folder.resolve("a.log"));
      assertEquals(folder + "/" + Staging.JAVA + home, lines.get(0));
      assertTrue(lines.get(1), lines.get(1).startsWith("-Xmx64m "));
      assertTrue(lines.get(1), lines.get(1).endsWith(" -Dx=y " + JvmCommandTest.class.getName()));
      assertEquals("", log(folder, "stderr"));
    }
  }

  @Test
  public void shouldTellWhenAnArchiveHoldsNoJavaThatRuns() throws Exception {
    Path folder = temporary.newFolder().toPath().toRealPath();
    Files.createDirectories(folder.resolve(Staging.JAVA + "/python/bin"));
    assertEquals(127, runAsYarnDoes(folder));
    assertNoJava(folder);

    Path other = temporary.newFolder().toPath().toRealPath();
    Path java = java(other.resolve(Staging.JAVA), "");
    Files.write(java, new byte[] {0x7f, 'E', 'L', 'F', 0}); // of another processor
    assertEquals(126, runAsYarnDoes(other));
    assertNoJava(other);
  }

  private static void assertNoJava(Path folder) throws IOException {
    String sentence =
        JvmStartFailure.ofMaster(config(ARCHIVE), log(folder, "stderr")).orElseThrow().sentence();
    assertTrue(
        sentence,
        sentence.startsWith("the node has no Java for the ApplicationMaster (" + folder + "/"));
    assertTrue(
        sentence,
        sentence.endsWith(
            ": tony.java.archive is hdfs:///apps/jdk.tar.gz, which must hold a Java 17 for the"
                + " nodes: bin/java, or one folder with bin/java in it"));
  }

  private static TonyConfig config(Map<String, String> options) {
    return TonyConfig.builder().layer("the test", options).build();
  }

  private static String command(Map<String, String> options, String jvmOptions) {
    return JvmCommand.of(config(options), 64, jvmOptions, JvmCommandTest.class, "a.log");
  }

  private static Path java(Path home, String script) throws IOException {
    Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/bash\n" + script + "\n");
    assertTrue(java.toFile().setExecutable(true));
    return java;
  }

  /** Runs the command line of an archive's Java by the last line of YARN's launch script. */
  private static int runAsYarnDoes(Path folder) throws Exception {
    String command = command(ARCHIVE, "-Dx=y").replace("<LOG_DIR>", folder.toString());
    Path script =
        Files.writeString(folder.resolve("launch"), "exec /bin/bash -c \"" + command + "\"");
    ProcessBuilder builder =
        new ProcessBuilder("bash", script.toString()).directory(folder.toFile());
    builder.environment().remove("JAVA_HOME");
    return builder.inheritIO().start().waitFor();
  }

  private static String log(Path folder, String name) throws IOException {
    return Files.readString(folder.resolve(name));
  }
}
