package io.tony.mini;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The parsed command line of {@link TonyMini}. */
record TonyMiniOptions(
    Path dir,
    MiniClusterSpec spec,
    Optional<String> hadoopClasspath,
    List<String> kerberosUsers,
    boolean highAvailability) {

  static final String USAGE =
      """
      Usage: TonyMini --dir DIR [options]
        --dir DIR                 a new or empty folder, or that of an earlier tony-mini
        --node-managers N         default 2
        --node-memory-mb MIB      what each node offers, default 4096
        --node-vcores N           what each node offers, default 8
        --max-container-mb MIB    the largest container, default a node's memory
        --node-heartbeat-ms MS    how often nodes are given containers, default 1000
        --own-addresses BOOLEAN   whether each node has a host of its own, 127.1.0.1, 127.1.0.2 and
                                  so on, default false: all are localhost
        --hadoop-classpath JARS   what clients and containers run on, joined with ':'; default:
                                  the jars of Hadoop out of this JVM's class path
        --kerberos USERS          a secure cluster, with a Kerberos server of its own; for each of
                                  these users, joined with ',', DIR/kdc has a keytab and a ticket,
                                  and HDFS a home folder
        --ha BOOLEAN              whether there are two ResourceManagers and, behind one logical
                                  name, two NameNodes, of which one each is on standby; and a
                                  second HDFS. Default false
        --set NAME=VALUE          a Hadoop property; may be repeated
      """;

  private static final Pattern USER = Pattern.compile("[a-z][a-z0-9_-]*");

  private static final Set<String> OTHERS =
      Set.of("--dir", "--own-addresses", "--hadoop-classpath", "--kerberos", "--ha", "--set");

  /**
   * Parses a command line.
   *
   * @throws IllegalArgumentException if the command line is invalid; the message has one line for
   *     each problem
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
    boolean ownAddresses = defaults.ownAddresses();
    boolean highAvailability = false;
    Path dir = null;
    Optional<String> hadoopClasspath = Optional.empty();
    List<String> kerberosUsers = List.of();
    Iterator<String> rest = Arrays.asList(args).iterator();
    while (rest.hasNext()) {
      String name = rest.next();
      if (!numbers.containsKey(name) && !OTHERS.contains(name)) {
        problems.add(name + ": unknown option");
      } else if (!rest.hasNext()) {
        problems.add(name + ": a value is missing");
      } else if (name.equals("--dir")) {
        dir = Path.of(rest.next());
      } else if (name.equals("--hadoop-classpath")) {
        hadoopClasspath = Optional.of(jars(rest.next(), problems));
      } else if (name.equals("--own-addresses")) {
        ownAddresses = bool(name, rest.next(), problems);
      } else if (name.equals("--kerberos")) {
        kerberosUsers = users(rest.next(), problems);
      } else if (name.equals("--ha")) {
        highAvailability = bool(name, rest.next(), problems);
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
      spec = spec(numbers, ownAddresses, settings);
    } catch (IllegalArgumentException e) {
      problems.add(e.getMessage());
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join(System.lineSeparator(), problems));
    }
    return new TonyMiniOptions(
        Objects.requireNonNull(dir), spec, hadoopClasspath, kerberosUsers, highAvailability);
  }

  private static MiniClusterSpec spec(
      Map<String, Integer> numbers, boolean ownAddresses, Map<String, String> settings) {
    return new MiniClusterSpec(
        number(numbers, "--node-managers"),
        number(numbers, "--node-memory-mb"),
        number(numbers, "--node-vcores"),
        number(numbers, "--max-container-mb"),
        Duration.ofMillis(number(numbers, "--node-heartbeat-ms")),
        ownAddresses,
        settings);
  }

  private static int number(Map<String, Integer> numbers, String name) {
    return Objects.requireNonNull(numbers.get(name));
  }

  private static List<String> users(String value, List<String> problems) {
    List<String> users = List.of(value.split(",", -1));
    for (String user : users) {
      if (!USER.matcher(user).matches()) {
        problems.add("--kerberos: '" + user + "' is not a user's name");
      }
    }
    return users;
  }

  private static boolean bool(String name, String value, List<String> problems) {
    if (!value.equals("true") && !value.equals("false")) {
      problems.add(name + ": '" + value + "' is neither true nor false");
    }
    return value.equals("true");
  }

  private static void addNumber(
      String name, String value, Map<String, Integer> numbers, List<String> problems) {
    try {
      numbers.put(name, Integer.valueOf(value));
    } catch (NumberFormatException e) {
      problems.add(name + ": '" + value + "' is not a whole number");
    }
  }

  /** Returns the jars' absolute paths, because each container has another working directory. */
  private static String jars(String value, List<String> problems) {
    List<String> jars = new ArrayList<>();
    for (String entry : value.split(File.pathSeparator, -1)) {
      Path jar = Path.of(entry).toAbsolutePath().normalize();
      if (!Files.isRegularFile(jar)) {
        problems.add("--hadoop-classpath: '" + entry + "' is not a file");
      }
      jars.add(jar.toString());
    }
    return String.join(File.pathSeparator, jars);
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
