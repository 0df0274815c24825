package io.tony.executor;

import io.tony.clock.AwakeClock;
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
final class UserProcess {
  private static final ExecutorLog LOG = new ExecutorLog(UserProcess.class);
  private static final String START_SCRIPT = "start-program.sh";
  private static final String LIFELINE_SCRIPT = "lifeline.sh";

  /** Folder of this executor's own files in the working directory. */
  static final String OWN = ".tony";

  private static final String MARK = "TONY_PROGRAM_ID";

  /** 128 + 15: a shell that SIGTERM ended. */
  private static final int TERMINATED = 143;

  /** Orders to the lifeline. */
  private static final String TERMINATE = "TERM\n";

  private static final String LEAVE_THE_REST_ITS_TIME = "REST\n";

  /** Before what is left of a program that was killed is killed again. */
  private static final Duration KILL_PAUSE = Duration.ofSeconds(1);

  private final Process leader;
  private final Process lifeline;
  private final String mark;
  private final Path commandFile;
  private final Spawner spawner;
  private final ProgramKill kill;
  private final CompletableFuture<Integer> ended = new CompletableFuture<>();
  private volatile boolean terminated;
  private volatile long endedMillis;

  // Guarded by this.
  private Thread watch; // null before it has begun, and when the program has ended
  private Duration grace; // null until it is to end
  private long killNanos; // once it is to end

  private UserProcess(
      Process leader, Process lifeline, String mark, Path commandFile, Spawner spawner) {
    this.leader = leader;
    this.lifeline = lifeline;
    this.mark = mark;
    this.commandFile = commandFile;
    this.spawner = spawner;
    this.kill = new ProgramKill(leader.pid(), mark, spawner);
  }

  /**
   * Starts what waits for the command line, in the working directory; its output will go to {@code
   * stdout} and {@code stderr} in the log folder.
   */
  static UserProcess prepare(Path workingDirectory, Path logs, Spawner spawner) throws IOException {
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
  static UserProcess prepare(Path workingDirectory, Path logs) throws IOException {
    return prepare(workingDirectory, logs, Spawner.SYSTEM);
  }

  /**
   * Starts what waits for the command line of a shell, beside the program: it reads from {@link
   * #input}; its output is read from {@link #output}.
   *
   * @param commandFile its name among this executor's own files
   */
  static UserProcess shell(Path workingDirectory, String commandFile, Spawner spawner)
      throws IOException {
    return start(
        spawner,
        workingDirectory,
        commandFile,
        "reads",
        builder -> builder.redirectErrorStream(true));
  }

  private static UserProcess start(
      Spawner spawner,
      Path workingDirectory,
      String command,
      String reads,
      Consumer<ProcessBuilder> redirect)
      throws IOException {
    Path own = Files.createDirectories(workingDirectory.resolve(OWN));
    // In a file and not in an argument: a command line may be longer than an argument may be.
    Path commandFile = own.resolve(command);
    String mark = MARK + "=" + UUID.randomUUID();
    ProcessBuilder builder =
        script(own, START_SCRIPT, commandFile.toString(), mark, reads)
            .directory(workingDirectory.toFile());
    redirect.accept(builder);
    builder.environment().keySet().removeIf(ExecutorSettings::isOwn);
    builder.environment().remove(ProgramTokens.VARIABLE); // the program's are others
    // A Python that dies by a signal says where. Who sets it, also to nothing, has it as set.
    builder.environment().putIfAbsent("PYTHONFAULTHANDLER", "1");
    try {
      Process leader = spawner.process(builder);
      Process lifeline = spawner.process(lifeline(own, leader.pid(), mark));
      UserProcess made = new UserProcess(leader, lifeline, mark, commandFile, spawner);
      made.watch();
      return made;
    } catch (IOException e) {
      ProgramKill.unknown(mark, spawner); // where it is only a thread that cannot be had, too
      throw e;
    }
  }

  private static ProcessBuilder lifeline(Path own, long leader, String mark) throws IOException {
    ProcessBuilder builder =
        script(own, LIFELINE_SCRIPT, Long.toString(leader), mark)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().remove(MARK); // of a program that this JVM belongs to
    return builder;
  }

  /** One of TonY's own, in a session of its own. */
  private static ProcessBuilder script(Path own, String name, String... arguments)
      throws IOException {
    Path file = own.resolve(name);
    replace(file, resource(name));
    List<String> command = new ArrayList<>(List.of("setsid", "bash", file.toString()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  // ---- The thread ----

  /**
   * It sees the program to its end, and is there from its start: when a program is to end because
   * it has used up all threads and processes, none can be had to end it.
   */
  private synchronized void watch() throws IOException {
    watch = spawner.thread("program", this::seeToItsEnd);
  }

  private void seeToItsEnd() {
    while (!endsInTime(leader)) {
      kill();
    }
    endedMillis = System.currentTimeMillis();
    // Whoever is ended by SIGTERM may have started what still saves its state.
    if (terminated && leader.exitValue() == TERMINATED && order(LEAVE_THE_REST_ITS_TIME)) {
      boolean unused = endsInTime(lifeline);
    }
    synchronized (this) {
      watch = null;
    }
    boolean unused = Thread.interrupted(); // nobody does so any more
    kill();
    ended.complete(leader.exitValue());
  }

  /** False when the program's time is over before. While nobody has it end, it has all time. */
  private boolean endsInTime(Process process) {
    while (true) {
      try {
        if (process.waitFor(nanosLeft(), TimeUnit.NANOSECONDS)) {
          return true;
        }
        if (isTimeOver()) {
          return false;
        }
      } catch (InterruptedException e) {
        // the program is to end, or sooner
      }
    }
  }

  /** Until it is to be killed, the first time or again, or one looks whether it is to end. */
  private synchronized long nanosLeft() {
    return grace == null
        ? TimeUnit.DAYS.toNanos(1)
        : Math.max(0, killNanos - AwakeClock.nanoTime());
  }

  /** Whether it is to be killed now; if so, it has a little more time until the next kill. */
  private synchronized boolean isTimeOver() {
    if (grace == null || killNanos - AwakeClock.nanoTime() > 0) {
      return false;
    }
    LOG.info("the program did not end within " + grace.toMillis() + " ms of SIGTERM");
    killNanos = AwakeClock.nanoTime() + KILL_PAUSE.toNanos();
    return true;
  }

  // ---- Any thread ----

  /**
   * Has it run this.
   *
   * @param command run by bash exactly as it is
   * @param environment on top of this process's own
   */
  void run(String command, Map<String, String> environment) throws IOException {
    replace(commandFile, (command + "\n").getBytes(StandardCharsets.UTF_8));
    tell(environment);
  }

  /** What a shell is to read. */
  OutputStream input() {
    return leader.getOutputStream();
  }

  /** What a shell writes. */
  InputStream output() {
    return leader.getInputStream();
  }

  /** By the pipe and not by the process builder, which knows the node's locale only. */
  private void tell(Map<String, String> environment) throws IOException {
    StringBuilder text = new StringBuilder();
    environment.forEach((name, value) -> text.append(name + '=' + value + '\0'));
    OutputStream pipe = leader.getOutputStream();
    pipe.write(text.append('\0').toString().getBytes(StandardCharsets.UTF_8));
    pipe.flush();
  }

  /** The process id of the program's shell, which is its group's and its session's id. */
  long pid() {
    return leader.pid();
  }

  /** What finds its processes, for one thread. */
  ProgramProcesses processes() {
    return new ProgramProcesses(pid(), new ProgramMark(mark, spawner));
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
  void discard() {
    kill();
    ended.join();
  }

  /**
   * Done when the program has ended and what it left of its group has been killed. The code is as a
   * shell reports it: 128 + n after signal n.
   */
  CompletableFuture<Integer> ended() {
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
      if (watch != null) {
        this.grace = grace;
        killNanos = AwakeClock.nanoTime() + grace.toNanos();
        watch.interrupt();
      }
    }
  }

  /** Ends at once whatever is left of it. Needs no process and no thread for that. */
  void kill() {
    leader.toHandle().destroyForcibly();
    kill.now();
    try {
      lifeline.getOutputStream().close(); // it looks once more, and ends
    } catch (IOException e) {
      LOG.warn("the lifeline of group " + pid() + " has ended before: " + e);
    }
  }

  /** SIGTERM to the whole group, without waiting. */
  void terminate() {
    terminated = true;
    if (!order(TERMINATE)) {
      kill.terminate();
    }
  }

  /** False where the lifeline is gone. */
  private boolean order(String order) {
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
  static void bash(String script, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("bash", "-c", script, "bash"));
    command.addAll(List.of(arguments));
    try {
      Spawner.SYSTEM
          .process(
              new ProcessBuilder(command)
                  .redirectErrorStream(true)
                  .redirectOutput(ProcessBuilder.Redirect.DISCARD))
          .waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Atomically: a bash may be reading the old file. Replaces whatever the program put there. */
  static void replace(Path file, byte[] content) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID());
    Files.write(next, content, StandardOpenOption.CREATE_NEW);
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }

  static byte[] resource(String name) throws IOException {
    try (InputStream in = UserProcess.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }
}
