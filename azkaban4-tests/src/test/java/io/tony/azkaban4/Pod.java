package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;
import static org.junit.Assume.assumeTrue;

import io.tony.testing.FolderCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One execution as Azkaban's containerized mode runs it: {@code FlowContainer}, alone in a PID
 * namespace, so that all processes end with it. It has the job types and settings of an Azkaban as
 * an image has them, a home folder of its own, and shares the database. Needs root.
 */
final class Pod implements AutoCloseable {

  private static final Duration LINE_LIMIT = Duration.ofMinutes(2);
  private static final long END_LIMIT_MINUTES = 2;

  private final Process namespace;
  private final Path folder;

  private Pod(Process namespace, Path folder) {
    this.namespace = namespace;
    this.folder = folder;
  }

  /** Says that the test is not run where a namespace cannot be made. */
  static void assumePossible() throws IOException, InterruptedException {
    boolean possible =
        new ProcessBuilder("unshare", "--pid", "--fork", "--mount-proc", "true")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor()
            == 0;
    if (!possible) {
      System.err.println("Not run: a pod needs root, for a PID namespace (unshare --pid).");
    }
    assumeTrue("a PID namespace", possible);
  }

  /**
   * Starts a pod that takes an execution.
   *
   * @param folder a new folder
   * @param execution one that no executor takes: {@link Azkaban4#takeExecutions}
   */
  static Pod start(Azkaban4 azkaban, Path folder, int execution) throws IOException {
    Files.createDirectories(folder);
    Path tmp = Files.createDirectory(folder.resolve("tmp"));
    FolderCopy.copy(azkaban.state().resolve("conf"), folder.resolve("conf"));
    FolderCopy.copy(azkaban.state().resolve("plugins"), folder.resolve("plugins"));
    useOwnPlugins(azkaban, folder);
    List<String> command = azkaban.home().command(tmp, "256m", "azkaban.container.FlowContainer");
    command.addAll(
        0, List.of("unshare", "--pid", "--fork", "--mount-proc", "--kill-child=SIGKILL"));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    AzkabanHome.clear(builder);
    builder
        .environment()
        .putAll(
            Map.of(
                "HOME", Files.createDirectory(folder.resolve("home")).toString(),
                "AZ_HOME", folder.toString(),
                "FLOW_EXECUTION_ID", Integer.toString(execution),
                "VERSION_SET_ID", "1"));
    builder.redirectErrorStream(true).redirectOutput(folder.resolve("pod.log").toFile());
    return new Pod(builder.start(), folder);
  }

  private static void useOwnPlugins(Azkaban4 azkaban, Path folder) throws IOException {
    Path properties = folder.resolve("conf/azkaban.properties");
    Files.writeString(
        properties,
        Files.readString(properties)
            .replace(
                azkaban.state().resolve("plugins").toString(),
                folder.resolve("plugins").toString()));
  }

  /** SIGTERM to the first process of the pod, as Kubernetes sends it. */
  void terminate() {
    try (Stream<ProcessHandle> children = namespace.children()) {
      children.forEach(ProcessHandle::destroy);
    }
  }

  /** SIGKILL to all that is in it, as when its node is lost. */
  void kill() {
    namespace.destroyForcibly();
  }

  /** Waits until nothing of it runs. */
  void awaitEnd() throws IOException, InterruptedException {
    if (!namespace.waitFor(END_LIMIT_MINUTES, TimeUnit.MINUTES)) {
      throw new AssertionError("the pod has not ended:\n" + log());
    }
  }

  /** What its first process wrote. */
  String log() throws IOException {
    return Files.readString(folder.resolve("pod.log"));
  }

  /**
   * The log of a job's only attempt, as the pod has written it so far; empty before it has begun.
   * Azkaban shows it only once the job has ended, where no web server can ask the pod for it.
   */
  String log(String job) throws IOException {
    if (!Files.isDirectory(folder.resolve("project"))) {
      return "";
    }
    try (Stream<Path> files = Files.list(folder.resolve("project"))) {
      Optional<Path> log =
          files
              .filter(
                  file -> file.getFileName().toString().matches("_job\\.\\d+\\." + job + "\\.log"))
              .findFirst();
      return log.isPresent() ? Files.readString(log.get()) : "";
    }
  }

  /** The only application that the log of a job names. */
  String application(String job) throws IOException {
    List<String> ids =
        Pattern.compile("application_\\d+_\\d+")
            .matcher(log(job))
            .results()
            .map(MatchResult::group)
            .distinct()
            .toList();
    assertEquals(log(job), 1, ids.size());
    return ids.get(0);
  }

  /** Waits for a text in the log of a job; fails at once when the pod has ended. */
  void awaitLine(String job, String text) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + LINE_LIMIT.toNanos();
    boolean last = false;
    while (!log(job).contains(text)) {
      if (last) {
        throw new AssertionError(
            "waited in vain for '" + text + "' in the log of " + job + ":\n" + log(job) + log());
      }
      last = !namespace.isAlive() || System.nanoTime() > deadline;
      Thread.sleep(100); // a file tells nobody that it grows
    }
  }

  @Override
  public void close() {
    namespace.destroyForcibly();
  }
}
