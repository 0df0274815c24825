package io.tony.testing;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.mini.MiniClusterProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A running {@code tony} command in a separate process, with the lines that it has printed so far.
 */
public final class TonyCommand implements AutoCloseable {
  private static final Pattern APPLICATION = Pattern.compile("application_\\d+_\\d+");

  /**
   * Maximum wait for a line or for the end of the command, in seconds; much longer than usually
   * needed.
   */
  private static final long LIMIT_SECONDS = 120;

  private final Process process;
  private final List<String> lines = new ArrayList<>();
  private final Thread reader = new Thread(this::read, "tony-output");
  private boolean ended;

  private TonyCommand(Process process) {
    this.process = process;
    reader.start();
  }

  /**
   * Returns the command-line arguments for a job with small containers.
   *
   * @param command the subcommand of {@code tony}
   * @param arguments further arguments, which may override the container sizes
   */
  public static List<String> small(String command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(command));
    for (String memory :
        List.of("tony.am.memory=256m", "tony.worker.memory=128m", "tony.ps.memory=128m")) {
      all.addAll(List.of("-conf", memory));
    }
    all.addAll(List.of(arguments));
    return all;
  }

  /**
   * Starts the command from this build's jar, with the cluster's configuration and Hadoop jars.
   *
   * @param folder the working directory
   */
  public static TonyCommand start(MiniClusterProcess cluster, Path folder, List<String> arguments)
      throws IOException {
    return start(cluster.property("conf"), cluster.property("classpath"), folder, arguments);
  }

  /**
   * Starts the command as another user. Works only on a cluster without Kerberos.
   *
   * @param folder the working directory
   */
  public static TonyCommand startAs(
      String user, MiniClusterProcess cluster, Path folder, List<String> arguments)
      throws IOException {
    ProcessBuilder builder =
        command(cluster.property("conf"), cluster.property("classpath"), folder, arguments);
    builder.environment().put("HADOOP_USER_NAME", user);
    return start(builder);
  }

  /**
   * Starts the command with the Kerberos ticket of a user of the cluster.
   *
   * @param folder the working directory
   * @param arguments from {@link #smallWithKerberos}
   */
  public static TonyCommand startWithTicket(
      String user, MiniClusterProcess cluster, Path folder, List<String> arguments)
      throws IOException {
    return startWithLogin(
        Map.of("KRB5CCNAME", cluster.kerberos().resolve(user + ".ticket").toString()),
        cluster,
        folder,
        arguments);
  }

  /**
   * Starts the command on a secure cluster, with a login that environment variables define.
   *
   * @param login the environment variables
   * @param folder the working directory
   */
  public static TonyCommand startWithLogin(
      Map<String, String> login, MiniClusterProcess cluster, Path folder, List<String> arguments)
      throws IOException {
    ProcessBuilder builder =
        command(cluster.property("conf"), cluster.property("classpath"), folder, arguments);
    builder.command().add(1, krb5Conf(cluster));
    builder
        .environment()
        .put("KRB5CCNAME", "none"); // so that the ticket of the user who runs the tests is not used
    builder.environment().putAll(login);
    return start(builder);
  }

  /**
   * Returns the JVM option with the path of the cluster's Kerberos configuration; {@code
   * /etc/krb5.conf} is not used.
   */
  public static String krb5Conf(MiniClusterProcess cluster) {
    return "-Djava.security.krb5.conf=" + cluster.property("krb5.conf");
  }

  /**
   * Returns the command-line arguments for a job with small containers on a secure cluster.
   *
   * @param command the subcommand of {@code tony}
   * @param arguments further arguments
   */
  public static List<String> smallWithKerberos(
      MiniClusterProcess cluster, String command, String... arguments) {
    List<String> all = new ArrayList<>(small(command));
    all.addAll(List.of("-conf", "tony.task.default.jvm.opts=" + krb5Conf(cluster)));
    all.addAll(List.of(arguments));
    return all;
  }

  /**
   * Starts the command for the cluster of this configuration folder.
   *
   * @param hadoopClasspath Hadoop's jars, joined with ':'
   * @param folder the working directory
   */
  public static TonyCommand start(
      String confDir, String hadoopClasspath, Path folder, List<String> arguments)
      throws IOException {
    return start(command(confDir, hadoopClasspath, folder, arguments));
  }

  /**
   * Starts the command in its local mode, in which jobs run on this machine without a cluster.
   *
   * @param local the folder in which the files of jobs are kept
   * @param environment additional environment variables
   * @param folder the working directory
   */
  public static TonyCommand startLocal(
      Path local, Map<String, String> environment, Path folder, List<String> arguments)
      throws IOException {
    ProcessBuilder builder =
        command(folder.toString(), BuildArtifacts.hadoopJars() + "/*", folder, arguments);
    builder.environment().put("TONY_LOCAL", local.toString());
    builder.environment().putAll(environment);
    return start(builder);
  }

  /**
   * Starts the command at a terminal of 33 rows and 111 columns. {@link #type} sends keys to it.
   *
   * @param folder the working directory
   * @param meanwhile a shell command that runs concurrently at the same terminal
   */
  public static TonyCommand startAtTerminal(
      String confDir, String hadoopClasspath, Path folder, String meanwhile, List<String> arguments)
      throws IOException {
    ProcessBuilder builder = command(confDir, hadoopClasspath, folder, arguments);
    String command = "stty rows 33 cols 111; (" + meanwhile + ") & exec ";
    for (String argument : builder.command()) {
      command += "'" + argument.replace("'", "'\\''") + "' ";
    }
    builder.command("script", "-qfec", command, "/dev/null");
    return start(builder);
  }

  private static ProcessBuilder command(
      String confDir, String hadoopClasspath, Path folder, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.add("io.tony.client.TonyCli");
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    Path jar = BuildArtifacts.coreJar();
    // The class path is in the environment, as in the script bin/tony.
    builder
        .environment()
        .put(
            "CLASSPATH",
            confDir + ":" + jar + ":" + jar.resolveSibling("lib") + "/*:" + hadoopClasspath);
    return builder;
  }

  /** Starts a command whose output is that of {@code tony}, such as a script that runs it. */
  public static TonyCommand start(ProcessBuilder command) throws IOException {
    return new TonyCommand(command.redirectErrorStream(true).start());
  }

  private void read() {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        add(line);
      }
    } catch (IOException e) {
      add("(the output broke off: " + e + ")");
    }
    synchronized (this) {
      ended = true;
      notifyAll();
    }
  }

  private synchronized void add(String line) {
    lines.add(line);
    notifyAll();
  }

  /**
   * Returns the lines that the command has printed so far to standard output and standard error.
   */
  public synchronized List<String> lines() {
    return List.copyOf(lines);
  }

  /** Returns the text that the command has printed so far to standard output and standard error. */
  public String text() {
    return String.join("\n", lines());
  }

  /** Returns true if the command has ended and all its output has been read. */
  public synchronized boolean hasEnded() {
    return ended;
  }

  /**
   * Waits until the command prints a line that contains the text, and returns the line. Fails if
   * the command ends first or the time limit has passed.
   */
  public String await(String text) throws InterruptedException {
    return await(text, 1);
  }

  /**
   * Waits until the text has occurred this many times in the output, and returns the line with the
   * last occurrence. One line may contain several occurrences. Fails if the command ends first or
   * the time limit has passed.
   */
  public synchronized String await(String text, int times) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    int next = 0;
    int seen = 0;
    while (true) {
      for (; next < lines.size(); next++) {
        seen += occurrences(text, lines.get(next));
        if (seen >= times) {
          return lines.get(next);
        }
      }
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (ended || left <= 0) {
        throw new AssertionError("not " + times + " times '" + text + "' in:\n" + text());
      }
      wait(left);
    }
  }

  private static int occurrences(String text, String line) {
    int count = 0;
    for (int at = line.indexOf(text); at >= 0; at = line.indexOf(text, at + text.length())) {
      count++;
    }
    return count;
  }

  /**
   * Waits until a second attempt of the ApplicationMaster is reported. Fails if that attempt did
   * not take over exactly this many running tasks.
   */
  public void awaitTakeover(int running) throws InterruptedException {
    String line = await("attempt 2");
    if (!line.contains("took over " + running + " running task")) {
      throw new AssertionError("not " + running + " running tasks: " + line + ", in:\n" + text());
    }
  }

  /**
   * Waits until the command has ended and all its output has been read, and returns the exit code.
   * Fails after the time limit.
   */
  public int exitCode() throws InterruptedException {
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("the command has not ended:\n" + text());
    }
    reader.join();
    return process.exitValue();
  }

  /**
   * Waits for the command's end and fails with the whole output if the exit code is not the
   * expected one.
   */
  public void assertExit(int expected) throws InterruptedException {
    int code = exitCode();
    assertEquals(text(), expected, code);
  }

  /**
   * Fails unless the command fails and its last line says that the unknown JVM option
   * -XX:+NoSuchThing is from this key.
   *
   * @param key the key of the option whose JVM options contain -XX:+NoSuchThing
   */
  public void assertRefusesJvmOption(String key) throws InterruptedException {
    assertExit(2);
    List<String> lines = lines();
    String last = lines.get(lines.size() - 1);
    String reason = "with the JVM options of " + key + ": Unrecognized VM option 'NoSuchThing'";
    assertTrue(last, last.contains(reason));
    assertTrue(text(), !text().contains("\tat "));
  }

  /** Sends keys to the command's standard input. */
  public void type(String keys) throws IOException {
    process.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  /** Sends SIGTERM to the command, as Azkaban does. */
  public void terminate() {
    process.toHandle().destroy(); // Process.destroy() would also close the output
  }

  /** Returns the command's process. */
  public ProcessHandle process() {
    return process.toHandle();
  }

  /** Sends SIGKILL to the command. */
  public void kill() {
    process.destroyForcibly();
  }

  /** Returns the first application id that the command has printed. */
  public String application() {
    Matcher matcher = APPLICATION.matcher(text());
    if (!matcher.find()) {
      throw new AssertionError("no application id in:\n" + text());
    }
    return matcher.group();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
