package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.testing.BuildArtifacts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * {@code docs/train-your-own.md}, followed word for word by a user whose home is empty: its
 * commands, one after the other, print what the page shows.
 */
public class FrameworkGuideIT {
  /** A block of commands, or a block of lines that the page shows behind them. */
  private static final Pattern PART = Pattern.compile("(?ms)^```(bash|text)\\n(.*?)^```$");

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout timeout = Timeout.seconds(420);

  private Path home;
  private Path local;
  private Process commands;

  /** Not within a test's time limit: the first run on a machine takes minutes. */
  @BeforeClass
  public static void makeEnvironment() throws Exception {
    FrameworkEnvironments.require("guide");
    FrameworkEnvironments.python("pytorch");
  }

  @Before
  public void makeHome() throws IOException {
    home = temporary.newFolder("home").toPath();
    local = home.resolve("local");
  }

  @After
  public void endAll() throws Exception {
    if (commands != null) {
      commands.destroy();
    }
    // Where the page did not come to it.
    bash("bin/quickstart --stop", temporary.newFile()).waitFor();
    assertEquals("processes of its cluster", List.of(), ofClusters());
    for (String folder : List.of("work", "staging")) {
      try (Stream<Path> left = Files.list(local.resolve(folder))) {
        assertEquals(folder, List.of(), left.toList());
      }
    }
  }

  @Test
  public void shouldEndWithAFlowThatGoesOnFromLastNight() throws Exception {
    StringBuilder script = new StringBuilder("set -euo pipefail\n");
    List<File> outputs = new ArrayList<>();
    List<List<String>> shown = new ArrayList<>();
    String page = Files.readString(BuildArtifacts.file("docs/train-your-own.md"));
    for (MatchResult part : PART.matcher(page).results().toList()) {
      if (part.group(1).equals("bash")) {
        outputs.add(temporary.newFile());
        shown.add(new ArrayList<>());
        script.append("exec >").append(outputs.get(outputs.size() - 1)).append(" 2>&1\n");
        script.append(part.group(2));
      } else {
        part.group(2).lines().map(String::strip).forEach(shown.get(shown.size() - 1)::add);
      }
    }

    commands = bash(script.toString(), temporary.newFile());
    int code = commands.waitFor();

    List<String> all = new ArrayList<>();
    for (File output : outputs) {
      all.add(Files.readString(output.toPath()));
    }
    assertEquals(String.join("\n----\n", all), 0, code);
    for (int block = 0; block < all.size(); block++) {
      String printed = all.get(block);
      for (String line : shown.get(block)) {
        assertTrue(
            line + "\nwas not printed:\n" + printed,
            ShownOutput.alike(printed).contains(ShownOutput.alike(line)));
      }
    }
    assertEquals(
        "blocks that show what they print", 6, shown.stream().filter(s -> !s.isEmpty()).count());
  }

  /** In the source tree, as a user who has nothing yet but the environment of PyTorch. */
  private Process bash(String script, File output) throws IOException {
    ProcessBuilder bash =
        new ProcessBuilder("bash", "-c", script)
            .directory(BuildArtifacts.file("bin").getParent().toFile())
            .redirectErrorStream(true)
            .redirectOutput(output);
    Map<String, String> environment = bash.environment();
    environment.putIfAbsent(
        "TONY_FRAMEWORKS_CACHE", environment.get("HOME") + "/.cache/tony-frameworks");
    environment.put("HOME", home.toString());
    environment.put("TONY_LOCAL", local.toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.keySet().removeAll(List.of("HADOOP_HOME", "HADOOP_CONF_DIR", "TONY_CACHE"));
    return bash.start();
  }

  /** The cluster itself, and what runs in its containers. */
  private static List<String> ofClusters() throws IOException {
    String clusters = BuildArtifacts.file("target/quickstart").toString();
    List<String> found = new ArrayList<>();
    for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
      String command = process.info().commandLine().orElse("");
      if (command.contains(clusters)) {
        found.add(command);
      }
    }
    return found;
  }
}
