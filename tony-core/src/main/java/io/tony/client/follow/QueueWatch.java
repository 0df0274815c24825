package io.tony.client.follow;

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
 * Tells why an application waits, once, and again when that has changed much. It looks at its queue
 * once a minute at most, and seldom in a long wait: YARN answers with all that is in it. Nobody
 * waits for the answer, and none is no news.
 */
final class QueueWatch {
  private static final Logger LOG = LoggerFactory.getLogger(QueueWatch.class);

  /** After how long a wait is told: a person sees within five seconds what a command waits for. */
  private static final Duration FIRST = Duration.ofSeconds(4);

  private final RunningApplication application;
  private final JobLog out;
  private final InstantSource clock;
  private final Executor asker;
  private Pace pace = Pace.ofQueues();
  private Instant since; // null while nothing is waited for
  private QueueUse told;
  private FutureTask<Optional<QueueUse>> asked; // null while nobody asks
  private boolean stale; // what is asked is of an earlier wait

  QueueWatch(RunningApplication application, JobLog out) {
    this(application, out, InstantSource.system(), Spawner.SYSTEM.pool("queue", 1));
  }

  /** {@code asker}: a ResourceManager that does not answer keeps nothing else waiting. */
  QueueWatch(RunningApplication application, JobLog out, InstantSource clock, Executor asker) {
    this.application = application;
    this.out = out;
    this.clock = clock;
    this.asker = asker;
  }

  /** For the application, as YARN shows it, something is waited for; to be said again and again. */
  void waits(ApplicationReport report) {
    Instant now = clock.instant();
    if (since == null) {
      since = now;
    }
    boolean late = Duration.between(since, now).compareTo(FIRST) >= 0;
    if (asked == null && late && pace.due(now)) {
      begin(new FutureTask<>(() -> ask(report)));
    }
    if (asked != null && asked.isDone()) {
      Optional<QueueUse> answer = answer().filter(use -> !stale);
      asked = null;
      stale = false;
      answer.ifPresent(use -> tell(use, report));
    }
  }

  private void begin(FutureTask<Optional<QueueUse>> look) {
    try {
      asker.execute(look);
      asked = look;
    } catch (RejectedExecutionException e) {
      LOG.info("The queue of {} is looked at later: {}", application.id(), e.getMessage());
    }
  }

  private Optional<QueueUse> answer() {
    try {
      return asked.get();
    } catch (ExecutionException e) {
      // Whatever nobody foresaw is no news, either: the job is followed on. An Error is.
      if (e.getCause() instanceof Error error) {
        throw error;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Optional.empty();
  }

  /** Nothing is waited for any more; the next wait is another one. */
  void goesOn() {
    since = null;
    told = null;
    stale = asked != null; // one asks at a time, however often it waits and goes on
    pace = Pace.ofQueues();
  }

  private void tell(QueueUse use, ApplicationReport report) {
    if (told == null || !use.isMuchLike(told)) {
      told = use;
      out.println(use.told(report.getRpcPort() > 0 ? "" : report.getDiagnostics()));
      out.flush();
    }
  }

  private Optional<QueueUse> ask(ApplicationReport report) {
    try {
      QueueInfo info = application.queue(report.getQueue());
      return Optional.ofNullable(info).map(queue -> QueueUse.of(queue, report));
    } catch (IOException | YarnException | RuntimeException e) {
      LOG.info("The queue of {} is not shown: {}", application.id(), e.toString());
      return Optional.empty();
    }
  }
}
