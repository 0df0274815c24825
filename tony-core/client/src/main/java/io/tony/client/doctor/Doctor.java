package io.tony.client.doctor;

import io.tony.client.application.ExitCode;
import io.tony.client.output.DurationText;
import io.tony.client.output.JobLog;
import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * {@code tony doctor}: runs the checks one after the other, and prints the result of each as soon
 * as it ends or exceeds its limit.
 */
public final class Doctor {
  /**
   * Maximum time, in milliseconds, that a check has to remove what it has created after it has
   * exceeded its limit.
   */
  private static final long MAX_CLEANUP_MS = 5_000;

  /** Time, in milliseconds, after which a message says that the check is still running. */
  private static final long PROGRESS_DELAY_MS = 4_000;

  private final JobLog out;
  private final Map<String, Finding> findings = new HashMap<>();

  public Doctor(JobLog out) {
    this.out = out;
  }

  /**
   * Runs all checks in this order. Returns {@link ExitCode#INFRASTRUCTURE} if one of them failed;
   * warnings and skipped checks do not count as failures.
   */
  public ExitCode run(List<Check> checks) throws InterruptedException {
    Map<Finding.Verdict, Integer> counts = new EnumMap<>(Finding.Verdict.class);
    for (Check check : checks) {
      long start = System.nanoTime();
      Finding finding = runOrSkip(check);
      findings.put(check.name(), finding);
      counts.merge(finding.verdict(), 1, Integer::sum);
      out.println(line(check, finding, Duration.ofNanos(System.nanoTime() - start)));
      out.flush();
    }
    out.println(summary(counts));
    return counts.containsKey(Finding.Verdict.FAILED)
        ? ExitCode.INFRASTRUCTURE
        : ExitCode.SUCCEEDED;
  }

  private static String line(Check check, Finding finding, Duration took) {
    String time =
        finding.verdict() == Finding.Verdict.SKIPPED ? "" : " (" + DurationText.format(took) + ")";
    return String.format(
        Locale.ROOT, "%-8s %-8s %s%s", finding.verdict(), check.name(), finding.text(), time);
  }

  private static String summary(Map<Finding.Verdict, Integer> counts) {
    StringBuilder text = new StringBuilder();
    counts.forEach(
        (verdict, count) ->
            text.append(text.isEmpty() ? "" : ", ").append(count).append(' ').append(verdict));
    return text.toString();
  }

  private Finding runOrSkip(Check check) throws InterruptedException {
    TreeSet<String> missing = new TreeSet<>(check.needs());
    missing.removeIf(name -> Objects.requireNonNull(findings.get(name)).usable());
    return missing.isEmpty()
        ? runCheck(check)
        : Finding.skipped("needs " + String.join(", ", missing));
  }

  private Finding runCheck(Check check) throws InterruptedException {
    // Measure the limit from the start of the check's thread: on a busy machine, the thread may
    // start late.
    CountDownLatch started = new CountDownLatch(1);
    FutureTask<Finding> task =
        new FutureTask<>(
            () -> {
              started.countDown();
              return check.probe().run();
            });
    // The thread is a daemon, so that a check that ignores its interrupt does not keep this JVM
    // alive.
    Thread thread;
    try {
      thread = Spawner.SYSTEM.startThread("check-" + check.name(), task);
    } catch (IOException e) {
      return Finding.failed(reason(e), check.remedy());
    }
    started.await();
    long limit = check.limit().toMillis();
    try {
      boolean reportsProgress = limit > PROGRESS_DELAY_MS;
      if (reportsProgress && !awaitEnd(task, thread)) {
        out.println(
            String.format(
                "%-8s %-8s waiting for its answer, at most %s",
                "...", check.name(), DurationText.format(check.limit())));
        out.flush();
      }
      return task.get(reportsProgress ? limit - PROGRESS_DELAY_MS : limit, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      return Finding.failed(reason(Objects.requireNonNull(e.getCause())), check.remedy());
    } catch (TimeoutException e) {
      task.cancel(true);
      thread.join(MAX_CLEANUP_MS);
      return Finding.failed(
          "no answer within " + DurationText.format(check.limit()), check.remedy());
    }
  }

  private static boolean awaitEnd(FutureTask<Finding> task, Thread thread)
      throws InterruptedException {
    thread.join(PROGRESS_DELAY_MS);
    return task.isDone();
  }

  /**
   * Returns the first line of the exception's message. In the lines after it, Hadoop writes where
   * in its code the exception was thrown.
   */
  private static String reason(Throwable problem) {
    String message = problem.getMessage();
    return message == null
        ? problem.toString()
        : message
            .lines()
            .map(String::strip)
            .filter(line -> !line.isEmpty())
            .findFirst()
            .orElse(problem.toString());
  }
}
