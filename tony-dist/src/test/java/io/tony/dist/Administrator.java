package io.tony.dist;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.mini.MiniClusterProcess;
import io.tony.testing.BuildArtifacts;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Does what {@code docs/install.md} of the release says, by the lines that stand there, on a
 * machine with Hadoop and Azkaban.
 */
final class Administrator {
  private static final String UNPACK = "tar xzf tony-azkaban-<version>.tar.gz -C /opt";
  private static final String COPY = "cp -r plugins/jobtypes/tony \"$AZKABAN/plugins/jobtypes/\"";
  private static final String FENCE = "```";
  private static final String OLD_VERSION = "0.0.1";
  private static final String CHECK = "bin/tony doctor -plugin \"$AZKABAN/plugins/jobtypes/tony\"";

  /** A path that begins at the root folder. */
  private static final Pattern ABSOLUTE = Pattern.compile("(?<![\\w.$}/])/[\\w./-]+");

  private final Path root;
  private final Path opt;
  private final Path azkaban;
  private final Path hadoop;
  private final MiniClusterProcess cluster;

  /** The machine's folders lie below {@code root}. */
  Administrator(Path root, MiniClusterProcess cluster) throws IOException {
    this.root = root;
    this.opt = Files.createDirectories(root.resolve("opt"));
    this.azkaban = root.resolve("azkaban");
    this.hadoop = Files.createDirectories(root.resolve("hadoop/bin"));
    this.cluster = cluster;
    Files.createDirectories(jobTypes());
    script("hadoop", "echo \"$HADOOP_CLASSPATH\"");
    script(
        "hdfs",
        "shift; exec \"$JAVA_HOME/bin/java\" --add-opens=java.base/java.lang=ALL-UNNAMED"
            + " -cp \"$HADOOP_CONF_DIR:$HADOOP_CLASSPATH\" org.apache.hadoop.fs.FsShell \"$@\"");
  }

  /** What a Hadoop has in its bin folder, as far as it is asked for. */
  private void script(String name, String does) throws IOException {
    Path file = Files.writeString(hadoop.resolve(name), "#!/bin/bash\n" + does + "\n");
    assertTrue(file.toFile().setExecutable(true));
  }

  /** Azkaban's folder of job types. */
  Path jobTypes() {
    return azkaban.resolve("plugins/jobtypes");
  }

  /** Unpacks the release, copies the job type and fills in its properties. */
  void install() throws IOException, InterruptedException {
    run(BuildArtifacts.tarball().getParent(), List.of(UNPACK));
    assertSays(UNPACK);
    assertSays(COPY);
    run(release(), List.of(COPY));
    Files.write(
        jobTypes().resolve("tony/plugin.properties"),
        List.of(
            "tony.client.java.home=" + System.getProperty("java.home"),
            "tony.client.classpath=" + cluster.property("classpath"),
            "hadoop.conf.dir=" + cluster.property("conf"),
            "tony.client.cache=none"), // not in the home of whoever runs this test
        StandardOpenOption.APPEND);
  }

  TonyCommand doctor() throws IOException {
    assertSays(CHECK);
    ProcessBuilder doctor = bash(release(), CHECK);
    // It is told in plugin.properties where Java and Hadoop are.
    doctor
        .environment()
        .keySet()
        .removeAll(List.of("JAVA_HOME", "HADOOP_HOME", "HADOOP_CONF_DIR", "HADOOP_CLASSPATH"));
    return TonyCommand.start(doctor);
  }

  TonyCommand tony(String command) throws IOException {
    return TonyCommand.start(bash(release(), "exec bin/tony " + command));
  }

  /** The documents of the release. */
  List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(release())) {
      return files.filter(file -> file.toString().endsWith(".md")).toList();
    }
  }

  /** The history as a service, on any port that is free. */
  TonyCommand history() throws IOException {
    return tony("history -listen localhost:0");
  }

  /** The lines of the first job that the page has its reader run. */
  List<String> firstJob() throws IOException {
    return manual().stream()
        .map(String::strip)
        .dropWhile(line -> !line.equals("type=tony"))
        .takeWhile(Predicate.not(FENCE::equals))
        .toList();
  }

  /** Upgrades from an older version, and does it once more, which must change nothing. */
  void upgrade() throws IOException, InterruptedException {
    Path jar = jobTypeJar(version());
    Files.move(jar, jobTypeJar(OLD_VERSION));
    String script = String.join("\n", commands("## Upgrade"));
    run(release(), List.of(script, script));
    assertTrue(jar + " is missing", Files.exists(jar));
  }

  private Path jobTypeJar(String version) {
    return jobTypes().resolve("tony/azkaban-jobtype-tony-" + version + ".jar");
  }

  void uninstall() throws IOException, InterruptedException {
    run(opt, commands("## Uninstall"));
  }

  /** The folder that the release was unpacked to. */
  Path release() throws IOException {
    try (Stream<Path> folders = Files.list(opt)) {
      return folders.findFirst().orElseThrow();
    }
  }

  private List<String> manual() throws IOException {
    return Files.readAllLines(release().resolve("docs/install.md"));
  }

  private void assertSays(String command) throws IOException {
    assertTrue(
        "docs/install.md does not say " + command,
        manual().stream().map(String::strip).anyMatch(command::equals));
  }

  /** The commands of a section: the lines of its first block. */
  private List<String> commands(String heading) throws IOException {
    List<String> commands =
        manual().stream()
            .dropWhile(line -> !line.equals(heading))
            .dropWhile(line -> !line.equals(FENCE + "bash"))
            .skip(1)
            .takeWhile(Predicate.not(FENCE::equals))
            .toList();
    assertTrue(heading + ": " + commands, commands.size() > 1);
    return commands;
  }

  private void run(Path folder, List<String> commands) throws IOException, InterruptedException {
    for (String command : commands) {
      Process process = bash(folder, command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(command + "\n" + output, 0, process.waitFor());
    }
  }

  /** A command of the page with the names of this machine in it; it touches nothing else. */
  private ProcessBuilder bash(Path folder, String command) {
    String here =
        command
            .replace("/opt", opt.toString())
            .replace("/user/NAME", cluster.hdfsHome())
            .replace("<version>", version())
            .replace("<old version>", OLD_VERSION)
            // The cluster has no room for an ApplicationMaster of the usual size.
            .replace("tony doctor", "tony doctor -conf tony.am.memory=256m");
    Matcher paths = ABSOLUTE.matcher(here);
    while (paths.find()) {
      Path path = Path.of(paths.group()).normalize();
      assertTrue(
          here + " touches " + path, path.startsWith(root) || path.startsWith(cluster.hdfsHome()));
    }
    ProcessBuilder bash = new ProcessBuilder("bash", "-euc", here).directory(folder.toFile());
    bash.environment().put("AZKABAN", azkaban.toString());
    bash.environment().put("JAVA_HOME", System.getProperty("java.home"));
    bash.environment().put("HADOOP_HOME", hadoop.getParent().toString());
    bash.environment().put("HADOOP_CONF_DIR", cluster.property("conf"));
    bash.environment().put("HADOOP_CLASSPATH", cluster.property("classpath"));
    bash.environment().merge("PATH", hadoop.toString(), (path, bin) -> bin + ":" + path);
    return bash;
  }

  private static String version() {
    String name = BuildArtifacts.tarball().getFileName().toString();
    return name.substring("tony-azkaban-".length(), name.length() - ".tar.gz".length());
  }
}
