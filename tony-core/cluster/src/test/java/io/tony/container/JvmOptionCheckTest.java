package io.tony.container;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import io.tony.config.declared.TaskOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.Test;

/** What a real JVM refuses is known before, and its words are understood after. */
public class JvmOptionCheckTest {
  private record Jvm(int code, String stderr) {}

  /** Starts a JVM as a container's command line does. */
  private static Jvm jvm(String... options) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:+DisplayVMOutputToStderr"));
    command.addAll(List.of(options));
    command.add("-version");
    Process process =
        new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    String text = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Jvm(process.waitFor(), text);
  }

  private static TonyConfig config(Map<String, String> values) {
    return TonyConfig.builder().layer("the test", values).build();
  }

  private static JvmStartFailure failure(String key, String options, String stderr) {
    Optional<JvmStartFailure> found =
        JvmStartFailure.ofExecutor(config(Map.of(key, options)), stderr);
    return found.orElseThrow(() -> new AssertionError("not understood: " + stderr));
  }

  @Test(timeout = 120_000)
  public void shouldKnowWhatAJvmRefusesAndWhichOptionOfTheJobItIs() throws Exception {
    List<String> options = new ArrayList<>();
    JvmOptionCheck.REMOVED.forEach(
        name ->
            options.add(
                "-XX:"
                    + (name.matches(".*(Size|Files|Chunk|Threads)") ? name + "=3" : "+" + name)));
    JvmOptionCheck.REMOVED_PREFIXES.forEach(
        word -> options.add(word.endsWith("=") || word.endsWith(":") ? word + "/x" : word));
    options.add("-XX:CMSInitiatingOccupancyFraction=70");
    String key = TaskOptions.EXECUTOR_JVM_OPTS.key();
    for (String option : options) {
      assertEquals(option, 1, JvmOptionCheck.problems("-Xss1m " + option).size());
      Jvm jvm = jvm(option);
      assertEquals(option + jvm.stderr(), 1, jvm.code());
      JvmStartFailure failure = failure(key, "-Xss1m " + option, jvm.stderr());
      assertTrue(failure.toString(), failure.causedByOptions());
      assertTrue(failure.sentence(), failure.sentence().contains("JVM options of " + key + ": "));
    }
  }

  @Test(timeout = 120_000)
  public void shouldKnowASecondCollectorAndWhatAJvmSaysOfIt() throws Exception {
    assertEquals(1, JvmOptionCheck.problems("-XX:+UseG1GC").size());
    assertEquals(List.of(), JvmOptionCheck.problems("-XX:-UseSerialGC -XX:+UseG1GC"));
    assertEquals(0, jvm("-XX:-UseSerialGC", "-XX:+UseG1GC").code());

    Jvm jvm = jvm("-XX:+UseG1GC");

    assertEquals(1, jvm.code());
    JvmStartFailure failure =
        failure(TaskOptions.DEFAULT_JVM_OPTS.key(), "-XX:+UseG1GC", jvm.stderr());
    assertTrue(failure.causedByOptions());
    assertTrue(failure.sentence(), failure.sentence().contains("Multiple garbage collectors"));
  }

  @Test(timeout = 120_000)
  public void shouldTakeWhatAJvmTakes() throws Exception {
    String[] options = {
      "-Xmx96m",
      "-XX:+PrintGCDetails",
      "-XX:+IgnoreUnrecognizedVMOptions",
      "-XX:+UseConcMarkSweepGC"
    };
    assertEquals(List.of(), JvmOptionCheck.problems(String.join(" ", options)));
    assertEquals(0, jvm(options).code());
    assertEquals(
        Optional.empty(), JvmStartFailure.ofExecutor(config(Map.of()), jvm(options).stderr()));
  }

  @Test
  public void shouldKnowAJavaThatIsTooOldOrMissing() {
    String home = TaskOptions.JAVA_HOME.key();
    JvmStartFailure old =
        failure(
            home,
            "/usr/java/jdk1.8.0_181",
            "Exception in thread \"main\" java.lang.UnsupportedClassVersionError:"
                + " io/tony/executor/TaskExecutor has been compiled by a more recent version of the"
                + " Java Runtime (class file version 61.0), this version of the Java Runtime only"
                + " recognizes class file versions up to 52.0");
    assertTrue(old.sentence(), old.sentence().contains("the node's Java is 8"));
    assertTrue(old.sentence(), old.sentence().contains(home + " is /usr/java/jdk1.8.0_181"));
    // An option of TonY's own command line, which Java 8 does not know.
    JvmStartFailure own =
        failure(
            home,
            "/usr/java/jdk1.8.0_181",
            """
            Unrecognized option: --add-opens=java.base/java.lang=ALL-UNNAMED
            Error: Could not create the Java Virtual Machine.
            """);
    assertTrue(own.sentence(), own.sentence().contains("older than 17"));
    JvmStartFailure none =
        failure(home, "/no/java", "bash: line 1: /no/java/bin/java: No such file or directory\n");
    assertTrue(none.sentence(), none.sentence().contains("/no/java/bin/java: No such file"));
    for (JvmStartFailure failure : List.of(old, own, none)) {
      assertTrue("another node may have it", !failure.causedByOptions());
    }
  }

  @Test
  public void shouldReadTheLargestHeap() {
    assertEquals(OptionalLong.of(1536), JvmOptionCheck.heapMiB("-Xmx1g -Xmx1536m"));
    assertEquals(OptionalLong.of(2048), JvmOptionCheck.heapMiB("-Xmx2G"));
    assertEquals(OptionalLong.empty(), JvmOptionCheck.heapMiB("-Xms2g"));
  }
}
