package io.tony.executor.program;

import io.tony.clock.AwakeClock;
import io.tony.executor.program.RuntimeProcess.StackSignal;
import io.tony.executor.settings.ExecutorLog;
import io.tony.model.JobLimits;
import io.tony.protocol.ReportLimits;
import io.tony.text.Strings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Collects the stacks of all threads of a program's processes. A JVM prints them to its stdout at
 * SIGQUIT and keeps running. A Python process is read by py-spy, if the program's environment has
 * py-spy and the node permits its use; its output is appended to the program's stderr, unless the
 * program keeps running. Otherwise, if the program has to end anyway, SIGABRT ends the Python
 * process, and its faulthandler writes the stacks to stderr ({@code PYTHONFAULTHANDLER}).
 */
final class StackCollector {
  private static final ExecutorLog LOG = new ExecutorLog(StackCollector.class);

  /** Why the stacks are collected; decides which methods are allowed. */
  enum Purpose {
    /** This program hangs and must end. */
    HUNG,
    /**
     * Another program of the gang hangs, so this one must end, too. If it handles SIGTERM, SIGABRT
     * is not used, so that its handler can run.
     */
    PEER_HUNG,
    /** A user has requested the stacks; the program keeps running. */
    ON_DEMAND
  }

  /** Maximum duration of {@link #collect}. The restart or stop of the whole gang waits for this. */
  static final Duration LIMIT = JobLimits.STACK_DUMP_TIMEOUT;

  /** Maximum duration of all runs of py-spy together, within {@link #LIMIT}. */
  private static final Duration SPY_LIMIT = Duration.ofSeconds(5);

  /** Maximum time for one process to print its own stacks, within {@link #LIMIT}. */
  private static final Duration WRITING_LIMIT = Duration.ofSeconds(2);

  /** Maximum number of processes whose stacks are read; further ones are usually their workers. */
  private static final int MAX_PROCESSES = 32;

  private static final int MAX_DUMP_BYTES = 256 * 1024;
  private static final long POLL_MS = 10;

  /**
   * Minimum time left to start py-spy: if py-spy had to be killed, the process could stay stopped.
   */
  private static final Duration MIN_SPY_TIME = Duration.ofSeconds(1);

  /**
   * Number of the next output file of py-spy, because several collections may run at the same time.
   */
  private static final AtomicInteger NEXT_NUMBER = new AtomicInteger();

  private static final String JVM_DUMP_END = "JNI global ref";

  private final Path stdout;
  private final Path stderr;
  private final PySpy spy;
  private final Purpose purpose;
  private final StringBuilder text = new StringBuilder();
  private final Set<String> problems = new LinkedHashSet<>();
  private final long deadlineNanos = AwakeClock.nanoTime() + LIMIT.toNanos();
  private final long spyDeadlineNanos = AwakeClock.nanoTime() + SPY_LIMIT.toNanos();

  /**
   * Creates a collector; its time limit starts now.
   *
   * @param stdout file to which the program writes its stdout
   * @param stderr file to which the program writes its stderr
   * @param scratch folder for temporary files
   * @param purpose why the stacks are collected
   */
  StackCollector(Path stdout, Path stderr, Path scratch, Purpose purpose) {
    this.stdout = stdout;
    this.stderr = stderr;
    this.spy = new PySpy(scratch.resolve("py-spy-" + NEXT_NUMBER.incrementAndGet() + ".out"));
    this.purpose = purpose;
  }

  /**
   * Returns the collected stacks of all threads, as the processes printed them; truncated if long.
   */
  String text() {
    return Strings.truncate(text.toString(), ReportLimits.MAX_STACKS_CHARS);
  }

  /** Returns why stacks could not be read, and the remedy; empty if all were read. */
  String problem() {
    return String.join("; ", problems);
  }

  /**
   * Collects the stacks of the processes. Returns the stack of a process's main thread: of the
   * first process that is no launcher and whose stack could be read, otherwise of the first
   * launcher; {@link Stack#UNKNOWN} if no stack could be read.
   */
  Stack collect(List<Long> pids) throws IOException, InterruptedException {
    Map<RuntimeProcess, Stack> stacks = new LinkedHashMap<>();
    List<RuntimeProcess> processes =
        pids.stream()
            .sorted()
            .map(RuntimeProcess::of)
            .filter(Objects::nonNull)
            // Launchers last: if a launcher ended first, its processes would end before they are
            // read.
            .sorted(Comparator.comparing(RuntimeProcess::isLauncher))
            .filter(process -> process.isJava() || process.isPython())
            .limit(MAX_PROCESSES)
            .toList();
    for (RuntimeProcess process : processes) {
      stacks.put(
          process, readOrUnknown(process, process.isJava() ? this::dumpJvm : this::dumpByPySpy));
    }
    if (processes.isEmpty()) {
      problems.add("none of its processes is a Python or a JVM");
    }
    // SIGABRT is sent in a second pass, because it may end all processes of the program, and the
    // first pass must have read the others by then.
    for (Map.Entry<RuntimeProcess, Stack> entry : stacks.entrySet()) {
      if (entry.getKey().isPython() && !entry.getValue().isKnown()) {
        entry.setValue(readOrUnknown(entry.getKey(), this::dumpWithoutPySpy));
      }
    }
    List<Stack> knownStacks = stacks.values().stream().filter(Stack::isKnown).toList();
    return knownStacks.stream()
        .filter(stack -> !stack.isLauncher())
        .findFirst()
        .orElse(knownStacks.isEmpty() ? Stack.UNKNOWN : knownStacks.get(0));
  }

  private interface StackSource {
    Stack read(RuntimeProcess process) throws IOException, InterruptedException;
  }

  /**
   * Reads the stack of one process; {@link Stack#UNKNOWN} if this fails, for example because the
   * process has ended.
   */
  private Stack readOrUnknown(RuntimeProcess process, StackSource source)
      throws IOException, InterruptedException {
    try {
      return source.read(process);
    } catch (IOException e) {
      String failure = "the threads of process " + process.pid() + " cannot be listed: " + e;
      LOG.info(failure);
      if (process.isRunning()) {
        // The message lacks the process ID, so that equal problems of several tasks can be merged.
        problems.add(e.getMessage());
        note("\n" + failure + "\n");
      }
      return Stack.UNKNOWN;
    }
  }

  private Stack dumpJvm(RuntimeProcess process) throws IOException, InterruptedException {
    if (!process.isRunning() || !process.handles(StackSignal.QUIT)) {
      // Send no SIGQUIT: it would end a JVM that has no handler for it, without printing stacks.
      problems.add("a JVM takes no SIGQUIT (-Xrs)");
      return Stack.UNKNOWN;
    }
    if (purpose == Purpose.ON_DEMAND && !process.writesTo(1, stdout)) {
      problems.add("the stdout of a JVM, where it would print its threads, goes elsewhere");
      return Stack.UNKNOWN;
    }
    NewOutput before = new NewOutput(stdout, stderr);
    send(StackSignal.QUIT, process);
    await(() -> before.read().contains(JVM_DUMP_END) || !process.isRunning());
    if (process.isRunning() && before.read().isBlank()) {
      problems.add("a JVM has not printed its threads within " + WRITING_LIMIT.toSeconds() + " s");
    }
    return read(process, before.read());
  }

  private Stack read(RuntimeProcess process, String written) {
    text.append("Process ")
        .append(process.pid())
        .append(":\n")
        .append(written.strip())
        .append("\n\n");
    return Stack.parse(written);
  }

  private Stack dumpByPySpy(RuntimeProcess process) throws IOException, InterruptedException {
    Duration remaining = Duration.ofNanos(spyDeadlineNanos - AwakeClock.nanoTime());
    if (remaining.compareTo(MIN_SPY_TIME) < 0) {
      problems.add("py-spy had no time left for all of its processes");
      return Stack.UNKNOWN;
    }
    String dump = spy.dump(process, remaining);
    if (dump.isEmpty()) {
      return Stack.UNKNOWN;
    }
    note("\nThe threads of process " + process.pid() + ", printed by py-spy:\n" + dump + "\n");
    return read(process, dump);
  }

  private Stack dumpWithoutPySpy(RuntimeProcess process) throws IOException, InterruptedException {
    if (purpose != Purpose.ON_DEMAND) {
      return dumpByAbort(process);
    }
    if (process.isRunning() && !spy.isAvailable(process)) {
      problems.add(
          "only py-spy can show the stack of a Python that goes on: have it on the program's path");
    }
    return Stack.UNKNOWN;
  }

  private Stack dumpByAbort(RuntimeProcess process) throws IOException, InterruptedException {
    if (!process.isRunning()
        || !process.handles(StackSignal.ABRT)
        || (purpose == Purpose.PEER_HUNG && process.handles(StackSignal.TERM))) {
      return Stack.UNKNOWN;
    }
    append(
        "\nProcess "
            + process.pid()
            + " is ended by SIGABRT, to print its threads (PYTHONFAULTHANDLER):\n");
    NewOutput before = new NewOutput(stdout, stderr);
    send(StackSignal.ABRT, process);
    await(() -> !process.isRunning());
    return read(process, before.read());
  }

  /**
   * Sends the signal. Before SIGABRT, disables the core dump, which would only take time and disk
   * space.
   */
  private static void send(StackSignal signal, RuntimeProcess process) throws IOException {
    String noCore =
        signal == StackSignal.ABRT ? "prlimit --core=0:0 --pid \"$1\" 2>/dev/null; " : "";
    ProcessGroup.runBash(noCore + "kill -" + signal + " \"$1\"", Long.toString(process.pid()));
  }

  private void await(BooleanSupplier done) throws InterruptedException {
    long end = Math.min(deadlineNanos, AwakeClock.nanoTime() + WRITING_LIMIT.toNanos());
    while (!done.getAsBoolean() && AwakeClock.nanoTime() - end < 0) {
      Thread.sleep(POLL_MS);
    }
  }

  /** Appends a message to the program's stderr, unless the program keeps running. */
  private void note(String message) throws IOException {
    if (purpose != Purpose.ON_DEMAND) {
      append(message);
    }
  }

  private void append(String text) throws IOException {
    Files.writeString(stderr, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** What is written to the program's stdout and stderr after this object was created. */
  private static final class NewOutput {
    private final Path stdout;
    private final Path stderr;
    private final long stdoutOffset;
    private final long stderrOffset;

    NewOutput(Path stdout, Path stderr) throws IOException {
      this.stdout = stdout;
      this.stderr = stderr;
      this.stdoutOffset = ProgramFile.size(stdout);
      this.stderrOffset = ProgramFile.size(stderr);
    }

    String read() {
      try {
        return text(stdout, stdoutOffset) + text(stderr, stderrOffset);
      } catch (IOException e) {
        return "";
      }
    }

    private static String text(Path file, long offset) throws IOException {
      return new String(ProgramFile.readFrom(file, offset, MAX_DUMP_BYTES), StandardCharsets.UTF_8);
    }
  }
}
