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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event loop of the ApplicationMaster: one thread that owns the job's state. Callbacks of YARN
 * and of executors put events into the loop's queue. The loop passes the events to the {@link
 * JobMachine} one by one, records the facts of each decision in the event log, and performs the
 * actions of the decision after the facts are durable. The loop also keeps the timers. An expired
 * timer becomes an event; an event that was queued before the timer was due is handled before the
 * timer's event.
 */
public final class AmLoop implements EventSink {
  private static final Logger LOG = LoggerFactory.getLogger(AmLoop.class);

  /** An entry of the loop's queue. */
  private sealed interface QueueEntry {
    /** Returns when the entry was queued, by the clock of the timers. */
    long atNanos();

    QueuedEvent orThrow();
  }

  /**
   * An event.
   *
   * @param onRecorded run once the facts that the event led to are durable; null for none
   */
  private record QueuedEvent(Event event, long atNanos, @Nullable Runnable onRecorded)
      implements QueueEntry {
    @Override
    public QueuedEvent orThrow() {
      return this;
    }
  }

  /** A defect of TonY that occurred in a callback or while an action was performed. */
  private record QueuedDefect(Throwable defect, long atNanos) implements QueueEntry {
    @Override
    public QueuedEvent orThrow() {
      throw new IllegalStateException("what was decided could not be done: " + defect, defect);
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
  private @Nullable JobResult result; // null until the job has ended

  /**
   * Creates a loop for a job in this state.
   *
   * @param clock gives events their time
   * @param nanoTime clock of the timers, in nanoseconds. Must not advance while this process is
   *     suspended, because executors' reports from that time have not arrived yet.
   */
  public AmLoop(JobState initial, InstantSource clock, LongSupplier nanoTime) {
    this.state = initial;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  @Override
  public void offer(Event event) {
    queue.add(new QueuedEvent(event, nanoTime.getAsLong(), null));
  }

  @Override
  public void offer(Event event, Runnable onRecorded) {
    queue.add(new QueuedEvent(event, nanoTime.getAsLong(), onRecorded));
  }

  @Override
  public void reportDefect(Throwable defect) {
    queue.add(new QueuedDefect(defect, nanoTime.getAsLong()));
  }

  /**
   * Handles events until the job has ended, and returns its result.
   *
   * @param ready handled before all events that are already in the queue, because executors that an
   *     earlier ApplicationMaster started may report before this ApplicationMaster is ready
   * @throws RuntimeException if an event is impossible in the job's phase or an action fails: a
   *     defect of TonY
   */
  public JobResult run(Event.AmReady ready, MachinePorts ports, Journal journal)
      throws InterruptedException {
    process(ready, ports, journal);
    while (result == null) {
      QueuedEvent next = next();
      process(next.event(), ports, journal);
      if (next.onRecorded() != null) {
        journal.runWhenDurable(next.onRecorded());
      }
    }
    return result;
  }

  /**
   * Records these facts in the event log although no event has led to them. Called when the job
   * ends because of a defect of TonY, after which the {@link JobMachine} can no longer decide.
   */
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

  private QueuedEvent next() throws InterruptedException {
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
          return new QueuedEvent(new Event.TimerFired(clock.instant(), first), now, null);
        }
        return queue.remove().orThrow();
      }
    }
  }

  /**
   * Performs these actions in order. Called on the journal's thread. If an action throws an
   * exception, the rest are not performed, and the loop's thread receives the exception as a defect
   * of TonY.
   */
  private void perform(List<Action.PortAction> actions, MachinePorts ports) {
    try {
      actions.forEach(action -> action.perform(ports));
    } catch (RuntimeException | Error e) {
      LOG.error("What was decided could not be done", e);
      reportDefect(e);
    }
  }
}
