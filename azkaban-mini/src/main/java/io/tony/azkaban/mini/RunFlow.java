package io.tony.azkaban.mini;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.WriterAppender;

/**
 * The command that runs one flow and shows it on standard output; see {@link RunFlowOptions#USAGE}.
 * On SIGINT and SIGTERM it kills the flow, waits for the flow's end and prints the report; the exit
 * code is then 130 or 143.
 */
public final class RunFlow {

  private static final int EXIT_SUCCEEDED = 0;
  private static final int EXIT_FAILED = 1;
  private static final int EXIT_BAD_ARGUMENTS = 2;
  private static final long REDRAW_MS = 250;

  private final Screen screen;
  private final FlowNarrator narrator;
  private final PrintStream errors;
  private final CountDownLatch reported = new CountDownLatch(1);

  private RunFlow(Screen screen, PrintStream errors) {
    this.screen = screen;
    this.errors = errors;
    this.narrator = new FlowNarrator(screen, InstantSource.system());
  }

  public static void main(String[] arguments) throws InterruptedException {
    // Ignore the log4j configuration in Azkaban's jar, which writes log files into the working
    // directory.
    System.setProperty("log4j.defaultInitOverride", "true");
    Screen screen = Screen.on(standard(FileDescriptor.out));
    System.exit(new RunFlow(screen, standard(FileDescriptor.err)).run(List.of(arguments)));
  }

  private int run(List<String> arguments) throws InterruptedException {
    RunFlowOptions options = RunFlowOptions.parse(arguments, narrator);
    if (options.help()) {
      screen.line(RunFlowOptions.USAGE.stripTrailing());
      return EXIT_SUCCEEDED;
    }
    if (!options.problems().isEmpty() || options.request().isEmpty()) {
      return refuse(options.problems(), RunFlowOptions.USAGE);
    }
    try {
      FlowRequest request = options.request().get();
      redirectEngineOutput(request.work());
      return run(FlowEngine.prepare(request));
    } catch (FlowSetupException e) {
      return refuse(e.problems(), "");
    } catch (IOException e) {
      return refuse(List.of("the flow's files cannot be prepared: " + e), "");
    } catch (IllegalStateException e) {
      errors.println("error: " + e.getMessage() + ": " + e.getCause());
      errors.flush();
      return EXIT_FAILED;
    }
  }

  private int run(FlowExecution execution) throws InterruptedException {
    narrator.begin(execution.jobs());
    screen.line("Flow " + execution.flow() + ", execution " + execution.executionId());
    Thread onSignal = new Thread(() -> killAndAwaitReport(execution), "on-signal");
    Runtime.getRuntime().addShutdownHook(onSignal);
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    Future<?> redraw =
        screen.hasLiveLine()
            ? timer.scheduleWithFixedDelay(
                () -> narrator.showRunning(execution.running()),
                0,
                REDRAW_MS,
                TimeUnit.MILLISECONDS)
            : CompletableFuture.completedFuture(null);
    try {
      execution.start();
      FlowResult result = execution.await();
      redraw.cancel(false);
      screen.endLive();
      new FlowReport(screen, narrator).print(result);
      return result.succeeded() ? EXIT_SUCCEEDED : EXIT_FAILED;
    } finally {
      timer.shutdownNow();
      reported.countDown();
    }
  }

  /**
   * Shutdown hook: kills the flow and waits until the report has been printed. Has no effect if the
   * flow has ended regularly. The JVM itself sets the exit code, 128 plus the signal's number.
   */
  private void killAndAwaitReport(FlowExecution execution) {
    if (reported.getCount() == 0) {
      return;
    }
    screen.line(screen.tint(Screen.Tone.BAD, "Interrupted: killing the flow"));
    try {
      execution.kill("a signal");
      reported.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private int refuse(List<String> problems, String usage) {
    problems.forEach(problem -> errors.println("error: " + problem));
    errors.print(usage);
    errors.flush();
    return EXIT_BAD_ARGUMENTS;
  }

  /**
   * Redirects this JVM's standard output and standard error, and its log, to the file {@code
   * engine.log} in the work folder. Azkaban prints stack traces to these streams, which would
   * otherwise appear between the lines of the jobs' logs.
   */
  private static void redirectEngineOutput(Path work) throws IOException {
    Files.createDirectories(work);
    PrintStream engineLog =
        new PrintStream(
            new FileOutputStream(work.resolve("engine.log").toFile(), true),
            true,
            StandardCharsets.UTF_8);
    System.setOut(engineLog);
    System.setErr(engineLog);
    Logger root = Logger.getRootLogger();
    root.setLevel(Level.INFO);
    root.addAppender(
        new WriterAppender(new PatternLayout("%d{ISO8601} %p %c{1} - %m%n"), engineLog));
  }

  private static PrintStream standard(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), false, StandardCharsets.UTF_8);
  }
}
