package io.tony.cluster;

import io.tony.testing.BuildArtifacts;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A cluster with Kerberos. Its JVM and those of its clients are processes of their own, because
 * Hadoop knows security for a whole JVM only; this JVM is no client.
 */
final class SecureCluster extends ClusterProcess {
  /** With accounts for alice, bob and carol. */
  SecureCluster(String name, String... settings) {
    this(name, List.of("alice", "bob", "carol"), settings);
  }

  SecureCluster(String name, List<String> accounts, String... settings) {
    super(name, options(accounts, settings));
  }

  private static List<String> options(List<String> accounts, String... settings) {
    List<String> options = new ArrayList<>(List.of("--kerberos", String.join(",", accounts)));
    // With it a secure node reads a container's files.
    Path nativeLibrary =
        BuildArtifacts.file(
            "cluster-tests/target/nativelib/Linux-" + System.getProperty("os.arch"));
    options.add("-J-Djava.library.path=" + nativeLibrary);
    options.addAll(List.of(TestCluster.settings(settings)));
    return options;
  }

  /** With two NameNodes, two ResourceManagers, and a second HDFS. */
  SecureCluster highlyAvailable() {
    add("--ha", "true");
    return this;
  }

  /** How a user logs in with a ticket. */
  Map<String, String> ticket(String user) {
    return Map.of("KRB5CCNAME", daemons().kerberos().resolve(user + ".ticket").toString());
  }

  /** How somebody logs in with the tokens of a file. */
  static Map<String, String> tokens(Path file) {
    return Map.of("HADOOP_TOKEN_FILE_LOCATION", file.toString());
  }

  /** Starts a command of {@code tony} with small containers, by somebody with this login. */
  TonyCommand tony(Map<String, String> login, Path folder, String command, String... arguments)
      throws IOException {
    List<String> all = TonyCommand.smallWithKerberos(daemons(), command, arguments);
    return TonyCommand.startWithLogin(login, daemons(), Files.createDirectories(folder), all);
  }

  /** A command that a program runs to work with HDFS; the executor has set JAVA_HOME. */
  String hdfs(String arguments) {
    return "\"$JAVA_HOME/bin/java\" "
        + TonyCommand.krb5Conf(daemons())
        + " org.apache.hadoop.fs.FsShell "
        + arguments;
  }

  /** Runs a main class as somebody with this login, and returns what it has printed. */
  String run(Map<String, String> login, Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                TonyCommand.krb5Conf(daemons()),
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-cp",
                daemons().property("conf")
                    + File.pathSeparator
                    + Path.of(main.getProtectionDomain().getCodeSource().getLocation().getPath())
                    + File.pathSeparator
                    + daemons().property("classpath"),
                main.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(login);
    try (TonyCommand running = TonyCommand.start(builder)) {
      running.assertExit(0);
      return running.text();
    }
  }
}
