package io.tony.azkaban4;

import io.tony.mini.MiniClusterProcess;
import io.tony.mini.Ports;
import io.tony.testing.BuildArtifacts;
import io.tony.testing.FolderCopy;
import io.tony.testing.InstalledJobType;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A whole Azkaban 4: its web server and its executor in one process, with a database in a file, and
 * with job type and viewer installed as an administrator does. It takes executions from the
 * database every 200 ms. All that it keeps is in one folder. It ends with this JVM.
 *
 * <p>Azkaban has no setting that binds its two ports to the loopback interface; whoever comes from
 * outside does not know the password, which is new for each instance.
 */
public final class Azkaban4 implements AutoCloseable {

  /** The user whose projects the tests upload; an administrator of this Azkaban. */
  static final String USER = "azkaban";

  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Duration STOP_LIMIT = Duration.ofMinutes(1);
  private static final int SHOWN_LINES = 40;

  private final AzkabanHome home = AzkabanHome.given();
  private final Path state;
  private final int webPort = Ports.next();
  private final int executorPort = Ports.next();
  private final String password = UUID.randomUUID().toString();
  private final InstalledJobType jobType;
  private final List<String> platformOptions = new ArrayList<>();
  private Optional<Path> platformJars = Optional.empty();
  private Process process;
  private AzkabanApi api;

  /**
   * Installs one, which is not started yet.
   *
   * @param state a new folder
   * @param cluster the cluster of the job type's steps
   * @param properties more lines of azkaban.properties
   */
  Azkaban4(Path state, MiniClusterProcess cluster, String... properties) throws IOException {
    this.state = Files.createDirectories(state).toRealPath();
    Path plugins = Files.createDirectory(this.state.resolve("plugins"));
    Files.createDirectory(tmp());
    jobType = InstalledJobType.install(plugins.resolve("jobtypes"), cluster);
    Files.write(
        plugins.resolve("jobtypes/commonprivate.properties"),
        List.of("execute.as.user=false", "memCheck.enabled=false"));
    FolderCopy.copy(BuildArtifacts.viewer(), plugins.resolve("viewer/tony"));
    writeConfiguration(List.of(properties));
  }

  private void writeConfiguration(List<String> more) throws IOException {
    Path conf = Files.createDirectory(state.resolve("conf"));
    Files.createFile(conf.resolve("global.properties"));
    Files.writeString(
        conf.resolve("azkaban-users.xml"),
        """
        <azkaban-users>
          <user username="%s" password="%s" roles="admin"/>
          <role name="admin" permissions="ADMIN"/>
        </azkaban-users>
        """
            .formatted(USER, password));
    List<String> lines = new ArrayList<>();
    lines.addAll(
        List.of(
            "azkaban.name=Test",
            "azkaban.label=TonY's tests",
            "azkaban.default.servlet.path=/index",
            "web.resource.dir=" + home.web() + "/",
            "default.timezone.id=UTC",
            "user.manager.class=azkaban.user.XmlUserManager",
            "user.manager.xml.file=" + conf.resolve("azkaban-users.xml"),
            "executor.global.properties=" + conf.resolve("global.properties"),
            "database.type=h2",
            // Pods open the same database.
            "h2.path=" + state.resolve("h2/azkaban") + ";AUTO_SERVER=TRUE",
            "h2.create.tables=true",
            "database.sql.scripts.dir=" + home.sql(),
            "jetty.use.ssl=false",
            "jetty.hostname=localhost",
            "azkaban.webserver.url=" + url(),
            "jetty.port=" + webPort));
    lines.addAll(
        List.of(
            "executor.port=" + executorPort,
            "azkaban.server.hostname=localhost",
            "azkaban.use.multiple.executors=true",
            "azkaban.execution.dispatch.method=POLL",
            "azkaban.poll.model=true",
            "azkaban.executor.polling.interval.ms=200",
            // Every five minutes it would end the executions of pods, which have no executor.
            "azkaban.executor.healthcheck.interval.min=600",
            "azkaban.webserver.queueprocessing.enabled=true",
            "azkaban.storage.type=DATABASE",
            "azkaban.project.dir=" + state.resolve("projects"),
            "azkaban.execution.dir=" + state.resolve("executions"),
            "cache.directory=" + state.resolve("cache"),
            "azkaban.jobtype.plugin.dir=" + jobType.jobTypes(),
            "viewer.plugin.dir=" + state.resolve("plugins/viewer"),
            "mail.sender=",
            "mail.host="));
    lines.addAll(more);
    Files.write(conf.resolve("azkaban.properties"), lines);
  }

  /**
   * Adds to what the server runs with, as a platform's own start script does.
   *
   * @param jars a folder of jars
   */
  Azkaban4 onPlatform(Path jars, String... jvmOptions) {
    platformJars = Optional.of(jars.toAbsolutePath());
    platformOptions.addAll(List.of(jvmOptions));
    return this;
  }

  private List<String> command() {
    List<String> command =
        home.command(
            tmp(),
            "384m",
            "azkaban.soloserver.AzkabanSingleServer",
            "-conf",
            state.resolve("conf").toString());
    platformJars.ifPresent(
        jars -> {
          int classpath = command.indexOf("-cp") + 1;
          command.set(classpath, command.get(classpath) + ":" + jars.resolve("*"));
        });
    command.addAll(1, platformOptions);
    return command;
  }

  /** Starts the server, or starts it again on what the last one left; returns when it works. */
  Azkaban4 start() throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command());
    AzkabanHome.clear(builder);
    builder
        .directory(state.toFile())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
    Process started = builder.start();
    process = started;
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(started), "stop-azkaban"));
    api = new AzkabanApi(url());
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    Optional<IOException> failure = tryToLogIn();
    while (failure.isPresent()) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        end(process);
        throw new IOException(
            "Azkaban does not start; exit code "
                + process.exitValue()
                + ". The end of "
                + log()
                + ":\n"
                + tail(),
            failure.get());
      }
      Thread.sleep(100); // nothing reports that a port has been opened
      failure = tryToLogIn();
    }
    return this;
  }

  /** A server that starts refuses connections, or closes them without an answer. */
  private Optional<IOException> tryToLogIn() throws InterruptedException {
    try {
      api.logIn(USER, password);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(e);
    }
  }

  /** Ends it with all processes that it has started. */
  private static void end(Process process) {
    List<ProcessHandle> all;
    try (Stream<ProcessHandle> children = process.descendants()) {
      all = children.toList();
    }
    process.destroyForcibly().onExit().join();
    all.forEach(ProcessHandle::destroyForcibly);
  }

  /** SIGTERM, as a service's stop sends it; returns when the server is gone. */
  void terminate() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("Azkaban does not end at SIGTERM:\n" + tail());
    }
  }

  /** SIGKILL. Its database can lose the last seconds: start a new one in a new folder. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    if (process != null) {
      end(process);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Whether something listens at the web server's port. */
  boolean webPortIsOpen() throws IOException {
    return isOpen(webPort);
  }

  /** Whether something listens at the executor's port. */
  boolean executorPortIsOpen() throws IOException {
    return isOpen(executorPort);
  }

  private static boolean isOpen(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (ConnectException e) {
      return false;
    }
  }

  URI url() {
    return URI.create("http://localhost:" + webPort);
  }

  /** Its AJAX API, of the user {@link #USER}, from the last start on. */
  AzkabanApi api() {
    return api;
  }

  String password() {
    return password;
  }

  AzkabanHome home() {
    return home;
  }

  /** The folder that has all files of this Azkaban. */
  Path state() {
    return state;
  }

  /** The folder of its temporary files. */
  Path tmp() {
    return state.resolve("tmp");
  }

  /** What the server writes of itself. */
  Path log() {
    return state.resolve("azkaban.log");
  }

  /** The installed job type; what is set after the start counts after the next start or reload. */
  InstalledJobType jobType() {
    return jobType;
  }

  /** Has the executor read its job types anew, as install.md says. */
  void reloadJobTypes() throws IOException, InterruptedException {
    executor("reloadJobTypePlugins");
  }

  /** Whether the executor takes executions; without it they wait, such as for a pod. */
  void takeExecutions(boolean active) throws IOException, InterruptedException {
    executor(active ? "activate" : "deactivate");
  }

  private void executor(String action) throws IOException, InterruptedException {
    URI url = URI.create("http://localhost:" + executorPort + "/executor?action=" + action);
    String answer =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(url).build(), BodyHandlers.ofString())
            .body();
    if (!answer.contains("success")) {
      throw new IOException(url + " answered " + answer);
    }
  }

  /** The living clients of its steps, those of a server that has ended included. */
  List<ProcessHandle> clients() {
    String ofThis = tmp() + "/.tony-";
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.filter(one -> one.info().commandLine().orElse("").contains("TonyCli"))
          .filter(one -> one.info().commandLine().orElse("").contains(ofThis))
          .toList();
    }
  }

  /** The folders with what the job type has written for its steps' clients. */
  List<Path> attemptFolders() throws IOException {
    try (Stream<Path> files = Files.list(tmp())) {
      return files.filter(file -> file.getFileName().toString().startsWith(".tony-")).toList();
    }
  }

  /** Adds a line to azkaban.properties; it counts after the next start. */
  void set(String line) throws IOException {
    Files.writeString(
        state.resolve("conf/azkaban.properties"), line + "\n", StandardOpenOption.APPEND);
  }

  private String tail() {
    try {
      List<String> lines = Files.readAllLines(log());
      return String.join(
          "\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
