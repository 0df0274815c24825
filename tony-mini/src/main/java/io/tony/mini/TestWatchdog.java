package io.tony.mini;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.runner.Description;
import org.junit.runner.Result;
import org.junit.runner.notification.RunListener;

/**
 * Prints the stacks of all threads and ends the JVM if a test takes longer than ten minutes. If
 * System.exit() is called during the tests, as Hadoop's daemons do on a fatal error, prints the
 * stacks and ends the JVM if the exit itself hangs. To be configured as {@code listener} of the
 * Maven plugins Surefire and Failsafe.
 */
public final class TestWatchdog extends RunListener {

  private static final Duration LIMIT = Duration.ofMinutes(10);

  /** Maximum duration of the JVM's shutdown, which can deadlock. */
  private static final Duration EXIT_LIMIT = Duration.ofSeconds(20);

  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "test-watchdog");
            thread.setDaemon(true);
            return thread;
          });
  private volatile String running = "";
  private volatile Future<?> alarm = CompletableFuture.completedFuture(null);
  private volatile boolean finished;

  @Override
  public void testRunStarted(Description all) {
    Runtime.getRuntime().addShutdownHook(new Thread(this::onExit, "watch-exit"));
  }

  @Override
  public void testStarted(Description test) {
    running = test.getDisplayName();
    alarm = scheduler.schedule(this::onTimeout, LIMIT.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void testFinished(Description test) {
    alarm.cancel(false);
  }

  @Override
  public void testRunFinished(Result result) {
    finished = true;
  }

  private void onTimeout() {
    showThreads(running + " has not ended after " + LIMIT.toMinutes() + " minutes");
    Runtime.getRuntime().halt(1);
  }

  private void onExit() {
    if (!finished) {
      showThreads("This JVM was ordered to end amid its tests, in or after " + running);
      alarm =
          scheduler.schedule(
              () -> Runtime.getRuntime().halt(1), EXIT_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private static void showThreads(String why) {
    StringBuilder text = new StringBuilder(why).append(". Its threads:\n");
    for (Map.Entry<Thread, StackTraceElement[]> thread : Thread.getAllStackTraces().entrySet()) {
      text.append(thread.getKey()).append('\n');
      for (StackTraceElement frame : thread.getValue()) {
        text.append("    at ").append(frame).append('\n');
      }
    }
    System.err.print(text);
    System.err.flush();
  }
}
