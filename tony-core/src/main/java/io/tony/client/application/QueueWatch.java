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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prints why an application waits, and again when the reason has changed considerably. Queries the
 * queue at most once a minute, and less often during a long wait, because YARN's answer contains
 * all applications in the queue. The query runs in the background; a failed query is only logged.
 */
public final class QueueWatch {
  private static final Logger LOG = LoggerFactory.getLogger(QueueWatch.class);

  /**
   * How long an application must wait before the reason is printed: a user sees within five seconds
   * what a command waits for.
   */
  private static final Duration INITIAL_DELAY = Duration.ofSeconds(4);

  private final RunningApplication application;
  private final JobLog out;
  private final InstantSource clock;
  private final Executor queryExecutor;
  private Pace pace = Pace.forQueuePolls();
  private Instant waitingSince; // null while nothing is waited for
  private QueueUsage lastPrinted;
  private FutureTask<Optional<QueueUsage>> pendingQuery; // null while no query runs
  private boolean stale; // the pending query belongs to an earlier wait

  public QueueWatch(RunningApplication application, JobLog out) {
    this(application, out, InstantSource.system(), Spawner.SYSTEM.newThreadPool("queue", 1));
  }

  /**
   * Creates a watch.
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
   * Notes that the application, in this state, still waits; prints the reason when it is due. To be
   * called repeatedly, by one thread.
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
      Optional<QueueUsage> answer = queryResult().filter(use -> !stale);
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
      LOG.info("The queue of {} is looked at later: {}", application.id(), e.getMessage());
    }
  }

  private Optional<QueueUsage> queryResult() {
    try {
      return pendingQuery.get();
    } catch (ExecutionException e) {
      // Unexpected exceptions are ignored, so that the job is still followed; errors are not.
      if (e.getCause() instanceof Error error) {
        throw error;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Optional.empty();
  }

  /** Ends the present wait; the next wait is reported from its beginning. */
  public void endWaiting() {
    waitingSince = null;
    lastPrinted = null;
    stale = pendingQuery != null; // no second query while one runs
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
