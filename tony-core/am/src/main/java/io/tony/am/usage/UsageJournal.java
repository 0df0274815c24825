package io.tony.am.usage;

import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.event.UsageFact;
import io.tony.eventlog.Journal;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import io.tony.process.Spawner;
import io.tony.timeline.GoodputReducer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A journal that adds events about resource usage: METRICS periodically, STRAGGLER for tasks that
 * hold their gang up, and GOODPUT and ADVICE before the job's last event. No decision depends on
 * these events.
 */
public final class UsageJournal implements Journal {
  /**
   * The time between two METRICS events is the job's elapsed time divided by this number. Even a
   * job of several days then adds only a few hundred events.
   */
  private static final int EVENTS_PER_ELAPSED_TIME = 100;

  private static final Duration MIN_SPACING = Duration.ofSeconds(10);

  /**
   * Exit code after SIGKILL. On a node whose NodeManager does not watch the memory, the kernel
   * kills a program in this way if the program uses too much memory.
   */
  private static final Integer SIGKILL_EXIT_CODE = 128 + 9;

  private static final Logger LOG = LoggerFactory.getLogger(UsageJournal.class);

  private final Journal journal;
  private final Metrics metrics;
  private final Adviser adviser;
  private final Stragglers stragglers;
  private final Duration interval;
  private final InstantSource clock;
  private final Set<String> rolesOutOfMemory = new HashSet<>();
  private final Map<String, Long> escalatedMiB = new HashMap<>();
  private final GoodputReducer goodput = new GoodputReducer();
  private @Nullable Thread thread; // null before the start
  private @Nullable Instant startedAt; // null before the job's first event
  private int session;
  private boolean finished;

  /**
   * Creates a journal that adds METRICS and STRAGGLER events only after {@link #start}.
   *
   * @param journal receives all events
   * @param interval sampling interval of each task
   */
  public UsageJournal(
      Journal journal,
      Metrics metrics,
      Adviser adviser,
      Stragglers stragglers,
      Duration interval,
      InstantSource clock) {
    this.journal = journal;
    this.metrics = metrics;
    this.adviser = adviser;
    this.stragglers = stragglers;
    this.interval = interval;
    this.clock = clock;
  }

  @Override
  public void record(List<JobEvent> decision) {
    decision.forEach(this::note);
    List<JobEvent> events = new ArrayList<>();
    boolean last = false;
    for (JobEvent event : decision) {
      if (event.type() == JobEvent.Type.JOB_FINISHED) {
        last = true;
        events.addAll(finalEvents(event));
      }
      events.add(event);
    }
    record(events, last);
  }

  @Override
  public void runWhenDurable(Runnable step) {
    journal.runWhenDurable(step);
  }

  private synchronized void record(List<JobEvent> events, boolean last) {
    if (last) {
      finished = true;
      if (thread != null) {
        thread.interrupt();
      }
    }
    journal.record(events);
  }

  private List<JobEvent> finalEvents(JobEvent end) {
    if (JobFact.Finished.of(end).result().kind() == FailureKind.INVALID) {
      return List.of();
    }
    List<Fact> facts = new ArrayList<>();
    facts.add(goodputSoFar());
    advice().forEach(text -> facts.add(new JobFact.Advice(text)));
    return facts.stream().map(fact -> fact.toEvent(end.time(), end.session())).toList();
  }

  private synchronized UsageFact.Goodput goodputSoFar() {
    return goodput.now();
  }

  private synchronized List<String> advice() {
    List<String> advice =
        new ArrayList<>(
            adviser.advise(
                metrics.roles(),
                metrics.sizes(),
                Set.copyOf(rolesOutOfMemory),
                Map.copyOf(escalatedMiB)));
    advice.addAll(stragglers.advice());
    return advice;
  }

  /**
   * Applies an event that an earlier ApplicationMaster recorded. Must be called for all such
   * events, in their order, before any other method.
   */
  public void replay(JobEvent earlier) {
    note(earlier);
  }

  /** Starts the thread that records usage and stragglers. Returns this journal. */
  public synchronized UsageJournal start() throws IOException {
    thread = Spawner.SYSTEM.startThread("metrics", this::recordPeriodically);
    return this;
  }

  private synchronized void note(JobEvent event) {
    if (startedAt == null) {
      startedAt = event.time();
    }
    session = event.session();
    goodput.add(event);
    Fact.of(event).ifPresent(this::note);
    if (event.type() == JobEvent.Type.TASK_FAILED) {
      TaskFact.Failed failed = TaskFact.Failed.of(event);
      if (failed.kind() == FailureKind.MEMORY
          || Objects.equals(failed.exitCode(), SIGKILL_EXIT_CODE)) {
        rolesOutOfMemory.add(failed.task().role());
      }
    }
  }

  private void note(Fact fact) {
    // Reset the progress at both events: the previous program may still report a line between them.
    if (fact instanceof TaskFact.Restarted || fact instanceof TaskFact.Started) {
      metrics.recordRestart(((TaskFact) fact).task());
    }
    if (fact instanceof ResizeFact.Resized resized) {
      metrics.resize(resized);
    } else if (fact instanceof TaskFact.Restarted restarted) {
      recordEscalation(restarted.task(), restarted.memoryMiB());
    } else if (fact instanceof GangFact.Restarted restarted) {
      recordEscalation(restarted.task(), restarted.memoryMiB());
    }
    stragglers.note(fact);
  }

  private void recordEscalation(TaskId task, @Nullable Long memory) {
    if (memory != null) {
      escalatedMiB.put(task.role(), memory);
    }
  }

  private void recordPeriodically() {
    try {
      Duration remaining = spacing(Duration.ZERO);
      while (true) {
        Duration wait =
            stragglers.window().compareTo(remaining) < 0 ? stragglers.window() : remaining;
        Thread.sleep(wait.toMillis());
        remaining = runOnce(remaining.minus(wait));
      }
    } catch (InterruptedException e) {
      // The thread is interrupted when the job has ended; it then has nothing more to record.
    }
  }

  /**
   * Looks for stragglers, and records the usage if it is due. An exception is logged and does not
   * affect later calls.
   *
   * @param remaining time until the usage is due; zero if it is due now
   * @return time until the usage is due the next time
   */
  Duration runOnce(Duration remaining) {
    try {
      judge();
      return remaining.isZero() ? recordUsage() : remaining;
    } catch (RuntimeException e) {
      LOG.error("What the tasks use is not recorded this time", e);
      return remaining.isZero() ? spacing(Duration.ZERO) : remaining;
    }
  }

  /** Records the current usage if any task runs. Returns the time until the next record. */
  Duration recordUsage() {
    // Accept samples up to two intervals old, because a sample waits for a heartbeat, of which one
    // may be missed. Build the details without the lock, because sorting a large gang must not
    // delay the event loop.
    Map<String, String> details = metrics.details(interval.multipliedBy(2).plus(MIN_SPACING));
    return details.isEmpty() ? spacing(Duration.ZERO) : record(details);
  }

  /** Records new stragglers and recoveries. */
  void judge() {
    // Read without the lock, because reading a large gang must not delay the event loop.
    Map<String, List<UsageReading>> readings = new HashMap<>();
    stragglers.roles().forEach(role -> readings.put(role, metrics.readings(role)));
    nameStragglers(readings);
  }

  private synchronized void nameStragglers(Map<String, List<UsageReading>> readings) {
    if (finished) {
      return;
    }
    Instant now = clock.instant();
    List<UsageFact.Straggler> found = stragglers.judge(now, readings);
    if (!found.isEmpty()) {
      journal.record(found.stream().map(straggler -> straggler.toEvent(now, session)).toList());
      found.forEach(stragglers::note);
    }
  }

  private synchronized Duration record(Map<String, String> details) {
    if (finished) {
      return spacing(Duration.ZERO);
    }
    Instant now = clock.instant();
    journal.record(List.of(new JobFact.UsageReport(details).toEvent(now, session)));
    return spacing(Duration.between(Objects.requireNonNull(startedAt), now));
  }

  /** Returns the time between two METRICS events of a job with this elapsed time. */
  private Duration spacing(Duration elapsed) {
    Duration spacing = elapsed.dividedBy(EVENTS_PER_ELAPSED_TIME);
    for (Duration minimum : new Duration[] {MIN_SPACING, interval}) {
      spacing = minimum.compareTo(spacing) > 0 ? minimum : spacing;
    }
    return spacing;
  }
}
