package io.tony.mini;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A {@link TonyMini} in another process, seen from outside, for tests whose own class path must not
 * contain Hadoop: this class needs only Java. It queries YARN and HDFS with their REST APIs and
 * finds processes in Linux's /proc. Thread-safe. All methods that query the cluster throw an
 * IOException if it does not answer.
 */
public final class MiniClusterProcess implements AutoCloseable {

  private static final String JVM_OPTION = "-J";
  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Duration STOP_LIMIT = Duration.ofMinutes(1);
  private static final int MAX_TAIL_LINES = 20;
  private static final Set<String> FINAL_STATES = Set.of("FINISHED", "FAILED", "KILLED");

  /** The packages of java.base that Hadoop reflects upon. */
  private static final List<String> OPENED_PACKAGES =
      List.of("java.lang", "java.util", "java.net", "java.io", "java.nio", "sun.nio.ch");

  /**
   * An application as the ResourceManager shows it.
   *
   * @param user who submitted it
   * @param type the application type, such as TONY or SPARK
   * @param state such as RUNNING; FINISHED, FAILED and KILLED are final
   * @param finalStatus SUCCEEDED, FAILED or KILLED; UNDEFINED while there is none
   * @param tags lower-case, as YARN keeps them
   * @param allocatedMiB the memory of all its containers, including its ApplicationMaster's; -1
   *     after its end
   * @param used the allocated amount of each resource type of the cluster, by the type's name;
   *     empty after its end
   */
  public record Application(
      String id,
      String user,
      String name,
      String type,
      String queue,
      String state,
      String finalStatus,
      Set<String> tags,
      int allocatedMiB,
      Map<String, Long> used) {}

  private final Process process;
  private final Path console;
  private final ClusterFolder folder;
  private volatile Properties ready;
  private volatile ClusterRest rest;

  private MiniClusterProcess(Process process, Path console, ClusterFolder folder)
      throws IOException {
    this.process = process;
    this.console = console;
    this.folder = folder;
    readAnnouncement();
  }

  private void readAnnouncement() throws IOException {
    Properties announced = new Properties();
    try (Reader reader = Files.newBufferedReader(folder.ready())) {
      announced.load(reader);
    }
    ready = announced;
    rest =
        new ClusterRest(
            property("resourcemanager.http"),
            property("namenode.http"),
            property("user"),
            announced.containsKey("krb5.conf")
                ? Optional.of(Negotiation.logIn(kerberos()))
                : Optional.empty());
  }

  /**
   * Starts a cluster and returns when it accepts work, after about 8 s. The cluster stops at the
   * latest with this JVM.
   *
   * @param jar the jar of tony-mini
   * @param lib the folder of all jars that it needs
   * @param dir a new or empty folder, or the folder of an earlier cluster; the output of the
   *     process goes to a file beside it, {@code <dir>.console}
   * @param options further options of {@link TonyMini}; an option such as {@code -J-Dname=value} is
   *     passed to its JVM
   * @throws IOException with the end of the output, if the process ends or is not ready in time;
   *     then nothing keeps running
   */
  public static MiniClusterProcess start(Path jar, Path lib, Path dir, String... options)
      throws IOException, InterruptedException {
    Path root = Files.createDirectories(dir).toRealPath();
    ClusterFolder folder = new ClusterFolder(root);
    // The ready file of an earlier cluster that was killed before it could delete the file.
    Files.deleteIfExists(folder.ready());
    Path console = root.resolveSibling(root.getFileName() + ".console");
    Process process =
        new ProcessBuilder(command(jar, lib, root, options))
            .redirectErrorStream(true)
            .redirectOutput(console.toFile())
            .start();
    // Waits for the cluster's end, so that the machine is idle for the next test run.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(process), "stop-tony-mini"));
    try {
      Await.until(
          () -> Files.exists(folder.ready()) || !process.isAlive(),
          START_LIMIT,
          () -> "tony-mini to be ready");
      if (!process.isAlive()) {
        throw new IOException("tony-mini ended with exit code " + process.exitValue());
      }
      return new MiniClusterProcess(process, console, folder);
    } catch (IOException | TimeoutException e) {
      stop(process);
      throw new IOException(e.getMessage() + ". The end of " + console + ":\n" + tail(console), e);
    } catch (InterruptedException e) {
      stop(process);
      throw e;
    }
  }

  private static List<String> command(Path jar, Path lib, Path root, String... options)
      throws IOException {
    if (!Files.isRegularFile(jar) || !Files.isDirectory(lib)) {
      throw new IOException(
          "tony-mini is not built: "
              + jar.toAbsolutePath().normalize()
              + " or the jars in "
              + lib.toAbsolutePath().normalize()
              + " are missing. Run: mvn package -pl tony-mini -am");
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // The process lives for minutes: the optimizing compiler would not pay off.
    command.addAll(List.of("-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    OPENED_PACKAGES.forEach(name -> command.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
    for (String option : options) {
      if (option.startsWith(JVM_OPTION)) {
        command.add(option.substring(JVM_OPTION.length()));
      }
    }
    command.add("-cp");
    command.add(jar.toRealPath() + File.pathSeparator + lib.toRealPath().resolve("*"));
    command.add("io.tony.mini.TonyMini");
    command.add("--dir");
    command.add(root.toString());
    command.addAll(
        Arrays.stream(options).filter(option -> !option.startsWith(JVM_OPTION)).toList());
    return command;
  }

  private static String tail(Path console) throws IOException {
    List<String> lines = Files.readAllLines(console);
    return String.join(
        "\n", lines.subList(Math.max(0, lines.size() - MAX_TAIL_LINES), lines.size()));
  }

  /**
   * Returns a property that the cluster announces: {@code pid}, {@code user}, {@code fs.default},
   * {@code namenode.http}, {@code resourcemanager.http}, {@code conf}, {@code classpath}, {@code
   * krb5.conf} if the cluster is secure, and {@code fs.other} if there is a second HDFS. With two
   * daemons of a kind, the value is the active daemon's.
   *
   * @throws IllegalArgumentException for any other name
   */
  public String property(String name) {
    String value = ready.getProperty(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "tony-mini announces " + ready.stringPropertyNames() + ", not " + name);
    }
    return value;
  }

  /** Returns all applications that YARN remembers, including ended ones. */
  public List<Application> applications() throws IOException, InterruptedException {
    return rest.applications();
  }

  /**
   * Returns one application.
   *
   * @throws IllegalArgumentException if YARN has no application with this id
   */
  public Application application(String id) throws IOException, InterruptedException {
    return applications().stream()
        .filter(application -> application.id().equals(id))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("YARN knows no " + id));
  }

  /** Returns the content of a file on HDFS, decoded as UTF-8. */
  public String hdfsText(String path) throws IOException, InterruptedException {
    return rest.text(path);
  }

  /** Returns the names in a folder on HDFS; empty if the folder does not exist. */
  public List<String> hdfsNames(String path) throws IOException, InterruptedException {
    return rest.names(path);
  }

  /**
   * The home folder, on HDFS, of the user that the cluster runs as. Below it, this user's jobs keep
   * their history and their staging folders.
   */
  public String hdfsHome() {
    return "/user/" + property("user");
  }

  /** Creates a home folder on HDFS for another user, as an administrator does. */
  public void makeHome(String user) throws IOException, InterruptedException {
    rest.makeFolder("/user/" + user, user);
  }

  /** Returns the owner of a file or folder on HDFS. */
  public String hdfsOwner(String path) throws IOException, InterruptedException {
    return rest.owner(path);
  }

  /**
   * Returns the log folders of an application's containers on all nodes; kept after the
   * application's end.
   */
  public List<Path> containerLogs(String application) throws IOException {
    List<Path> logs = new ArrayList<>();
    try (DirectoryStream<Path> nodes = Files.newDirectoryStream(folder.nodes())) {
      for (Path node : nodes) {
        Path ofApplication = node.resolve("logs").resolve(application);
        try (DirectoryStream<Path> containers = Files.newDirectoryStream(ofApplication)) {
          containers.forEach(logs::add);
        } catch (NoSuchFileException e) {
          // No container ran on this node, or the node has deleted the logs.
        }
      }
    }
    return List.copyOf(logs);
  }

  /**
   * Returns one line for each application that is not in a final state, each process that runs in a
   * node's folders, and each staging folder. Empty on an idle cluster.
   */
  public List<String> leftovers() throws IOException, InterruptedException {
    List<String> lines = new ArrayList<>();
    for (Application application : unfinished()) {
      lines.add(
          "application "
              + application.id()
              + " ("
              + application.name()
              + ") is "
              + application.state());
    }
    ContainerProcess.below(folder.nodes()).forEach(process -> lines.add(process.toString()));
    for (String staging : stagingFolders()) {
      hdfsNames(staging).forEach(name -> lines.add("folder " + staging + "/" + name));
    }
    return List.copyOf(lines);
  }

  /**
   * Requests that YARN kill all applications, kills the processes that containers left behind, and
   * deletes the staging folders. Does not wait for the end; see {@link #awaitIdle}.
   */
  public void killAll() throws IOException, InterruptedException {
    for (Application application : unfinished()) {
      rest.kill(application.id());
    }
    for (ContainerProcess left : ContainerProcess.below(folder.nodes())) {
      ProcessHandle.of(left.pid()).ifPresent(ProcessHandle::destroyForcibly);
    }
    for (String staging : stagingFolders()) {
      rest.delete(staging);
    }
  }

  /**
   * Kills a container's process with SIGKILL, as in a crash.
   *
   * @param container a pattern of the container's id
   * @param command a pattern of the first 120 characters of the command line
   * @throws IllegalArgumentException if no process matches
   */
  public void kill(String container, String command) throws IOException {
    ContainerProcess found =
        ContainerProcess.below(folder.nodes()).stream()
            .filter(process -> process.container().matches(container))
            .filter(process -> process.command().matches(command))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no process runs " + command));
    if (!ProcessHandle.of(found.pid()).map(ProcessHandle::destroyForcibly).orElse(false)) {
      throw new IllegalStateException(found + " cannot be killed");
    }
  }

  /**
   * Waits until the nodes have reported this many containers of the application's first attempt as
   * running, including its ApplicationMaster's. Before that, YARN ends a container if its
   * ApplicationMaster is lost. The state is visible only in the ResourceManager's log, which this
   * method polls without a time limit.
   */
  public void awaitReported(String application, int containers)
      throws IOException, InterruptedException {
    String ofJob = application.replace("application", "container") + "_01_";
    while (Files.readAllLines(folder.clusterLog()).stream()
            .filter(line -> line.contains(ofJob) && line.endsWith("from ACQUIRED to RUNNING"))
            .count()
        < containers) {
      Thread.sleep(50);
    }
  }

  private List<Application> unfinished() throws IOException, InterruptedException {
    return applications().stream()
        .filter(application -> !FINAL_STATES.contains(application.state()))
        .toList();
  }

  /** Returns the staging folders of all users. */
  private List<String> stagingFolders() throws IOException, InterruptedException {
    List<String> folders = new ArrayList<>();
    for (String user : hdfsNames("/user")) {
      folders.add("/user/" + user + "/.tony/staging");
      folders.add("/user/" + user + "/.sparkStaging");
    }
    return folders;
  }

  /** Waits until nothing is left, and returns what is still left when the deadline has passed. */
  public List<String> awaitIdle(Duration deadline) throws IOException, InterruptedException {
    return Await.untilNoLeftovers(deadline, this::leftovers);
  }

  /** Stops the ResourceManager and starts another one, which recovers its state. */
  public void restartResourceManager() throws IOException, InterruptedException {
    command(TonyMini.RESTART_RESOURCE_MANAGER);
  }

  /**
   * Puts the active ResourceManager of {@code --ha true} on standby; returns when the other one is
   * active and the nodes have registered with it.
   */
  public void failOverResourceManager() throws IOException, InterruptedException {
    command(TonyMini.FAIL_OVER_RESOURCE_MANAGER);
  }

  /**
   * Puts the active NameNode of {@code --ha true} on standby; returns when the other one is active.
   */
  public void failOverNameNode() throws IOException, InterruptedException {
    command(TonyMini.FAIL_OVER_NAME_NODE);
  }

  private void command(String command) throws IOException, InterruptedException {
    long done = answers(command);
    OutputStream commands = process.getOutputStream();
    commands.write((command + "\n").getBytes(StandardCharsets.UTF_8));
    commands.flush();
    try {
      Await.until(
          () -> answers(command) > done, START_LIMIT, () -> "tony-mini to have done " + command);
    } catch (TimeoutException | UncheckedIOException e) {
      throw new IOException(e.getMessage() + ". The end of " + console + ":\n" + tail(console), e);
    }
    readAnnouncement();
  }

  private long answers(String command) {
    try (Stream<String> lines = Files.lines(console)) {
      return lines.filter(line -> line.equals(command + ": done")).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the audit lines in the NameNode's log, which name each operation and its user. */
  public List<String> audit() throws IOException {
    try (Stream<String> lines = Files.lines(folder.clusterLog())) {
      return lines.filter(line -> line.contains("audit: allowed=")).toList();
    }
  }

  /**
   * The folder with the keytabs and tickets of a secure cluster's users, such as {@code
   * USER.keytab}.
   */
  public Path kerberos() {
    return Path.of(property("krb5.conf")).getParent();
  }

  /** Stops the cluster with SIGTERM and returns when its process has ended. The folder is kept. */
  @Override
  public void close() throws IOException {
    if (!stop(process)) {
      throw new IOException(
          "tony-mini, process " + process.pid() + ", did not end on SIGTERM; it was killed");
    }
  }

  /** Ends a process with SIGTERM; returns false if SIGKILL was needed. */
  private static boolean stop(Process process) {
    process.destroy();
    try {
      if (process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        return true;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    return false;
  }
}
