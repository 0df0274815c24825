package io.tony.am.machine;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.DistributedMode;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.Test;

/**
 * Thousands of jobs in a world where much goes wrong. A failure names its seed and the events that
 * led to it; {@code -Dtony.simulation.seed=N} runs that one alone.
 */
public class JobMachineSimulationTest {
  private static final int JOBS = 4_000;
  private static final int MOST_EVENTS = 20_000;
  private static final int TOLD_EVENTS = 40;

  /** One job's life: what happened and what was decided. */
  private record Life(
      long seed, JobSpec job, List<Event> events, List<Decision> decisions, JobResult result) {}

  /** What the schedules led to, so that a world that became too kind is noticed. */
  private final Map<JobResult.Status, Integer> statuses = new EnumMap<>(JobResult.Status.class);

  private final Set<FailureKind> kinds = EnumSet.noneOf(FailureKind.class);
  private final Set<DistributedMode> succeededModes = EnumSet.noneOf(DistributedMode.class);
  private int restarts;
  private int masters;

  @Test
  public void shouldKeepItsInvariantsWhateverHappens() {
    String only = System.getProperty("tony.simulation.seed");
    if (only != null) {
      replay(live(Long.parseLong(only), true));
      return;
    }
    for (long seed = 0; seed < JOBS; seed++) {
      Life life = live(seed, seed % 8 != 0);
      replay(life);
      count(life);
    }
    for (JobResult.Status status : JobResult.Status.values()) {
      assertTrue("how jobs ended: " + statuses, statuses.getOrDefault(status, 0) > JOBS / 20);
    }
    assertEquals(
        EnumSet.of(
            FailureKind.USER,
            FailureKind.LOST,
            FailureKind.PREEMPTED,
            FailureKind.MEMORY,
            FailureKind.TIMEOUT,
            FailureKind.KILLED),
        kinds);
    assertEquals(EnumSet.allOf(DistributedMode.class), succeededModes);
    assertTrue("ApplicationMasters that took over: " + masters, masters > JOBS / 10);
    assertTrue("gangs started again: " + restarts, restarts > JOBS / 20);
  }

  /** Runs the job of a seed to its end, and on until nothing of it is under way. */
  private static Life live(long seed, boolean troubled) {
    Random random = new Random(seed);
    JobSpec job = SimulatedJobs.random(random);
    SimulatedWorld world =
        new SimulatedWorld(job, random, troubled ? random.nextDouble() * random.nextDouble() : 0);
    MachineInvariants invariants = new MachineInvariants(job, seed);
    List<Event> events = new ArrayList<>();
    List<Decision> decisions = new ArrayList<>();
    JobState state = JobState.initial(job, seed);
    try {
      Event event = world.next();
      while (event != null) {
        if (events.size() == MOST_EVENTS) {
          throw new AssertionError("no end after " + MOST_EVENTS + " events");
        }
        events.add(event);
        Decision decision = JobMachine.handle(state, event);
        decisions.add(decision);
        invariants.check(state, event, decision);
        decision.actions().forEach(world::perform);
        state = decision.state();
        if (!invariants.finished() && state.startedAt() != null && world.masterDies()) {
          state = Fold.of(job, seed, invariants.facts());
          invariants.masterDied();
          event = world.nextMaster();
        } else {
          event = invariants.finished() ? world.leftover() : world.next();
        }
      }
      if (!invariants.finished()) {
        throw new AssertionError("nothing happens any more, and the job is " + state.phase());
      }
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(tale(seed, job, events, decisions, e), e);
    }
    return new Life(seed, job, events, decisions, invariants.result());
  }

  private void replay(Life life) {
    JobState state = JobState.initial(life.job(), life.seed());
    List<JobEvent> facts = new ArrayList<>();
    for (int i = 0; i < life.events().size(); i++) {
      Event event = life.events().get(i);
      if (event instanceof Event.AmReady ready && ready.attempt() > 1) {
        state = Fold.of(life.job(), life.seed(), facts);
        masters++;
      }
      Decision decision = JobMachine.handle(state, event);
      facts.addAll(decision.facts());
      assertEquals(life.decisions().get(i).facts(), decision.facts());
      assertEquals(life.decisions().get(i).actions(), decision.actions());
      state = decision.state();
    }
  }

  private void count(Life life) {
    statuses.merge(life.result().status(), 1, Integer::sum);
    if (life.result().kind() == null) {
      succeededModes.add(life.job().mode());
    } else {
      kinds.add(life.result().kind());
    }
    restarts += life.decisions().get(life.decisions().size() - 1).state().session();
  }

  private static String tale(
      long seed, JobSpec job, List<Event> events, List<Decision> decisions, Throwable e) {
    StringBuilder tale = new StringBuilder();
    tale.append("-Dtony.simulation.seed=").append(seed).append(": ").append(e);
    tale.append("\n").append(job);
    for (int i = Math.max(0, events.size() - TOLD_EVENTS); i < events.size(); i++) {
      tale.append("\n").append(i).append(' ').append(events.get(i));
      if (i < decisions.size()) {
        tale.append("\n    ").append(decisions.get(i).state().phase());
        decisions.get(i).actions().forEach(action -> tale.append("\n    ").append(action));
      }
    }
    return tale.toString();
  }
}
