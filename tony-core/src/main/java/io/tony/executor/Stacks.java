package io.tony.executor;

import io.tony.executor.RuntimeProcess.Asked;
import io.tony.model.JobLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * Has the processes of a program tell what each of their threads does, in the program's own stdout
 * and stderr. A JVM prints it when it is asked, and goes on. Of a Python it is read by py-spy,
 * where the program has that and the node allows it. Else the Python is ended by SIGABRT, and its
 * faulthandler writes it ({@code PYTHONFAULTHANDLER}): the program is to end anyway.
 */
final class Stacks {
  private static final ExecutorLog LOG = new ExecutorLog(Stacks.class);

  /**
   * How long {@link #take} can take: the rest of a gang waits for it, and so does whoever stops.
   */
  static final Duration LIMIT = JobLimits.STACKS;

  /** Of that, what py-spy may take for all processes, and one process to write. */
  private static final Duration SPY_LIMIT = Duration.ofSeconds(5);

  private static final Duration WRITING_LIMIT = Duration.ofSeconds(2);

  /** More processes of a program are passed over: they are workers of these. */
  private static final int MOST_PROCESSES = 32;

  private static final int MOST_BYTES = 256 * 1024;
  private static final long LOOK_MS = 10;
  private static final String END_OF_JVM = "JNI global ref";

  private final Path stdout;
  private final Path stderr;
  private final PySpy spy;
  private final boolean hung;
  private final long deadlineNanos = System.nanoTime() + LIMIT.toNanos();
  private final long spyDeadlineNanos = System.nanoTime() + SPY_LIMIT.toNanos();

  /**
   * Of a program that writes there.
   *
   * @param scratch a folder of the executor's own
   * @param hung whether it is this program that hangs; another one may wait for it, and have a
   *     handler of SIGTERM that is to have its chance
   */
  Stacks(Path stdout, Path stderr, Path scratch, boolean hung) {
    this.stdout = stdout;
    this.stderr = stderr;
    this.spy = new PySpy(scratch);
    this.hung = hung;
  }

  /** The stack of the one of these processes that does the program's work, as far as it is told. */
  Stack take(List<Long> pids) throws IOException, InterruptedException {
    Map<RuntimeProcess, Stack> stacks = new LinkedHashMap<>();
    List<RuntimeProcess> processes =
        pids.stream()
            .sorted()
            .map(RuntimeProcess::of)
            .filter(Objects::nonNull)
            // The end of a launcher is that of all.
            .sorted(Comparator.comparing(RuntimeProcess::isLauncher))
            .filter(process -> process.isJava() || process.isPython())
            .limit(MOST_PROCESSES)
            .toList();
    for (RuntimeProcess process : processes) {
      stacks.put(process, taken(process, process.isJava() ? this::asked : this::spied));
    }
    // Only now: the end of one may end the others.
    for (RuntimeProcess process : processes) {
      if (process.isPython() && !stacks.get(process).isKnown()) {
        stacks.put(process, taken(process, this::aborted));
      }
    }
    List<Stack> known = stacks.values().stream().filter(Stack::isKnown).toList();
    return known.stream()
        .filter(stack -> !stack.ofLauncher())
        .findFirst()
        .orElse(known.isEmpty() ? Stack.UNKNOWN : known.get(0));
  }

  private interface Way {
    Stack take(RuntimeProcess process) throws IOException, InterruptedException;
  }

  /** A process that ends meanwhile takes nothing from the others. */
  private Stack taken(RuntimeProcess process, Way way) throws IOException, InterruptedException {
    try {
      return way.take(process);
    } catch (IOException e) {
      String failure = "the threads of process " + process.pid() + " cannot be told: " + e;
      LOG.info(failure);
      if (process.runs()) {
        append("\n" + failure + "\n");
      }
      return Stack.UNKNOWN;
    }
  }

  private Stack asked(RuntimeProcess process) throws IOException, InterruptedException {
    if (!process.runs() || !process.handles(Asked.QUIT)) {
      return Stack.UNKNOWN; // -Xrs: it would only end
    }
    Written before = new Written(stdout, stderr);
    send(Asked.QUIT, process);
    await(() -> before.now().contains(END_OF_JVM) || !process.runs());
    return Stack.in(before.now());
  }

  private Stack spied(RuntimeProcess process) throws IOException, InterruptedException {
    Duration left = Duration.ofNanos(spyDeadlineNanos - System.nanoTime());
    String dump = left.isNegative() ? "" : spy.dump(process, left);
    if (!dump.isEmpty()) {
      append("\nThe threads of process " + process.pid() + ", told by py-spy:\n" + dump + "\n");
    }
    return Stack.in(dump);
  }

  private Stack aborted(RuntimeProcess process) throws IOException, InterruptedException {
    if (!process.runs() || !process.handles(Asked.ABRT) || (!hung && process.handles(Asked.TERM))) {
      return Stack.UNKNOWN;
    }
    append(
        "\nProcess "
            + process.pid()
            + " is ended by SIGABRT, to tell its threads (PYTHONFAULTHANDLER):\n");
    Written before = new Written(stdout, stderr);
    send(Asked.ABRT, process);
    await(() -> !process.runs());
    return Stack.in(before.now());
  }

  /** Nobody needs the memory of a Python that is ended as this one is: no core is written. */
  private static void send(Asked signal, RuntimeProcess process) throws IOException {
    String noCore = signal == Asked.ABRT ? "prlimit --core=0:0 --pid \"$1\" 2>/dev/null; " : "";
    UserProcess.bash(noCore + "kill -" + signal + " \"$1\"", Long.toString(process.pid()));
  }

  private void await(BooleanSupplier done) throws InterruptedException {
    long end = Math.min(deadlineNanos, System.nanoTime() + WRITING_LIMIT.toNanos());
    while (!done.getAsBoolean() && System.nanoTime() - end < 0) {
      Thread.sleep(LOOK_MS);
    }
  }

  private void append(String text) throws IOException {
    Files.writeString(stderr, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** What is written to both files from now on. */
  private static final class Written {
    private final Path stdout;
    private final Path stderr;
    private final long stdoutBegin;
    private final long stderrBegin;

    Written(Path stdout, Path stderr) throws IOException {
      this.stdout = stdout;
      this.stderr = stderr;
      this.stdoutBegin = ProgramFile.size(stdout);
      this.stderrBegin = ProgramFile.size(stderr);
    }

    String now() {
      try {
        return text(stdout, stdoutBegin) + text(stderr, stderrBegin);
      } catch (IOException e) {
        return "";
      }
    }

    private static String text(Path file, long begin) throws IOException {
      return new String(ProgramFile.begin(file, begin, MOST_BYTES), StandardCharsets.UTF_8);
    }
  }
}
