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

/** The {@code tony} command as a separate process, with the lines that it has printed so far. */
public final class TonyCommand implements AutoCloseable {
  private static final Pattern APPLICATION = Pattern.compile("application_\\d+_\\d+");

  /** Maximum wait for a line or for the end: many times the usual duration. */
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
   * Returns the arguments of a command whose job has small containers; later arguments override
   * earlier ones.
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

  /** Starts the command from this build's jar, with the jars of the cluster. */
  public static TonyCommand start(MiniClusterProcess cluster, Path folder, List<String> arguments)
      throws IOException {
    return start(cluster.property("conf"), cluster.property("classpath"), folder, arguments);
  }

  /** Starts the command as another user, on a cluster without Kerberos. */
  public static TonyCommand startAs(
      String user, MiniClusterProcess cluster, Path folder, List<String> arguments)
      throws IOException {
    ProcessBuilder builder =
        command(cluster.property("conf"), cluster.property("classpath"), folder, arguments);
    builder.environment().put("HADOOP_USER_NAME", user);
    return start(builder);
  }

  /**
   * Starts the command with a user's Kerberos ticket; the arguments come from {@link
   * #smallWithKerberos}.
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

  /** Starts the command with a login that is given by environment variables. */
  public static TonyCommand startWithLogin(
      Map<String, String> login, MiniClusterProcess cluster, Path folder, List<String> arguments)
      throws IOException {
    ProcessBuilder builder =
        command(cluster.property("conf"), cluster.property("classpath"), folder, arguments);
    builder.command().add(1, krb5Conf(cluster));
    builder
        .environment()
        .put("KRB5CCNAME", "none"); // not the ticket of the user who runs the tests
    builder.environment().putAll(login);
    return start(builder);
  }

  /**
   * Returns the JVM option for a cluster's Kerberos configuration, which is not in {@code
   * /etc/krb5.conf}.
   */
  public static String krb5Conf(MiniClusterProcess cluster) {
    return "-Djava.security.krb5.conf=" + cluster.property("krb5.conf");
  }

  /** Returns the arguments of a command whose job has small containers on a secure cluster. */
  public static List<String> smallWithKerberos(
      MiniClusterProcess cluster, String command, String... arguments) {
    List<String> all = new ArrayList<>(small(command));
    all.addAll(List.of("-conf", "tony.task.default.jvm.opts=" + krb5Conf(cluster)));
    all.addAll(List.of(arguments));
    return all;
  }

  /** Starts the command for a cluster with this configuration folder and these jars. */
  public static TonyCommand start(
      String confDir, String hadoopClasspath, Path folder, List<String> arguments)
      throws IOException {
    return start(command(confDir, hadoopClasspath, folder, arguments));
  }

  /**
   * Starts the command on this machine alone, without a cluster.
   *
   * @param local the folder of the jobs
   * @param environment additional environment variables
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
   * Starts the command at a terminal of 33 rows and 111 columns, to which {@link #type} sends keys.
   *
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
    // In the environment, as bin/tony does it.
    builder
        .environment()
        .put(
            "CLASSPATH",
            confDir + ":" + jar + ":" + jar.resolveSibling("lib") + "/*:" + hadoopClasspath);
    return builder;
  }

  /** Starts any command that prints the output of {@code tony}. */
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

  /** Returns the lines printed so far, including standard error. */
  public synchronized List<String> lines() {
    return List.copyOf(lines);
  }

  /** Returns the text printed so far, including standard error. */
  public String text() {
    return String.join("\n", lines());
  }

  /** Returns true if the command has ended and all its output has been read. */
  public synchronized boolean hasEnded() {
    return ended;
  }

  /** Waits for a line that contains the text, and returns the line. */
  public String await(String text) throws InterruptedException {
    return await(text, 1);
  }

  /**
   * Waits until the text has occurred this many times, and returns the line of the last occurrence.
   * A line may contain several occurrences.
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
   * Waits for the second ApplicationMaster; fails if it took over another number of running tasks.
   */
  public void awaitTakeover(int running) throws InterruptedException {
    String line = await("attempt 2");
    if (!line.contains("took over " + running + " running task")) {
      throw new AssertionError("not " + running + " running tasks: " + line + ", in:\n" + text());
    }
  }

  /**
   * Waits until the process has ended and all its output has been read, and returns the exit code.
   */
  public int exitCode() throws InterruptedException {
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("the command has not ended:\n" + text());
    }
    reader.join();
    return process.exitValue();
  }

  /** Waits for the end and checks the exit code; a failure shows all output. */
  public void assertExit(int expected) throws InterruptedException {
    int code = exitCode();
    assertEquals(text(), expected, code);
  }

  /**
   * Asserts that the command fails, with a last line that names this key as the source of the
   * unknown JVM option -XX:+NoSuchThing.
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

  /** Sends SIGTERM, as Azkaban does. */
  public void terminate() {
    process.toHandle().destroy(); // Process.destroy() would close the output as well
  }

  /** The command's process. */
  public ProcessHandle process() {
    return process.toHandle();
  }

  /** Sends SIGKILL. */
  public void kill() {
    process.destroyForcibly();
  }

  /** Returns the application id that the command has printed. */
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
