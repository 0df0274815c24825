package io.tony.client.follow;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
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
  private CompletableFuture<Optional<QueueUse>> asked; // null while nobody asks
  private boolean stale; // what is asked is of an earlier wait

  QueueWatch(RunningApplication application, JobLog out) {
    this(application, out, InstantSource.system(), QueueWatch::inBackground);
  }

  QueueWatch(RunningApplication application, JobLog out, InstantSource clock, Executor asker) {
    this.application = application;
    this.out = out;
    this.clock = clock;
    this.asker = asker;
  }

  /** A ResourceManager that does not answer keeps nothing else waiting, nor this process alive. */
  private static void inBackground(Runnable look) {
    Thread thread = new Thread(look, "queue");
    thread.setDaemon(true);
    thread.start();
  }

  /** For the application, as YARN shows it, something is waited for; to be said again and again. */
  void waits(ApplicationReport report) {
    Instant now = clock.instant();
    if (since == null) {
      since = now;
    }
    boolean late = Duration.between(since, now).compareTo(FIRST) >= 0;
    if (asked == null && late && pace.due(now)) {
      // What nobody foresaw is no news, either: the job is followed on.
      asked =
          CompletableFuture.supplyAsync(() -> ask(report), asker)
              .exceptionally(defect -> Optional.empty());
    }
    if (asked != null && asked.isDone()) {
      Optional<QueueUse> answer = asked.join().filter(use -> !stale);
      asked = null;
      stale = false;
      answer.ifPresent(use -> tell(use, report));
    }
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
