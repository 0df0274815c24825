package io.tony.am;

import io.tony.am.machine.Action;
import io.tony.am.machine.Decision;
import io.tony.am.machine.Event;
import io.tony.am.machine.JobMachine;
import io.tony.am.machine.JobState;
import io.tony.am.machine.Timer;
import io.tony.model.JobResult;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that owns the job's state. Callbacks enqueue events; the loop hands them to the
 * machine one by one and performs the actions. Timers are kept here and expire into events.
 */
public final class AmLoop implements EventSink {
  private static final Logger LOG = LoggerFactory.getLogger(AmLoop.class);

  /** What the loop acts upon. */
  public record Ports(
      ContainerPort containers, LaunchPort launcher, TaskPort tasks, HistoryPort history) {}

  private final BlockingQueue<Event> queue = new LinkedBlockingQueue<>();
  private final Map<Timer, Instant> timers = new HashMap<>();
  private final InstantSource clock;
  private JobState state;
  private JobResult result;

  public AmLoop(JobState initial, InstantSource clock) {
    this.state = initial;
    this.clock = clock;
  }

  @Override
  public void offer(Event event) {
    queue.add(event);
  }

  /**
   * Runs the job to its end.
   *
   * @param ready comes before whatever was offered meanwhile: executors that an earlier
   *     ApplicationMaster started are faster than this one
   * @throws IllegalStateException when an event came that cannot happen: a defect of this program
   */
  public JobResult run(Event.AmReady ready, Ports ports) throws InterruptedException {
    take(ready, ports);
    while (result == null) {
      take(next(), ports);
    }
    return result;
  }

  private void take(Event event, Ports ports) {
    Decision decision = JobMachine.handle(state, event);
    if (decision.state().phase() != state.phase()) {
      LOG.info(
          "{} -> {}, session {}",
          state.phase(),
          decision.state().phase(),
          decision.state().session());
    }
    state = decision.state();
    ports.history().record(decision.facts());
    for (Action action : decision.actions()) {
      perform(action, ports);
    }
  }

  private Event next() throws InterruptedException {
    while (true) {
      Timer due = null;
      for (Map.Entry<Timer, Instant> timer : timers.entrySet()) {
        if (due == null || timer.getValue().isBefore(timers.get(due))) {
          due = timer.getKey();
        }
      }
      if (due == null) {
        return queue.take();
      }
      // A timer that is due comes before what has queued up meanwhile.
      Duration left = Duration.between(clock.instant(), timers.get(due));
      if (left.isNegative() || left.isZero()) {
        timers.remove(due);
        return new Event.TimerFired(clock.instant(), due);
      }
      Event event = queue.poll(left.toNanos(), TimeUnit.NANOSECONDS);
      if (event != null) {
        return event;
      }
    }
  }

  private void perform(Action action, Ports ports) {
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
    } else if (action instanceof Action.SetTimer set) {
      timers.put(set.timer(), clock.instant().plus(set.after()));
    } else if (action instanceof Action.CancelTimer cancel) {
      timers.remove(cancel.timer());
    } else if (action instanceof Action.Finish finish) {
      result = finish.result();
    } else {
      throw new IllegalStateException("nobody performs " + action);
    }
  }
}
