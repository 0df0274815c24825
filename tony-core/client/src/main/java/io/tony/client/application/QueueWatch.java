package io.tony.client.application;

import io.tony.client.output.JobLog;
import io.tony.client.output.Pace;
import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prints why an application waits for resources in its queue, and prints it again when the reason
 * has changed considerably. Queries the queue at most once a minute, and less often during a long
 * wait, because YARN's answer contains all applications in the queue. The queries run in the
 * background; a failed query is only logged.
 */
public final class QueueWatch {
  private static final Logger LOG = LoggerFactory.getLogger(QueueWatch.class);

  /**
   * How long an application must wait before the queue is queried; short enough for the reason to
   * be printed within five seconds.
   */
  private static final Duration INITIAL_DELAY = Duration.ofSeconds(4);

  private final RunningApplication application;
  private final JobLog out;
  private final InstantSource clock;
  private final Executor queryExecutor;
  private Pace pace = Pace.forQueuePolls();
  private @Nullable Instant waitingSince; // null while the application does not wait
  private @Nullable QueueUsage lastPrinted; // null if no usage was printed during this wait
  private @Nullable FutureTask<Optional<QueueUsage>> pendingQuery; // null while no query runs
  private boolean stale; // whether the pending query belongs to an earlier wait

  public QueueWatch(RunningApplication application, JobLog out) {
    this(application, out, InstantSource.system(), Spawner.SYSTEM.newThreadPool("queue", 1));
  }

  /**
   * Creates a watch with its own clock and executor.
   *
   * @param queryExecutor runs the queries, so that a ResourceManager that does not answer blocks
   *     nothing else
   */
  public QueueWatch(
      RunningApplication application, JobLog out, InstantSource clock, Executor queryExecutor) {
    this.application = application;
    this.out = out;
    this.clock = clock;
    this.queryExecutor = queryExecutor;
  }

  /**
   * Starts a query of the queue if one is due, and prints the reason when a query has finished.
   * Must be called repeatedly, by one thread, while the application waits.
   *
   * @param report YARN's present report of the application
   */
  public void updateWaiting(ApplicationReport report) {
    Instant now = clock.instant();
    if (waitingSince == null) {
      waitingSince = now;
    }
    boolean late = Duration.between(waitingSince, now).compareTo(INITIAL_DELAY) >= 0;
    if (pendingQuery == null && late && pace.recordIfDue(now)) {
      startQuery(new FutureTask<>(() -> queryUsage(report)));
    }
    if (pendingQuery != null && pendingQuery.isDone()) {
      Optional<QueueUsage> answer = queryResult(pendingQuery).filter(use -> !stale);
      pendingQuery = null;
      stale = false;
      answer.ifPresent(use -> printUsage(use, report));
    }
  }

  private void startQuery(FutureTask<Optional<QueueUsage>> query) {
    try {
      queryExecutor.execute(query);
      pendingQuery = query;
    } catch (RejectedExecutionException e) {
      LOG.info("The queue of {} is checked later: {}", application.id(), e.getMessage());
    }
  }

  private static Optional<QueueUsage> queryResult(FutureTask<Optional<QueueUsage>> query) {
    try {
      return query.get();
    } catch (ExecutionException e) {
      // Exceptions are ignored, because the client must continue to follow the job; errors are
      // not.
      if (e.getCause() instanceof Error error) {
        throw error;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Optional.empty();
  }

  /**
   * Ends the wait. Must be called when the application no longer waits; the next call of {@link
   * #updateWaiting} begins a new wait, whose reason is printed again.
   */
  public void endWaiting() {
    waitingSince = null;
    lastPrinted = null;
    // If a query is still running, let it finish, but ignore its answer.
    stale = pendingQuery != null;
    pace = Pace.forQueuePolls();
  }

  private void printUsage(QueueUsage use, ApplicationReport report) {
    if (lastPrinted == null || !use.isSimilarTo(lastPrinted)) {
      lastPrinted = use;
      out.println(use.describe(report.getRpcPort() > 0 ? "" : report.getDiagnostics()));
      out.flush();
    }
  }

  private Optional<QueueUsage> queryUsage(ApplicationReport report) {
    try {
      QueueInfo info = application.queue(report.getQueue());
      return Optional.ofNullable(info).map(queue -> QueueUsage.of(queue, report));
    } catch (IOException | YarnException | RuntimeException e) {
      LOG.info("The queue of {} is not shown: {}", application.id(), e.toString());
      return Optional.empty();
    }
  }
}
