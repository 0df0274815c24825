package io.tony.am;

import io.tony.am.machine.Action;
import io.tony.am.machine.Decision;
import io.tony.am.machine.Event;
import io.tony.am.machine.JobMachine;
import io.tony.am.machine.JobState;
import io.tony.am.machine.Timer;
import io.tony.fact.Fact;
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
 * The one thread that owns the job's state. Callbacks enqueue events; the loop hands them to the
 * machine one by one, has the facts recorded, and has the actions done once they are. Timers are
 * kept here and expire into events; what was queued before a timer came due is taken first.
 */
public final class AmLoop implements EventSink {
  private static final Logger LOG = LoggerFactory.getLogger(AmLoop.class);

  /** A delay this long means that this process stood still. */
  private static final Duration STANDSTILL = Duration.ofSeconds(2);

  /** At a time: a standstill that ends while a timer is far from due is to be noticed, too. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

  /** What the loop acts upon. */
  public record Ports(
      ContainerPort containers, LaunchPort launcher, TaskPort tasks, HistoryPort history) {}

  /** Either an event or a defect that was met while an action was done; the other is null. */
  private record Queued(Event event, Throwable defect, long atNanos) {
    Event taken() {
      if (defect != null) {
        throw new IllegalStateException("what was decided could not be done: " + defect, defect);
      }
      return event;
    }
  }

  private final BlockingQueue<Queued> queue = new LinkedBlockingQueue<>();
  private final Timers timers = new Timers();
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private JobState state;
  private JobResult result;

  /**
   * Nothing has happened yet.
   *
   * @param clock tells when events happened
   * @param nanoTime counts the time that timers wait for, as {@link System#nanoTime} does
   */
  public AmLoop(JobState initial, InstantSource clock, LongSupplier nanoTime) {
    this.state = initial;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  @Override
  public void offer(Event event) {
    queue.add(new Queued(event, null, nanoTime.getAsLong()));
  }

  @Override
  public void defect(Throwable defect) {
    queue.add(new Queued(null, defect, nanoTime.getAsLong()));
  }

  /**
   * Runs the job to its end.
   *
   * @param ready comes before whatever was offered meanwhile: executors that an earlier
   *     ApplicationMaster started are faster than this one
   * @throws RuntimeException when an event came that cannot happen, or an action cannot be done: a
   *     defect of this program
   */
  public JobResult run(Event.AmReady ready, Ports ports) throws InterruptedException {
    take(ready, ports);
    while (result == null) {
      take(next(), ports);
    }
    return result;
  }

  /** Records facts that no event leads to, when the machine cannot be asked any more. */
  void record(List<? extends Fact> facts, HistoryPort history) {
    history.record(facts.stream().map(fact -> fact.at(clock.instant(), state.session())).toList());
  }

  private void take(Event event, Ports ports) {
    long begin = nanoTime.getAsLong();
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
      ports.history().record(decision.facts());
    }
    List<Action> outside = new ArrayList<>();
    for (Action action : decision.actions()) {
      if (!performInside(action)) {
        outside.add(action);
      }
    }
    if (!outside.isEmpty()) {
      ports.history().afterwards(() -> perform(outside, ports));
    }
    noticeStandstill(begin);
  }

  private Event next() throws InterruptedException {
    while (true) {
      Timer first = timers.first();
      if (first == null) {
        return queue.take().taken();
      }
      long now = nanoTime.getAsLong();
      long left = timers.nanosUntil(first, now);
      if (left > 0) {
        long slice = Math.min(left, LONGEST_WAIT.toNanos());
        Queued event = queue.poll(slice, TimeUnit.NANOSECONDS);
        noticeStandstill(now + slice);
        if (event != null) {
          return event.taken();
        }
      } else {
        Queued event = queue.peek();
        if (event == null || timers.nanosUntil(first, event.atNanos()) < 0) {
          timers.cancel(first);
          return new Event.TimerFired(clock.instant(), first);
        }
        return queue.remove().taken();
      }
    }
  }

  /**
   * A process that stood still, as on a paused machine, heard nobody: what others did meanwhile is
   * about to be told, and the time counts for no limit.
   *
   * @param expected when this thread was to be here at the latest
   */
  private void noticeStandstill(long expected) {
    long late = nanoTime.getAsLong() - expected;
    if (late > STANDSTILL.toNanos()) {
      LOG.warn("This process stood still for {} ms", TimeUnit.NANOSECONDS.toMillis(late));
      timers.postpone(late);
    }
  }

  /** Timers are the loop's own, and so is its end; false for what concerns others. */
  private boolean performInside(Action action) {
    if (action instanceof Action.SetTimer set) {
      timers.set(set.timer(), nanoTime.getAsLong(), set.after());
    } else if (action instanceof Action.CancelTimer cancel) {
      timers.cancel(cancel.timer());
    } else if (action instanceof Action.Finish finish) {
      result = finish.result();
    } else {
      return false;
    }
    return true;
  }

  /** By another thread than the loop's, which is to know when that fails. */
  private void perform(List<Action> actions, Ports ports) {
    try {
      actions.forEach(action -> perform(action, ports));
    } catch (RuntimeException | Error e) {
      LOG.error("What was decided could not be done", e);
      defect(e);
    }
  }

  private static void perform(Action action, Ports ports) {
    if (action instanceof Action.RequestContainers request) {
      ports.containers().request(request.role(), request.count());
    } else if (action instanceof Action.CancelRequests cancel) {
      ports.containers().cancel(cancel.role(), cancel.count());
    } else if (action instanceof Action.ReleaseContainer release) {
      ports.containers().release(release.container());
    } else if (action instanceof Action.AvoidNodes avoid) {
      ports.containers().avoid(avoid.nodes());
    } else if (action instanceof Action.ShowTensorBoard show) {
      ports.containers().showTensorBoard(show.url());
    } else if (action instanceof Action.LaunchExecutor launch) {
      ports.tasks().expect(launch.key());
      ports.launcher().launch(launch.key());
    } else if (action instanceof Action.StopContainer stop) {
      ports.launcher().stop(stop.key());
    } else if (action instanceof Action.StartTask start) {
      ports.tasks().start(start);
    } else if (action instanceof Action.RestartTask restart) {
      ports.tasks().restart(restart.from(), restart.attempt(), restart.reason());
    } else if (action instanceof Action.StopTask stop) {
      ports.tasks().stop(stop.key(), stop.reason());
    } else {
      throw new IllegalStateException("nobody performs " + action);
    }
  }
}
