package io.tony.am.rpc;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;

import io.tony.am.machine.Event;
import io.tony.am.rpc.ServedJob.SetClock;
import io.tony.clock.AwakeClock;
import io.tony.model.JobLimits;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class HeartbeatsTest {
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final int MISSED = 3;
  private static final TaskKey ONE = new TaskKey(new TaskId("worker", 0), 0, "c0");
  private static final TaskKey OTHER = new TaskKey(new TaskId("worker", 1), 0, "c1");

  private static final JobLimits LIMITS = job().heartbeats(INTERVAL, MISSED).spec().limits();

  private final SetClock clock = new SetClock();
  private final List<Event> events = new ArrayList<>();
  private final Heartbeats heartbeats = new Heartbeats(LIMITS, clock, clock, events::add);

  private void intervalsPass(int count) {
    for (int i = 0; i < count; i++) {
      clock.pass(INTERVAL);
      heartbeats.check();
    }
  }

  @Test
  public void shouldMissAnExecutorOnceWhenTheLimitHasPassed() {
    heartbeats.register(ONE);
    intervalsPass(MISSED);
    assertEquals(List.of(), events);

    intervalsPass(1);
    Event silent = new Event.HeartbeatTimedOut(clock.instant(), ONE);
    intervalsPass(2 * MISSED);

    assertEquals(List.of(silent), events);
  }

  @Test
  public void shouldNotMissAnExecutorThatIsHeardOf() {
    heartbeats.register(ONE);
    heartbeats.register(OTHER);
    intervalsPass(MISSED);
    heartbeats.recordHeartbeat(ONE);

    intervalsPass(1);

    assertEquals(List.of(new Event.HeartbeatTimedOut(clock.instant(), OTHER)), events);
  }

  @Test
  public void shouldNotMissAnExecutorThatHasReportedItsEnd() {
    heartbeats.register(ONE);
    heartbeats.noteExit(ONE);
    heartbeats.recordHeartbeat(ONE); // overtaken by the report of the end

    intervalsPass(2 * MISSED);

    assertEquals(List.of(), events);
  }

  @Test
  public void shouldNotMissAnExecutorAgainThatIsHeardOfTooLate() {
    heartbeats.register(ONE);
    intervalsPass(MISSED + 1);

    heartbeats.recordHeartbeat(ONE);
    intervalsPass(2 * MISSED);

    assertEquals(1, events.size());
  }

  /** The ApplicationMaster's own process or node was held up. */
  @Test
  public void shouldMissNobodyForTheTimeInWhichItDidNotListenItself() {
    AwakeClock awake =
        new AwakeClock(() -> Duration.between(Instant.EPOCH, clock.instant()).toNanos());
    Heartbeats paused = new Heartbeats(LIMITS, clock, awake, events::add);
    paused.register(ONE);

    for (int i = 0; i < MISSED; i++) { // each counts as the one interval that it should have been
      clock.pass(Duration.ofMinutes(10));
      awake.tick();
      paused.check();
    }
    assertEquals(List.of(), events);

    clock.pass(INTERVAL);
    paused.check();
    assertEquals(List.of(new Event.HeartbeatTimedOut(clock.instant(), ONE)), events);
  }

  @Test
  public void shouldMissNoAdoptedExecutorBeforeItCanKnow() {
    heartbeats.adopt(ONE);
    heartbeats.adopt(OTHER);
    heartbeats.noteRestart(new TaskKey(OTHER.task(), 1, OTHER.container()));
    intervalsPass(2 * MISSED);
    clock.pass(Duration.ofMinutes(10)); // and nothing is added to a time that there is not
    heartbeats.check();
    assertEquals(List.of(), events);

    heartbeats.markPublished();
    intervalsPass(MISSED);
    assertEquals(List.of(), events);
    intervalsPass(1);
    assertEquals(2, events.size());
  }

  // ---- The same executor from one attempt to the next ----

  private static final TaskKey NEXT = new TaskKey(ONE.task(), 3, ONE.container());

  @Test
  public void shouldMissAnExecutorAsItsLatestAttemptOnly() {
    heartbeats.register(ONE);
    intervalsPass(MISSED);
    heartbeats.register(NEXT);
    intervalsPass(1);
    heartbeats.register(ONE); // a registration that was under way
    intervalsPass(MISSED);
    assertEquals(List.of(), events);

    intervalsPass(1);

    assertEquals(List.of(new Event.HeartbeatTimedOut(clock.instant(), NEXT)), events);
  }

  @Test
  public void shouldExpectAnExecutorAgainThatIsToldToRestart() {
    heartbeats.register(ONE);
    heartbeats.noteExit(ONE);
    intervalsPass(2 * MISSED);
    heartbeats.noteRestart(NEXT);
    heartbeats.noteExit(ONE); // the end of the attempt before it
    intervalsPass(MISSED);
    assertEquals(List.of(), events);

    intervalsPass(1);

    assertEquals(List.of(new Event.HeartbeatTimedOut(clock.instant(), NEXT)), events);
  }

  @Test
  public void shouldNotMissAnExecutorThatNeverRegistered() {
    heartbeats.noteRestart(NEXT);

    intervalsPass(2 * MISSED);

    assertEquals(List.of(), events);
  }

  @Test
  public void shouldForgetAnExecutorWhoseContainerHasEnded() {
    heartbeats.register(ONE);
    heartbeats.forget(ONE.container());

    intervalsPass(2 * MISSED);

    assertEquals(List.of(), events);
  }
}
