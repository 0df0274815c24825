package io.tony.executor.program;

import io.tony.clock.AwakeClock;
import io.tony.executor.settings.ExecutorLog;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.executor.token.ProgramTokens;
import io.tony.process.Spawner;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The user's program and all its descendants: one process group in its own session, and processes
 * that have left it but carry a variable in their environment. The group's leader is the program's
 * shell ({@code start-program.sh}), so a signal to the group reaches no process of TonY. The
 * processes can be ended as a whole, and end with this JVM, however the JVM ends: a separate
 * process, the lifeline ({@code lifeline.sh}), takes orders by a pipe and ends them when the pipe
 * closes.
 */
public final class ProcessGroup {
  private static final ExecutorLog LOG = new ExecutorLog(ProcessGroup.class);
  private static final String START_SCRIPT = "start-program.sh";
  private static final String LIFELINE_SCRIPT = "lifeline.sh";

  /** Name of the folder, in the working directory, for the executor's own files. */
  public static final String EXECUTOR_FOLDER = ".tony";

  private static final String MARK_VARIABLE = "TONY_PROGRAM_ID";

  /** Exit code of a shell that was ended by SIGTERM: 128 + 15. */
  private static final int SIGTERM_EXIT_CODE = 143;

  /** Orders to the lifeline. */
  private static final String TERMINATE_ORDER = "TERM\n";

  private static final String REST_ORDER = "REST\n";

  /** Pause before the remains of a killed program are killed again. */
  private static final Duration KILL_INTERVAL = Duration.ofSeconds(1);

  private final Process leader;
  private final Process lifeline;
  private final String mark;
  private final Path commandFile;
  private final Spawner spawner;
  private final ProgramKiller killer;
  private final CompletableFuture<Integer> ended = new CompletableFuture<>();
  private volatile boolean terminated;
  private volatile long endedMillis;

  // Guarded by this.
  private Thread watcher; // null before it starts and after the program's end
  private Duration grace; // null until stop is called
  private long killNanos; // set once stop is called

  private ProcessGroup(
      Process leader, Process lifeline, String mark, Path commandFile, Spawner spawner) {
    this.leader = leader;
    this.lifeline = lifeline;
    this.mark = mark;
    this.commandFile = commandFile;
    this.spawner = spawner;
    this.killer = new ProgramKiller(leader.pid(), mark, spawner);
  }

  /**
   * Starts a shell, in the working directory, that waits for its command line. Its output goes to
   * {@code stdout} and {@code stderr} in the log folder.
   */
  static ProcessGroup prepare(Path workingDirectory, Path logs, Spawner spawner)
      throws IOException {
    return start(
        spawner,
        workingDirectory,
        "command.sh",
        "",
        builder ->
            builder
                .redirectOutput(ProcessBuilder.Redirect.appendTo(logs.resolve("stdout").toFile()))
                .redirectError(ProcessBuilder.Redirect.appendTo(logs.resolve("stderr").toFile())));
  }

  /** Like {@link #prepare(Path, Path, Spawner)}, with {@link Spawner#SYSTEM}. */
  static ProcessGroup prepare(Path workingDirectory, Path logs) throws IOException {
    return prepare(workingDirectory, logs, Spawner.SYSTEM);
  }

  /**
   * Starts a shell, beside the program, that waits for its command line. It reads from {@link
   * #input} and writes to {@link #output}.
   *
   * @param commandFile name of the file for its command line, in {@link #EXECUTOR_FOLDER}
   */
  public static ProcessGroup prepareShell(
      Path workingDirectory, String commandFile, Spawner spawner) throws IOException {
    return start(
        spawner,
        workingDirectory,
        commandFile,
        "reads",
        builder -> builder.redirectErrorStream(true));
  }

  private static ProcessGroup start(
      Spawner spawner,
      Path workingDirectory,
      String command,
      String readsInput,
      Consumer<ProcessBuilder> redirect)
      throws IOException {
    Path folder = Files.createDirectories(workingDirectory.resolve(EXECUTOR_FOLDER));
    // In a file, because a command line may exceed the maximum length of an argument.
    Path commandFile = folder.resolve(command);
    String mark = MARK_VARIABLE + "=" + UUID.randomUUID();
    ProcessBuilder builder =
        script(folder, START_SCRIPT, commandFile.toString(), mark, readsInput)
            .directory(workingDirectory.toFile());
    redirect.accept(builder);
    builder.environment().keySet().removeIf(ExecutorSettings::isExecutorVariable);
    builder.environment().remove(ProgramTokens.VARIABLE); // the program gets another token file
    // Makes Python print its stack when a signal ends it. A value set by the user, even empty,
    // stays.
    builder.environment().putIfAbsent("PYTHONFAULTHANDLER", "1");
    try {
      Process leader = spawner.startProcess(builder);
      Process lifeline = spawner.startProcess(lifeline(folder, leader.pid(), mark));
      ProcessGroup group = new ProcessGroup(leader, lifeline, mark, commandFile, spawner);
      group.startWatcher();
      return group;
    } catch (IOException e) {
      ProgramKiller.killByArgument(
          mark, spawner); // the leader may run already, for example if only a thread was missing
      throw e;
    }
  }

  private static ProcessBuilder lifeline(Path folder, long leader, String mark) throws IOException {
    ProcessBuilder builder =
        script(folder, LIFELINE_SCRIPT, Long.toString(leader), mark)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().remove(MARK_VARIABLE); // set if this JVM itself runs under an executor
    return builder;
  }

  /** Returns a builder that runs one of TonY's scripts in a new session. */
  private static ProcessBuilder script(Path folder, String name, String... arguments)
      throws IOException {
    Path file = folder.resolve(name);
    replaceFile(file, readResource(name));
    List<String> command = new ArrayList<>(List.of("setsid", "bash", file.toString()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  // ---- Watcher thread ----

  /**
   * Starts the thread that watches the program to its end. It must exist from the start: if the
   * program has to be ended because it used up all threads and processes, no new thread could be
   * created.
   */
  private synchronized void startWatcher() throws IOException {
    watcher = spawner.startThread("program", this::awaitEnd);
  }

  private void awaitEnd() {
    while (!endsWithinGrace(leader)) {
      kill();
    }
    endedMillis = System.currentTimeMillis();
    // A program that SIGTERM ended may have started processes that still save its state.
    if (terminated && leader.exitValue() == SIGTERM_EXIT_CODE && sendOrder(REST_ORDER)) {
      boolean unused = endsWithinGrace(lifeline);
    }
    synchronized (this) {
      watcher = null;
    }
    boolean unused = Thread.interrupted(); // no further interrupts are sent
    kill();
    ended.complete(leader.exitValue());
  }

  /**
   * Waits for the process to end. Returns false if the grace period is over first; without a stop
   * there is no limit.
   */
  private boolean endsWithinGrace(Process process) {
    while (true) {
      try {
        if (process.waitFor(remainingNanos(), TimeUnit.NANOSECONDS)) {
          return true;
        }
        if (checkGraceExpired()) {
          return false;
        }
      } catch (InterruptedException e) {
        // stop was called, perhaps again
      }
    }
  }

  /** Returns the time until the next kill, or one day while no stop is requested. */
  private synchronized long remainingNanos() {
    return grace == null
        ? TimeUnit.DAYS.toNanos(1)
        : Math.max(0, killNanos - AwakeClock.nanoTime());
  }

  /** Returns true if the program must be killed now, and schedules the next kill. */
  private synchronized boolean checkGraceExpired() {
    if (grace == null || killNanos - AwakeClock.nanoTime() > 0) {
      return false;
    }
    LOG.info("the program did not end within " + grace.toMillis() + " ms of SIGTERM");
    killNanos = AwakeClock.nanoTime() + KILL_INTERVAL.toNanos();
    return true;
  }

  // ---- Any thread ----

  /**
   * Runs a command line in the prepared shell.
   *
   * @param command passed to bash unchanged
   * @param environment variables in addition to this process's own
   */
  public void run(String command, Map<String, String> environment) throws IOException {
    replaceFile(commandFile, (command + "\n").getBytes(StandardCharsets.UTF_8));
    sendEnvironment(environment);
  }

  /** Returns the stream that a shell reads. */
  public OutputStream input() {
    return leader.getOutputStream();
  }

  /** Returns the stream that a shell writes. */
  public InputStream output() {
    return leader.getInputStream();
  }

  /** Sends the variables by a pipe, because a process builder encodes them in the node's locale. */
  private void sendEnvironment(Map<String, String> environment) throws IOException {
    StringBuilder text = new StringBuilder();
    environment.forEach((name, value) -> text.append(name + '=' + value + '\0'));
    OutputStream pipe = leader.getOutputStream();
    pipe.write(text.append('\0').toString().getBytes(StandardCharsets.UTF_8));
    pipe.flush();
  }

  /** Returns the process ID of the program's shell, which is also its group ID and session ID. */
  public long pid() {
    return leader.pid();
  }

  /** Returns a new scanner for the program's processes, for use by one thread. */
  ProcessScanner newScanner() {
    return new ProcessScanner(pid(), new ProgramMark(mark, spawner));
  }

  /** Returns the spawner of the program's threads and processes. */
  Spawner spawner() {
    return spawner;
  }

  /**
   * Returns true while the program's shell is alive, even if it still waits for its command line.
   */
  boolean isAlive() {
    return leader.toHandle().isAlive(); // Process.isAlive notices the end a moment later
  }

  /** Ends a shell whose command line will not be sent, and waits until nothing of it is left. */
  public void discard() {
    kill();
    ended.join();
  }

  /**
   * Returns a future that completes with the exit code when the program has ended and the rest of
   * its group has been killed. The code is as a shell reports it: 128 + n after signal n.
   */
  public CompletableFuture<Integer> ended() {
    return ended.copy();
  }

  /**
   * Returns when the program's shell ended, in milliseconds since 1970; 0 before. Other processes
   * of the group may have lived longer.
   */
  long endedMillis() {
    return endedMillis;
  }

  /**
   * Sends SIGTERM to the whole group, and SIGKILL after {@code grace}. Does not wait for the end.
   */
  void stop(Duration grace) {
    terminate();
    synchronized (this) {
      if (watcher != null) {
        this.grace = grace;
        killNanos = AwakeClock.nanoTime() + grace.toNanos();
        watcher.interrupt();
      }
    }
  }

  /** Kills all processes at once. Works even if no process or thread can be created. */
  public void kill() {
    leader.toHandle().destroyForcibly();
    killer.killAll();
    try {
      lifeline.getOutputStream().close(); // the lifeline then kills what is left, and ends
    } catch (IOException e) {
      LOG.warn("the lifeline of group " + pid() + " has ended before: " + e);
    }
  }

  /** Sends SIGTERM to the whole group, without waiting. */
  public void terminate() {
    terminated = true;
    if (!sendOrder(TERMINATE_ORDER)) {
      killer.terminate();
    }
  }

  /** Returns false if the lifeline has ended. */
  private boolean sendOrder(String order) {
    try {
      OutputStream pipe = lifeline.getOutputStream();
      pipe.write(order.getBytes(StandardCharsets.US_ASCII));
      pipe.flush();
      return true;
    } catch (IOException e) {
      LOG.warn("the lifeline of group " + pid() + " takes no orders: " + e);
      return false;
    }
  }

  /**
   * Runs a bash script and waits for its end, for bash's built-in kill: a minimal image may lack
   * the program.
   */
  public static void runBash(String script, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("bash", "-c", script, "bash"));
    command.addAll(List.of(arguments));
    try {
      Spawner.SYSTEM
          .startProcess(
              new ProcessBuilder(command)
                  .redirectErrorStream(true)
                  .redirectOutput(ProcessBuilder.Redirect.DISCARD))
          .waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Replaces a file, or anything that the program has put in its place, atomically, because a bash
   * may be reading the old file.
   */
  public static void replaceFile(Path file, byte[] content) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID());
    Files.write(next, content, StandardOpenOption.CREATE_NEW);
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }

  public static byte[] readResource(String name) throws IOException {
    try (InputStream in = ProcessGroup.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }
}
