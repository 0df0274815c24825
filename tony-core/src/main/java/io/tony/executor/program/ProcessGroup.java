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
 * The user's program and all its descendants: one process group, in a session of its own, and those
 * that have left it and are known by a variable of their environment. The group's leader is the
 * program's own shell ({@code start-program.sh}): a signal to the group meets nothing of TonY's.
 * They can be ended as a whole, and die with this JVM, however this JVM dies: beside them stands
 * their lifeline ({@code lifeline.sh}), which takes orders by a pipe and ends them when that ends.
 */
public final class ProcessGroup {
  private static final ExecutorLog LOG = new ExecutorLog(ProcessGroup.class);
  private static final String START_SCRIPT = "start-program.sh";
  private static final String LIFELINE_SCRIPT = "lifeline.sh";

  /** Folder of this executor's own files in the working directory. */
  public static final String EXECUTOR_FOLDER = ".tony";

  private static final String MARK_VARIABLE = "TONY_PROGRAM_ID";

  /** 128 + 15: a shell that SIGTERM ended. */
  private static final int SIGTERM_EXIT_CODE = 143;

  /** Orders to the lifeline. */
  private static final String TERMINATE_ORDER = "TERM\n";

  private static final String REST_ORDER = "REST\n";

  /** Before what is left of a program that was killed is killed again. */
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
  private Thread watcher; // null before it has begun, and when the program has ended
  private Duration grace; // null until it is to end
  private long killNanos; // once it is to end

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
   * Starts what waits for the command line, in the working directory; its output will go to {@code
   * stdout} and {@code stderr} in the log folder.
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

  /** With the operating system as it is. */
  static ProcessGroup prepare(Path workingDirectory, Path logs) throws IOException {
    return prepare(workingDirectory, logs, Spawner.SYSTEM);
  }

  /**
   * Starts what waits for the command line of a shell, beside the program: it reads from {@link
   * #input}; its output is read from {@link #output}.
   *
   * @param commandFile its name among this executor's own files
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
    // In a file and not in an argument: a command line may be longer than an argument may be.
    Path commandFile = folder.resolve(command);
    String mark = MARK_VARIABLE + "=" + UUID.randomUUID();
    ProcessBuilder builder =
        script(folder, START_SCRIPT, commandFile.toString(), mark, readsInput)
            .directory(workingDirectory.toFile());
    redirect.accept(builder);
    builder.environment().keySet().removeIf(ExecutorSettings::isExecutorVariable);
    builder.environment().remove(ProgramTokens.VARIABLE); // the program's are others
    // A Python that dies by a signal says where. Who sets it, also to nothing, has it as set.
    builder.environment().putIfAbsent("PYTHONFAULTHANDLER", "1");
    try {
      Process leader = spawner.startProcess(builder);
      Process lifeline = spawner.startProcess(lifeline(folder, leader.pid(), mark));
      ProcessGroup group = new ProcessGroup(leader, lifeline, mark, commandFile, spawner);
      group.startWatcher();
      return group;
    } catch (IOException e) {
      ProgramKiller.killByArgument(
          mark, spawner); // where it is only a thread that cannot be had, too
      throw e;
    }
  }

  private static ProcessBuilder lifeline(Path folder, long leader, String mark) throws IOException {
    ProcessBuilder builder =
        script(folder, LIFELINE_SCRIPT, Long.toString(leader), mark)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().remove(MARK_VARIABLE); // of a program that this JVM belongs to
    return builder;
  }

  /** One of TonY's own, in a session of its own. */
  private static ProcessBuilder script(Path folder, String name, String... arguments)
      throws IOException {
    Path file = folder.resolve(name);
    replaceFile(file, readResource(name));
    List<String> command = new ArrayList<>(List.of("setsid", "bash", file.toString()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  // ---- The thread ----

  /**
   * It sees the program to its end, and is there from its start: when a program is to end because
   * it has used up all threads and processes, none can be had to end it.
   */
  private synchronized void startWatcher() throws IOException {
    watcher = spawner.startThread("program", this::awaitEnd);
  }

  private void awaitEnd() {
    while (!endsWithinGrace(leader)) {
      kill();
    }
    endedMillis = System.currentTimeMillis();
    // Whoever is ended by SIGTERM may have started what still saves its state.
    if (terminated && leader.exitValue() == SIGTERM_EXIT_CODE && sendOrder(REST_ORDER)) {
      boolean unused = endsWithinGrace(lifeline);
    }
    synchronized (this) {
      watcher = null;
    }
    boolean unused = Thread.interrupted(); // nobody does so any more
    kill();
    ended.complete(leader.exitValue());
  }

  /** False when the program's time is over before. While nobody has it end, it has all time. */
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
        // the program is to end, or sooner
      }
    }
  }

  /** Until it is to be killed, the first time or again, or one looks whether it is to end. */
  private synchronized long remainingNanos() {
    return grace == null
        ? TimeUnit.DAYS.toNanos(1)
        : Math.max(0, killNanos - AwakeClock.nanoTime());
  }

  /** Whether it is to be killed now; if so, it has a little more time until the next kill. */
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
   * Has it run this.
   *
   * @param command run by bash exactly as it is
   * @param environment on top of this process's own
   */
  public void run(String command, Map<String, String> environment) throws IOException {
    replaceFile(commandFile, (command + "\n").getBytes(StandardCharsets.UTF_8));
    sendEnvironment(environment);
  }

  /** What a shell is to read. */
  public OutputStream input() {
    return leader.getOutputStream();
  }

  /** What a shell writes. */
  public InputStream output() {
    return leader.getInputStream();
  }

  /** By the pipe and not by the process builder, which knows the node's locale only. */
  private void sendEnvironment(Map<String, String> environment) throws IOException {
    StringBuilder text = new StringBuilder();
    environment.forEach((name, value) -> text.append(name + '=' + value + '\0'));
    OutputStream pipe = leader.getOutputStream();
    pipe.write(text.append('\0').toString().getBytes(StandardCharsets.UTF_8));
    pipe.flush();
  }

  /** The process id of the program's shell, which is its group's and its session's id. */
  public long pid() {
    return leader.pid();
  }

  /** What finds its processes, for one thread. */
  ProcessScanner newScanner() {
    return new ProcessScanner(pid(), new ProgramMark(mark, spawner));
  }

  /** Starts what belongs to the program. */
  Spawner spawner() {
    return spawner;
  }

  /** Whether its shell lives, which may wait for what it is to run. */
  boolean isAlive() {
    return leader.toHandle().isAlive(); // the process itself learns of its end a moment later
  }

  /** Ends one whose program is not to run. Nothing of it is left when this returns. */
  public void discard() {
    kill();
    ended.join();
  }

  /**
   * Done when the program has ended and what it left of its group has been killed. The code is as a
   * shell reports it: 128 + n after signal n.
   */
  public CompletableFuture<Integer> ended() {
    return ended.copy();
  }

  /** When it ended, in milliseconds since 1970; 0 before. What it left may have lived longer. */
  long endedMillis() {
    return endedMillis;
  }

  /** Has the whole group end: SIGTERM, and SIGKILL when the grace is over. Does not wait for it. */
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

  /** Ends at once whatever is left of it. Needs no process and no thread for that. */
  public void kill() {
    leader.toHandle().destroyForcibly();
    killer.killAll();
    try {
      lifeline.getOutputStream().close(); // it looks once more, and ends
    } catch (IOException e) {
      LOG.warn("the lifeline of group " + pid() + " has ended before: " + e);
    }
  }

  /** SIGTERM to the whole group, without waiting. */
  public void terminate() {
    terminated = true;
    if (!sendOrder(TERMINATE_ORDER)) {
      killer.terminate();
    }
  }

  /** False where the lifeline is gone. */
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

  /** For kill, which bash has built in; a minimal image may lack the program. */
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

  /** Atomically: a bash may be reading the old file. Replaces whatever the program put there. */
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
