package io.tony.client.application;

import io.tony.clock.AwakeClock;
import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the containers that YARN still holds for an application after a kill, for the last line of
 * {@code tony kill}. For an ended application, YARN's answer is about the containers in its
 * scheduler, not about processes that still run on the nodes; the nodes end those.
 */
final class RemainingContainers {
  private static final Logger LOG = LoggerFactory.getLogger(RemainingContainers.class);

  /**
   * Maximum wait until the scheduler has released all containers, normally shortly after YARN shows
   * the application as ended.
   */
  static final Duration MAX_WAIT = Duration.ofSeconds(2);

  private final YarnClient yarn;
  private final RunningApplication application;
  private final Duration maxWait;

  RemainingContainers(YarnClient yarn, RunningApplication application, Duration maxWait) {
    this.yarn = yarn;
    this.application = application;
    this.maxWait = maxWait;
  }

  /**
   * Like {@link #describe}, but with a time limit of twice {@code maxWait}, because YARN's client
   * retries for minutes if YARN does not answer.
   */
  String describeWithinLimit() throws InterruptedException {
    FutureTask<String> query = new FutureTask<>(this::describe);
    try {
      Spawner.SYSTEM.startThread("containers-left", query);
      return query.get(maxWait.plus(maxWait).toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.info("YARN does not say which containers are left: {}", e.toString());
      return "how many containers are left is not known: "
          + application.schedulerName()
          + " does not answer";
    } catch (IOException e) {
      return "how many containers are left is not known: " + e.getMessage();
    }
  }

  /**
   * Waits until YARN shows the application as ended and holds no container for it, at most {@code
   * maxWait}, and returns the line for the user. The line contains only what YARN confirms.
   */
  String describe() throws InterruptedException {
    long deadline = AwakeClock.nanoTime() + maxWait.toNanos();
    try {
      ApplicationReport report = application.report();
      long remaining = countRemaining(report);
      while ((remaining > 0 || !RunningApplication.hasEnded(report))
          && AwakeClock.nanoTime() < deadline) {
        Thread.sleep(RunningApplication.POLL_INTERVAL.toMillis());
        report = application.report();
        remaining = countRemaining(report);
      }
      if (!RunningApplication.hasEnded(report)) {
        return application.schedulerName()
            + " does not confirm the end of "
            + application.id()
            + ": it shows it as "
            + report.getYarnApplicationState();
      }
      return remaining == 0
          ? "containers left: 0, as " + application.schedulerName() + " has it"
          : "containers left: "
              + remaining
              + ", as "
              + application.schedulerName()
              + " has it; their nodes end the processes";
    } catch (IOException | YarnException | RuntimeException e) {
      return "how many containers are left is not known: " + HadoopErrors.sentence(e);
    }
  }

  /**
   * Returns the number of containers of the last ApplicationMaster attempt, including those that it
   * took over from earlier attempts.
   */
  private long countRemaining(ApplicationReport report) throws IOException, YarnException {
    if (report.getCurrentApplicationAttemptId() == null) {
      return 0; // YARN never started an ApplicationMaster attempt
    }
    return yarn.getContainers(report.getCurrentApplicationAttemptId()).stream()
        .filter(container -> container.getContainerState() != ContainerState.COMPLETE)
        .count();
  }
}
