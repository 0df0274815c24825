package io.tony.am.loop;

import io.tony.am.machine.Action;
import io.tony.am.machine.Decision;
import io.tony.am.machine.Event;
import io.tony.am.machine.JobMachine;
import io.tony.am.machine.JobState;
import io.tony.am.machine.LoopPort;
import io.tony.am.machine.MachinePorts;
import io.tony.am.machine.Timer;
import io.tony.event.Fact;
import io.tony.eventlog.Journal;
import io.tony.model.JobResult;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The single thread that owns the job's state. Callbacks enqueue events; the loop passes them to
 * the {@link JobMachine} one by one, records the resulting facts, and performs the actions once the
 * facts are durable. The loop also keeps the timers, which expire into events; an event that was
 * queued before a timer was due is handled before the timer.
 */
public final class AmLoop implements EventSink {
  private static final Logger LOG = LoggerFactory.getLogger(AmLoop.class);

  /**
   * An event, or a defect that occurred while an action was performed; the other one is null.
   *
   * @param onRecorded run once the consequences of the event are recorded; null for none
   */
  private record QueueEntry(Event event, Throwable defect, long atNanos, Runnable onRecorded) {
    static QueueEntry of(Event event, long atNanos) {
      return new QueueEntry(event, null, atNanos, null);
    }

    QueueEntry orThrow() {
      if (defect != null) {
        throw new IllegalStateException("what was decided could not be done: " + defect, defect);
      }
      return this;
    }
  }

  private final BlockingQueue<QueueEntry> queue = new LinkedBlockingQueue<>();
  private final Timers timers = new Timers();
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final LoopPort loopPort =
      new LoopPort() {
        @Override
        public void set(Timer timer, Duration after) {
          timers.set(timer, nanoTime.getAsLong(), after);
        }

        @Override
        public void cancel(Timer timer) {
          timers.cancel(timer);
        }

        @Override
        public void finish(JobResult end) {
          result = end;
        }
      };

  private JobState state;
  private JobResult result;

  /**
   * Creates a loop in the initial state.
   *
   * @param clock gives events their time
   * @param nanoTime clock of the timers, in nanoseconds. Must not count time in which this process
   *     was suspended, because reports from that time are still to arrive.
   */
  public AmLoop(JobState initial, InstantSource clock, LongSupplier nanoTime) {
    this.state = initial;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  @Override
  public void offer(Event event) {
    queue.add(QueueEntry.of(event, nanoTime.getAsLong()));
  }

  @Override
  public void offer(Event event, Runnable onRecorded) {
    queue.add(new QueueEntry(event, null, nanoTime.getAsLong(), onRecorded));
  }

  @Override
  public void reportDefect(Throwable defect) {
    queue.add(new QueueEntry(null, defect, nanoTime.getAsLong(), null));
  }

  /**
   * Runs the job to its end.
   *
   * @param ready handled before all events offered so far, because executors of an earlier
   *     ApplicationMaster may report before this one is ready
   * @throws RuntimeException if an impossible event arrives or an action fails: a defect of this
   *     program
   */
  public JobResult run(Event.AmReady ready, MachinePorts ports, Journal journal)
      throws InterruptedException {
    process(ready, ports, journal);
    while (result == null) {
      QueueEntry next = next();
      process(next.event(), ports, journal);
      if (next.onRecorded() != null) {
        journal.runWhenDurable(next.onRecorded());
      }
    }
    return result;
  }

  /** Records facts without an event, when the machine cannot decide any more. */
  void record(List<? extends Fact> facts, Journal journal) {
    journal.record(
        facts.stream().map(fact -> fact.toEvent(clock.instant(), state.session())).toList());
  }

  private void process(Event event, MachinePorts ports, Journal journal) {
    Decision decision = JobMachine.handle(state, event);
    if (decision.state().phase() != state.phase()) {
      LOG.info(
          "{} -> {}, session {}",
          state.phase(),
          decision.state().phase(),
          decision.state().session());
    }
    state = decision.state();
    if (!decision.facts().isEmpty()) {
      journal.record(decision.facts());
    }
    List<Action.PortAction> onPorts = new ArrayList<>();
    for (Action action : decision.actions()) {
      if (action instanceof Action.LoopAction onLoop) {
        onLoop.perform(loopPort);
      } else {
        onPorts.add((Action.PortAction) action);
      }
    }
    if (!onPorts.isEmpty()) {
      journal.runWhenDurable(() -> perform(onPorts, ports));
    }
  }

  private QueueEntry next() throws InterruptedException {
    while (true) {
      Timer first = timers.nextDue();
      if (first == null) {
        return queue.take().orThrow();
      }
      long now = nanoTime.getAsLong();
      long remainingNanos = timers.nanosUntil(first, now);
      if (remainingNanos > 0) {
        QueueEntry event = queue.poll(remainingNanos, TimeUnit.NANOSECONDS);
        if (event != null) {
          return event.orThrow();
        }
      } else {
        QueueEntry event = queue.peek();
        if (event == null || timers.nanosUntil(first, event.atNanos()) < 0) {
          timers.cancel(first);
          return QueueEntry.of(new Event.TimerFired(clock.instant(), first), now);
        }
        return queue.remove().orThrow();
      }
    }
  }

  /** Performs actions on the journal's thread. Reports a failure to the loop's thread. */
  private void perform(List<Action.PortAction> actions, MachinePorts ports) {
    try {
      actions.forEach(action -> action.perform(ports));
    } catch (RuntimeException | Error e) {
      LOG.error("What was decided could not be done", e);
      reportDefect(e);
    }
  }
}
