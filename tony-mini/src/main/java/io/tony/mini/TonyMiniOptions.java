package io.tony.mini;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** The command line of {@link TonyMini}, checked as a whole. */
record TonyMiniOptions(Path dir, MiniClusterSpec spec) {

  static final String USAGE =
      """
      Usage: TonyMini --dir DIR [options]
        --dir DIR                 a new or empty folder, or that of an earlier tony-mini
        --node-managers N         default 2
        --node-memory-mb MIB      what each node offers, default 4096
        --node-vcores N           what each node offers, default 8
        --max-container-mb MIB    the largest container, default a node's memory
        --node-heartbeat-ms MS    how often nodes are given containers, default 1000
        --set NAME=VALUE          a Hadoop property; may be repeated
      """;

  /**
   * @throws IllegalArgumentException with one line for each problem
   */
  static TonyMiniOptions parse(String[] args) {
    List<String> problems = new ArrayList<>();
    MiniClusterSpec defaults = MiniClusterSpec.defaults();
    Map<String, Integer> numbers =
        new HashMap<>(
            Map.of(
                "--node-managers", defaults.nodeManagers(),
                "--node-memory-mb", defaults.nodeMemoryMiB(),
                "--node-vcores", defaults.nodeVcores(),
                "--max-container-mb", defaults.maxContainerMemoryMiB(),
                "--node-heartbeat-ms", (int) defaults.nodeHeartbeat().toMillis()));
    Map<String, String> settings = new HashMap<>();
    Path dir = null;
    Iterator<String> rest = Arrays.asList(args).iterator();
    while (rest.hasNext()) {
      String name = rest.next();
      boolean known = numbers.containsKey(name) || name.equals("--dir") || name.equals("--set");
      if (!known) {
        problems.add(name + ": unknown option");
      } else if (!rest.hasNext()) {
        problems.add(name + ": a value is missing");
      } else if (name.equals("--dir")) {
        dir = Path.of(rest.next());
      } else if (name.equals("--set")) {
        addSetting(rest.next(), settings, problems);
      } else {
        addNumber(name, rest.next(), numbers, problems);
      }
    }
    if (dir == null) {
      problems.add("--dir: is required");
    }
    MiniClusterSpec spec = defaults;
    try {
      spec =
          new MiniClusterSpec(
              numbers.get("--node-managers"),
              numbers.get("--node-memory-mb"),
              numbers.get("--node-vcores"),
              numbers.get("--max-container-mb"),
              Duration.ofMillis(numbers.get("--node-heartbeat-ms")),
              settings);
    } catch (IllegalArgumentException e) {
      problems.add(e.getMessage());
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join(System.lineSeparator(), problems));
    }
    return new TonyMiniOptions(dir, spec);
  }

  private static void addNumber(
      String name, String value, Map<String, Integer> numbers, List<String> problems) {
    try {
      numbers.put(name, Integer.valueOf(value));
    } catch (NumberFormatException e) {
      problems.add(name + ": '" + value + "' is not a whole number");
    }
  }

  private static void addSetting(
      String value, Map<String, String> settings, List<String> problems) {
    int equals = value.indexOf('=');
    if (equals < 1) {
      problems.add("--set: '" + value + "' is not NAME=VALUE");
    } else {
      settings.put(value.substring(0, equals), value.substring(equals + 1));
    }
  }
}
