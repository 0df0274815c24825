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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The job's history, and in it what the tasks use: METRICS now and then, STRAGGLER for each task
 * that holds its gang up, and before the job's last event GOODPUT and ADVICE. They are no facts
 * that anything is decided upon.
 */
public final class UsageJournal implements Journal {
  /** A day of a job is to be a few hundred events: they come as a part of the time it has taken. */
  private static final int EVENTS_PER_ELAPSED_TIME = 100;

  private static final Duration MIN_SPACING = Duration.ofSeconds(10);

  /** What the kernel ends for its memory, where it and not YARN's NodeManager watches it. */
  private static final Integer SIGKILL_EXIT_CODE = 128 + 9;

  private static final Logger LOG = LoggerFactory.getLogger(UsageJournal.class);

  private final Journal history;
  private final Metrics metrics;
  private final Adviser adviser;
  private final Stragglers stragglers;
  private final Duration interval;
  private final InstantSource clock;
  private final Set<String> rolesOutOfMemory = new HashSet<>();
  private final Map<String, Long> escalatedMiB = new HashMap<>();
  private final GoodputReducer goodput = new GoodputReducer();
  private Thread thread; // null before the start
  private Instant startedAt; // null before the job's first event
  private int session;
  private boolean finished;

  /**
   * Records nothing by itself before it is {@linkplain #start started}.
   *
   * @param interval in which each task is sampled
   */
  public UsageJournal(
      Journal history,
      Metrics metrics,
      Adviser adviser,
      Stragglers stragglers,
      Duration interval,
      InstantSource clock) {
    this.history = history;
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
    history.runWhenDurable(step);
  }

  private synchronized void record(List<JobEvent> events, boolean last) {
    if (last) {
      finished = true;
      if (thread != null) {
        thread.interrupt();
      }
    }
    history.record(events);
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
            adviser.of(
                metrics.roles(),
                metrics.sizes(),
                Set.copyOf(rolesOutOfMemory),
                Map.copyOf(escalatedMiB)));
    advice.addAll(stragglers.advice());
    return advice;
  }

  /**
   * The next event that an earlier ApplicationMaster recorded; all of them before anything else.
   */
  public void resume(JobEvent earlier) {
    note(earlier);
  }

  /** From now on what the tasks use is recorded, by a thread of its own. Answers this. */
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
    // Once before the new program can tell a line, and once after the one before could.
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

  private void recordEscalation(TaskId task, Long memory) {
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
      // The job has ended.
    }
  }

  /**
   * Judges, and tells where the time for it has come. One look that fails is not the last one.
   *
   * @param remaining until it tells
   * @return the same from now on
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

  /** Records what the tasks use now, where any runs; returns when to do it again. */
  Duration recordUsage() {
    // A sample waits for a heartbeat, and one of them may be missed. Those of a large gang are
    // sorted for it: not while the job's thread waits.
    Map<String, String> details = metrics.details(interval.multipliedBy(2).plus(MIN_SPACING));
    return details.isEmpty() ? spacing(Duration.ZERO) : record(details);
  }

  /** Records who holds the gang up, where that is not known yet. */
  void judge() {
    // Of a large gang these are many: not while the job's thread waits.
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
      history.record(found.stream().map(straggler -> straggler.toEvent(now, session)).toList());
      found.forEach(stragglers::note);
    }
  }

  private synchronized Duration record(Map<String, String> details) {
    if (finished) {
      return spacing(Duration.ZERO);
    }
    Instant now = clock.instant();
    history.record(List.of(new JobFact.UsageReport(details).toEvent(now, session)));
    return spacing(Duration.between(startedAt, now));
  }

  /** From one event to the next of a job that has taken so long. */
  private Duration spacing(Duration elapsed) {
    Duration spacing = elapsed.dividedBy(EVENTS_PER_ELAPSED_TIME);
    for (Duration minimum : new Duration[] {MIN_SPACING, interval}) {
      spacing = minimum.compareTo(spacing) > 0 ? minimum : spacing;
    }
    return spacing;
  }
}
