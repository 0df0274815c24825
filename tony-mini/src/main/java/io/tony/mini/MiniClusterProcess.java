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
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A {@link TonyMini} in another process, for tests whose own class path must not contain Hadoop.
 * This class needs only Java: it queries YARN and HDFS through their REST APIs, and finds the
 * processes of containers in Linux's /proc. Thread-safe. Methods that query the cluster throw an
 * IOException if the cluster does not answer.
 */
public final class MiniClusterProcess implements AutoCloseable {

  private static final String JVM_OPTION = "-J";
  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Duration STOP_LIMIT = Duration.ofMinutes(1);
  private static final int MAX_TAIL_LINES = 20;
  private static final Set<String> FINAL_STATES = Set.of("FINISHED", "FAILED", "KILLED");

  /** The packages of the module java.base on which Hadoop uses reflection. */
  private static final List<String> OPENED_PACKAGES =
      List.of("java.lang", "java.util", "java.net", "java.io", "java.nio", "sun.nio.ch");

  /**
   * An application as the ResourceManager shows it.
   *
   * @param user the user who submitted the application
   * @param type the application's type, such as TONY or SPARK
   * @param state the application's state, such as RUNNING; FINISHED, FAILED and KILLED are final
   * @param finalStatus SUCCEEDED, FAILED or KILLED; UNDEFINED before the application's end
   * @param tags the application's tags; lower-case, because YARN converts them
   * @param allocatedMiB the memory of all containers of the application, including that of the
   *     ApplicationMaster, in MiB; -1 after the application's end
   * @param used the amount that is allocated to the application, by the name of the resource type;
   *     empty after the application's end
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
   * Starts a cluster and returns when it accepts work, after about 8 s. When this JVM ends, the
   * cluster is stopped.
   *
   * @param jar the jar of tony-mini
   * @param lib the folder of all jars that tony-mini needs
   * @param dir a new or empty folder, or the folder of an earlier cluster; the process's output
   *     goes to the file {@code <dir>.console} beside the folder
   * @param options further options of {@link TonyMini}; an option such as {@code -J-Dname=value}
   *     passes {@code -Dname=value} to the process's JVM
   * @throws IOException if the process ends or the cluster is not ready in time; the message
   *     contains the end of the output, and the process has been stopped
   */
  public static MiniClusterProcess start(Path jar, Path lib, Path dir, String... options)
      throws IOException, InterruptedException {
    Path root = Files.createDirectories(dir).toRealPath();
    ClusterFolder folder = new ClusterFolder(root);
    // An earlier cluster that was killed could not delete its ready file.
    Files.deleteIfExists(folder.ready());
    Path console = root.resolveSibling(root.getFileName() + ".console");
    Process process =
        new ProcessBuilder(command(jar, lib, root, options))
            .redirectErrorStream(true)
            .redirectOutput(console.toFile())
            .start();
    // The hook waits for the cluster's end, so that the machine is idle for the next test run.
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
    // The process runs only for minutes, too short for the optimizing compiler to be worth its
    // cost.
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
   * Returns a property that the cluster announces when it is ready: {@code pid}, {@code user},
   * {@code fs.default}, {@code namenode.http}, {@code resourcemanager.http}, {@code conf}, {@code
   * classpath}, {@code krb5.conf} if the cluster is secure, and {@code fs.other} if there is a
   * second HDFS. If there are two NameNodes or ResourceManagers, the address is that of the active
   * one.
   *
   * @throws IllegalArgumentException if the cluster has no such property
   */
  public String property(String name) {
    String value = ready.getProperty(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "tony-mini announces " + ready.stringPropertyNames() + ", not " + name);
    }
    return value;
  }

  /** Returns all applications that YARN remembers, including those that have ended. */
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

  /**
   * Returns the names of the files and folders in a folder on HDFS; empty if the folder does not
   * exist.
   */
  public List<String> hdfsNames(String path) throws IOException, InterruptedException {
    return rest.names(path);
  }

  /**
   * Returns the path of the home folder, on HDFS, of the user as whom the cluster runs. The
   * histories and staging folders of this user's jobs are in it.
   */
  public String hdfsHome() {
    return "/user/" + property("user");
  }

  /** Creates a user's home folder on HDFS and makes the user its owner. */
  public void makeHome(String user) throws IOException, InterruptedException {
    rest.makeFolder("/user/" + user, user);
  }

  /** Returns the owner of a file or folder on HDFS. */
  public String hdfsOwner(String path) throws IOException, InterruptedException {
    return rest.owner(path);
  }

  /**
   * Returns the log folders of all containers of an application, on all nodes. They are kept after
   * the application's end.
   */
  public List<Path> containerLogs(String application) throws IOException {
    List<Path> logs = new ArrayList<>();
    try (DirectoryStream<Path> nodes = Files.newDirectoryStream(folder.nodes())) {
      for (Path node : nodes) {
        Path ofApplication = node.resolve("logs").resolve(application);
        try (DirectoryStream<Path> containers = Files.newDirectoryStream(ofApplication)) {
          containers.forEach(logs::add);
        } catch (NoSuchFileException e) {
          // No container of the application ran on this node, or the node has deleted the logs.
        }
      }
    }
    return List.copyOf(logs);
  }

  /**
   * Returns one line for each application that is not in a final state, for each process of a
   * container, and for each job's staging folder. Empty if the cluster is idle.
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
   * Requests that YARN kill all applications, kills the processes of containers, and deletes the
   * staging folders. Does not wait for the applications' end; see {@link #awaitIdle}.
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
   * Kills one process of a container with SIGKILL, as if it crashed.
   *
   * @param container regular expression for the container's id
   * @param command regular expression for the first 120 characters of the process's command line
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
   * Waits until the nodes have reported this many containers of the application's first attempt to
   * the ResourceManager as running, including the container of the ApplicationMaster. YARN ends a
   * container that has not been reported if the ApplicationMaster is lost. Whether a container has
   * been reported is visible only in the ResourceManager's log; this method polls the log without a
   * time limit.
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

  /** Returns the paths of the folders in which the staging folders of jobs are, for all users. */
  private List<String> stagingFolders() throws IOException, InterruptedException {
    List<String> folders = new ArrayList<>();
    for (String user : hdfsNames("/user")) {
      folders.add("/user/" + user + "/.tony/staging");
      folders.add("/user/" + user + "/.sparkStaging");
    }
    return folders;
  }

  /**
   * Waits until the cluster is idle or the deadline has passed; returns what is still left ({@link
   * #leftovers}).
   *
   * @param deadline the maximum wait, from now
   */
  public List<String> awaitIdle(Duration deadline) throws IOException, InterruptedException {
    return Await.untilNoLeftovers(deadline, this::leftovers);
  }

  /**
   * Stops the ResourceManager and starts a new one, which recovers the applications and their
   * containers.
   */
  public void restartResourceManager() throws IOException, InterruptedException {
    command(TonyMini.RESTART_RESOURCE_MANAGER);
  }

  /**
   * Puts the active one of two ResourceManagers on standby ({@code --ha true}). Returns when the
   * other one is active and the nodes have registered with it.
   */
  public void failOverResourceManager() throws IOException, InterruptedException {
    command(TonyMini.FAIL_OVER_RESOURCE_MANAGER);
  }

  /**
   * Puts the active one of two NameNodes on standby ({@code --ha true}). Returns when the other one
   * is active.
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

  /**
   * Returns the audit lines in the cluster's log. Each names one operation on HDFS and its user.
   */
  public List<String> audit() throws IOException {
    try (Stream<String> lines = Files.lines(folder.clusterLog())) {
      return lines.filter(line -> line.contains("audit: allowed=")).toList();
    }
  }

  /**
   * Returns the folder with the keytabs and ticket caches of a secure cluster's users, such as
   * {@code USER.keytab}.
   */
  public Path kerberos() {
    return Objects.requireNonNull(Path.of(property("krb5.conf")).getParent());
  }

  /**
   * Stops the cluster with SIGTERM and returns when its process has ended. The cluster's folder is
   * kept.
   */
  @Override
  public void close() throws IOException {
    if (!stop(process)) {
      throw new IOException(
          "tony-mini, process " + process.pid() + ", did not end on SIGTERM; it was killed");
    }
  }

  /**
   * Ends a process with SIGTERM. Returns false if it did not end in time or this thread was
   * interrupted; the process has then been killed with SIGKILL.
   */
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
