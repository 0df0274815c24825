package io.tony.executor;

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
 * that have left it and are known by a variable of their environment. They can be ended as a whole,
 * and die with this JVM, however this JVM dies ({@code process-group.sh}).
 */
final class UserProcess {
  private static final ExecutorLog LOG = new ExecutorLog(UserProcess.class);
  private static final String SCRIPT = "process-group.sh";
  private static final String SHELL_SCRIPT = "shell-group.sh";
  private static final String KILL_SCRIPT = "kill-program.sh";
  private static final String ENVIRONMENT_SCRIPT = "take-environment.sh";

  /** Folder of this executor's own files in the working directory. */
  static final String OWN = ".tony";

  private static final String MARK = "TONY_PROGRAM_ID";

  /** Before what is left of a program that was killed is killed again. */
  private static final Duration KILL_PAUSE = Duration.ofSeconds(1);

  private final Process leader;
  private final String mark;
  private final Path commandFile;
  private final Spawner spawner;
  private final ProgramKill kill;
  private final CompletableFuture<Integer> ended = new CompletableFuture<>();
  private volatile long endedMillis;

  // Guarded by this.
  private Thread watch; // null before it has begun, and when the leader has ended
  private Duration grace; // null until it is to end
  private long killNanos; // once it is to end

  private UserProcess(Process leader, String mark, Path commandFile, Spawner spawner) {
    this.leader = leader;
    this.mark = mark;
    this.commandFile = commandFile;
    this.spawner = spawner;
    this.kill = new ProgramKill(leader.pid(), mark, spawner);
  }

  /**
   * Starts what waits for the command line, in the working directory; its output will go to {@code
   * stdout} and {@code stderr} in the log folder.
   */
  static UserProcess prepare(Path workingDirectory, Path logs, Spawner spawner)
      throws IOException {
    return start(
        spawner,
        workingDirectory,
        SCRIPT,
        "command.sh",
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
   * Starts what waits for the command line of a shell, beside the program: by {@link #input} it
   * reads, and dies when that is closed; its output is read from {@link #output}.
   *
   * @param commandFile its name among this executor's own files
   */
  static UserProcess shell(Path workingDirectory, String commandFile, Spawner spawner)
      throws IOException {
    return start(
        spawner,
        workingDirectory,
        SHELL_SCRIPT,
        commandFile,
        builder -> builder.redirectErrorStream(true));
  }

  private static UserProcess start(
      Spawner spawner,
      Path workingDirectory,
      String scriptName,
      String command,
      Consumer<ProcessBuilder> redirect)
      throws IOException {
    Path own = Files.createDirectories(workingDirectory.resolve(OWN));
    for (String name : List.of(scriptName, KILL_SCRIPT, ENVIRONMENT_SCRIPT)) {
      replace(own.resolve(name), resource(name));
    }
    // In a file and not in an argument: a command line may be longer than an argument may be.
    Path commandFile = own.resolve(command);
    String mark = MARK + "=" + UUID.randomUUID();
    ProcessBuilder builder =
        new ProcessBuilder(
                "setsid",
                "bash",
                own.resolve(scriptName).toString(),
                commandFile.toString(),
                own.toString(),
                mark)
            .directory(workingDirectory.toFile());
    redirect.accept(builder);
    builder.environment().keySet().removeIf(ExecutorSettings::isOwn);
    builder.environment().remove(ProgramTokens.VARIABLE); // the program's are others
    // A Python that dies by a signal says where. Who sets it, also to nothing, has it as set.
    builder.environment().putIfAbsent("PYTHONFAULTHANDLER", "1");
    return start(spawner, builder, mark, commandFile);
  }

  private static UserProcess start(
      Spawner spawner, ProcessBuilder builder, String mark, Path commandFile) throws IOException {
    Process leader;
    try {
      leader = spawner.process(builder);
    } catch (IOException e) {
      ProgramKill.unknown(mark, spawner); // where it is only the thread that cannot be had
      throw e;
    }
    UserProcess made = new UserProcess(leader, mark, commandFile, spawner);
    try {
      made.watch();
    } catch (IOException e) {
      made.kill();
      throw e;
    }
    return made;
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
    boolean exited = false;
    while (!exited) {
      try {
        exited = leader.waitFor(nanosLeft(), TimeUnit.NANOSECONDS);
        if (!exited) {
          kill();
        }
      } catch (InterruptedException e) {
        // the program is to end, or sooner
      }
    }
    endedMillis = System.currentTimeMillis();
    synchronized (this) {
      watch = null;
    }
    boolean unused = Thread.interrupted(); // nobody does so any more
    kill();
    ended.complete(leader.exitValue());
  }

  /** Until it is to be killed, the first time or again. */
  private synchronized long nanosLeft() {
    if (grace == null) {
      return TimeUnit.DAYS.toNanos(1);
    }
    long left = killNanos - System.nanoTime();
    if (left > 0) {
      return left;
    }
    LOG.info("the program did not end within " + grace.toMillis() + " ms of SIGTERM");
    killNanos = System.nanoTime() + KILL_PAUSE.toNanos();
    return 0;
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
    OutputStream pipe = leader.getOutputStream(); // stays open: it is the program's lifeline
    pipe.write(text.append('\0').toString().getBytes(StandardCharsets.UTF_8));
    pipe.flush();
  }

  /** The process id of the group's leader, which is the group's id. */
  long pid() {
    return leader.pid();
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
    leader.destroyForcibly();
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
        killNanos = System.nanoTime() + grace.toNanos();
        watch.interrupt();
      }
    }
  }

  /** Ends at once whatever is left of it. Needs no process and no thread for that. */
  void kill() {
    kill.now();
    leader.destroyForcibly(); // at last: by its exit code it may tell the program's
  }

  /** SIGTERM to the whole group, without waiting. */
  void terminate() {
    try {
      bash(spawner, "kill -USR1 \"$1\"; kill -TERM -- \"-$1\"", Long.toString(pid()));
    } catch (IOException e) {
      LOG.warn("SIGTERM goes to one process of the program after the other: " + e);
      kill.terminate();
    }
  }

  /** For kill, which bash has built in; a minimal image may lack the program. */
  static void bash(String script, String... arguments) throws IOException {
    bash(Spawner.SYSTEM, script, arguments);
  }

  private static void bash(Spawner spawner, String script, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("bash", "-c", script, "bash"));
    command.addAll(List.of(arguments));
    try {
      spawner
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
