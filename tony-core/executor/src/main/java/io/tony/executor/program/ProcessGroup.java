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
import org.jspecify.annotations.Nullable;

/**
 * The processes of a user's program, which are started and ended together: one process group in a
 * session of its own, and the processes that have left this group but have the program's {@link
 * ProgramMark} in their environment. The group's leader is the program's shell ({@code
 * start-program.sh}), so a signal to the group reaches no process of TonY. The processes also end
 * when this JVM ends, however it ends: a separate process, the lifeline ({@code lifeline.sh}),
 * reads orders from a pipe and kills them when the pipe is closed. Also used for preflight checks
 * and for users' shells. Thread-safe.
 */
public final class ProcessGroup {
  private static final ExecutorLog LOG = new ExecutorLog(ProcessGroup.class);
  private static final String START_SCRIPT = "start-program.sh";
  private static final String LIFELINE_SCRIPT = "lifeline.sh";

  /** Name of the folder for the executor's own files, in the task's working directory. */
  public static final String EXECUTOR_FOLDER = ".tony";

  private static final String MARK_VARIABLE = "TONY_PROGRAM_ID";

  /** Exit code of a shell that was ended by SIGTERM: 128 + 15. */
  private static final int SIGTERM_EXIT_CODE = 143;

  /** Order that makes the lifeline send SIGTERM to the process group. */
  private static final String TERMINATE_ORDER = "TERM\n";

  /** Order that makes the lifeline end as soon as all processes have ended by themselves. */
  private static final String REST_ORDER = "REST\n";

  /** Pause before a program that was killed and still has processes is killed again. */
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

  // The fields below are guarded by this.
  // waits for the program's end; null before it starts and after that end
  private @Nullable Thread watcher;
  private @Nullable Duration grace; // time between SIGTERM and SIGKILL; null until stop is called
  private long killNanos; // when to kill next; valid after stop was called

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
   * Starts a shell, in the working directory, that waits for its command line (see {@link #run}).
   * Its stdout and stderr are appended to the files {@code stdout} and {@code stderr} in {@code
   * logs}.
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
   * Starts a shell that runs beside the program and waits for its command line (see {@link #run}).
   * The shell reads from {@link #input} and writes to {@link #output}.
   *
   * @param commandFile name of the file that receives its command line, in {@link #EXECUTOR_FOLDER}
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
    // The command line is passed in a file, because it may be longer than an argument may be.
    Path commandFile = folder.resolve(command);
    String mark = MARK_VARIABLE + "=" + UUID.randomUUID();
    ProcessBuilder builder =
        script(folder, START_SCRIPT, commandFile.toString(), mark, readsInput)
            .directory(workingDirectory.toFile());
    redirect.accept(builder);
    builder.environment().keySet().removeIf(ExecutorSettings::isExecutorVariable);
    builder.environment().remove(ProgramTokens.VARIABLE); // the program gets its own token file
    // Lets Python print its stacks when a signal ends it, unless the user has set this variable,
    // even to an empty value.
    builder.environment().putIfAbsent("PYTHONFAULTHANDLER", "1");
    try {
      Process leader = spawner.startProcess(builder);
      Process lifeline = spawner.startProcess(lifeline(folder, leader.pid(), mark));
      ProcessGroup group = new ProcessGroup(leader, lifeline, mark, commandFile, spawner);
      group.startWatcher();
      return group;
    } catch (IOException e) {
      // The leader may run already, if the lifeline or the watcher thread could not be started.
      ProgramKiller.killByArgument(mark, spawner);
      throw e;
    }
  }

  private static ProcessBuilder lifeline(Path folder, long leader, String mark) throws IOException {
    ProcessBuilder builder =
        script(folder, LIFELINE_SCRIPT, Long.toString(leader), mark)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    // This JVM has a mark if it is itself part of a program, because a TonY task runs a TonY job.
    // The lifeline must not have that mark, or it would count as a process of that program.
    builder.environment().remove(MARK_VARIABLE);
    return builder;
  }

  /**
   * Returns a builder that runs one of TonY's scripts in a session of its own. Writes the script
   * into the folder.
   */
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
   * Starts the thread that waits for the program's end and kills the program after the grace
   * period. The thread is started with the program, because no thread could be started later if the
   * program has used up all threads.
   */
  private synchronized void startWatcher() throws IOException {
    watcher = spawner.startThread("program", this::awaitEnd);
  }

  private void awaitEnd() {
    while (!endsWithinGrace(leader)) {
      kill();
    }
    endedMillis = System.currentTimeMillis();
    // SIGTERM ended the shell, but its child processes may still be saving their state: wait for
    // them.
    if (terminated && leader.exitValue() == SIGTERM_EXIT_CODE && sendOrder(REST_ORDER)) {
      boolean unused = endsWithinGrace(lifeline);
    }
    synchronized (this) {
      watcher = null;
    }
    // Clear an interrupt by stop, which would disturb kill. No further one follows, because stop
    // interrupts no thread once watcher is null.
    boolean unused = Thread.interrupted();
    kill();
    ended.complete(leader.exitValue());
  }

  /**
   * Waits for the process to end. Returns false if the grace period of {@link #stop} passes first;
   * before {@code stop} is called there is no limit.
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
        // stop was called and has set a grace period: compute the remaining time again.
      }
    }
  }

  /**
   * Returns the time until the next kill, in nanoseconds; 24 hours if {@link #stop} was not called
   * yet.
   */
  private synchronized long remainingNanos() {
    return grace == null
        ? TimeUnit.DAYS.toNanos(1)
        : Math.max(0, killNanos - AwakeClock.nanoTime());
  }

  /**
   * Returns true if the grace period has passed, so that the program must be killed now. Then also
   * schedules the next kill, for the case that processes are left.
   */
  private synchronized boolean checkGraceExpired() {
    if (grace == null || killNanos - AwakeClock.nanoTime() > 0) {
      return false;
    }
    LOG.info("the program did not end within " + grace.toMillis() + " ms of SIGTERM");
    killNanos = AwakeClock.nanoTime() + KILL_INTERVAL.toNanos();
    return true;
  }

  // ---- Called on any thread ----

  /**
   * Runs a command line in the prepared shell.
   *
   * @param command passed to bash unchanged
   * @param environment variables to add to this process's own
   */
  public void run(String command, Map<String, String> environment) throws IOException {
    replaceFile(commandFile, (command + "\n").getBytes(StandardCharsets.UTF_8));
    sendEnvironment(environment);
  }

  /** Returns the stdin of a shell from {@link #prepareShell}. */
  public OutputStream input() {
    return leader.getOutputStream();
  }

  /** Returns the output of a shell from {@link #prepareShell}. */
  public InputStream output() {
    return leader.getInputStream();
  }

  /**
   * Writes the variables to a pipe that the shell reads: Java would encode them in the node's
   * locale, not in UTF-8.
   */
  private void sendEnvironment(Map<String, String> environment) throws IOException {
    StringBuilder text = new StringBuilder();
    environment.forEach((name, value) -> text.append(name + '=' + value + '\0'));
    OutputStream pipe = leader.getOutputStream();
    pipe.write(text.append('\0').toString().getBytes(StandardCharsets.UTF_8));
    pipe.flush();
  }

  /**
   * Returns the process ID of the group's leader, the program's shell. It is also the ID of the
   * process group and of the session.
   */
  public long pid() {
    return leader.pid();
  }

  /** Returns a new scanner that finds the program's processes. Each scanner is for one thread. */
  ProcessScanner newScanner() {
    return new ProcessScanner(pid(), new ProgramMark(mark, spawner));
  }

  /** Returns the spawner with which the program's threads and processes are started. */
  Spawner spawner() {
    return spawner;
  }

  /**
   * Returns true while the program's shell is alive, even if the shell still waits for its command
   * line.
   */
  boolean isAlive() {
    // The handle is asked, because Process.isAlive notices the end of the process a moment later.
    return leader.toHandle().isAlive();
  }

  /** Kills the shell and all that it has started, and waits for the end. */
  public void discard() {
    kill();
    ended.join();
  }

  /**
   * Returns a future that completes with the exit code of the program's shell when the shell has
   * ended and all other processes have been killed. The code is 128 + n after signal n.
   */
  public CompletableFuture<Integer> ended() {
    return ended.copy();
  }

  /**
   * Returns when the program's shell ended, in milliseconds since 1970; 0 if it has not ended.
   * Other processes of the group may end later.
   */
  long endedMillis() {
    return endedMillis;
  }

  /**
   * Sends SIGTERM to the process group and, if processes are left after {@code grace}, SIGKILL to
   * all of them. Does not wait for their end.
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

  /** Kills all processes at once. Works even if neither a process nor a thread can be started. */
  public void kill() {
    leader.toHandle().destroyForcibly();
    killer.killAll();
    try {
      // Closing the pipe makes the lifeline kill the processes that are left, and then end.
      lifeline.getOutputStream().close();
    } catch (IOException e) {
      LOG.warn("the lifeline of group " + pid() + " has ended before: " + e);
    }
  }

  /** Sends SIGTERM to the process group. Does not wait for the end of its processes. */
  public void terminate() {
    terminated = true;
    if (!sendOrder(TERMINATE_ORDER)) {
      killer.terminate();
    }
  }

  /** Sends an order to the lifeline. Returns false if the lifeline has ended. */
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
   * Runs a bash script and waits for its end; its output and exit code are ignored. Signals are
   * sent by such a script, with bash's built-in {@code kill}, because a minimal image may lack the
   * program {@code kill}.
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
   * Replaces a file atomically, because a bash may be reading the old file. If the program has put
   * something else in the file's place, such as a pipe, replaces that, too.
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
