package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import io.tony.testing.BuildArtifacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The frameworks that this run trains with: those of {@code frameworks/due}, with {@code -Dall} all
 * of them, with {@code -Dframework=jax,mpi} these. Their Python environments are made by {@code
 * frameworks/setup} in the first run on a machine.
 */
final class FrameworkEnvironments {
  /** Begins the names of recipes among those of frameworks. */
  static final String RECIPES = "recipes/";

  private static final Map<String, String> INTERPRETERS = new HashMap<>();

  private FrameworkEnvironments() {}

  static List<String> chosen() throws IOException, InterruptedException {
    String named = System.getProperty("framework");
    if (named != null) {
      List<String> names = List.of(named.split(",", -1));
      assertTrue(names + " are not all of " + all(), all().containsAll(names));
      return names;
    }
    return System.getProperty("all") != null ? all() : due();
  }

  static List<String> all() throws IOException, InterruptedException {
    return due("--all");
  }

  private static List<String> due(String... options) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of(BuildArtifacts.file("frameworks/due").toString()));
    command.addAll(List.of(options));
    return output(command).lines().toList();
  }

  /** For tests of one framework: makes its environment, or skips them. */
  static void require(String framework) throws IOException, InterruptedException {
    assumeTrue(framework + " is not to be trained with", chosen().contains(framework));
    python(framework);
  }

  /**
   * The interpreter that has this framework. A framework without packages of its own has the one
   * that {@code python3} stands for.
   */
  static synchronized String python(String framework) throws IOException, InterruptedException {
    String known = INTERPRETERS.get(framework);
    if (known != null) {
      return known;
    }
    Path folder = BuildArtifacts.file("frameworks");
    String python =
        framework.startsWith(RECIPES) || Files.exists(folder.resolve(framework + ".txt"))
            ? make(folder, framework)
            : ClusterFlowTest.python();
    INTERPRETERS.put(framework, python);
    return python;
  }

  /** A folder as {@code HADOOP_HOME}, with {@code lib/native/libhdfs.so}. */
  static Path libhdfs() throws IOException, InterruptedException {
    String script = BuildArtifacts.file("frameworks/libhdfs").toString();
    return Path.of(output(List.of(script)).strip());
  }

  private static String make(Path folder, String framework)
      throws IOException, InterruptedException {
    return output(List.of(folder.resolve("setup").toString(), "--python", framework)).strip();
  }

  private static String output(List<String> command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(command.toString(), 0, process.waitFor());
    return text;
  }
}
