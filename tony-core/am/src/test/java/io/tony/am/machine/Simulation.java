package io.tony.am.machine;

import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * One job in its world, with the log that its ApplicationMasters write: each decision is recorded,
 * and only then acted upon. A seed makes the same life again, up to where something else is done.
 */
final class Simulation {
  private static final int MOST_EVENTS = 20_000;
  private static final int TOLD_EVENTS = 40;

  private final long seed;
  private final JobSpec job;
  private final SimulatedWorld world;
  private final MachineInvariants invariants;
  private final List<JobEvent> log = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();
  private final List<Decision> decisions = new ArrayList<>();
  private final Paths paths = new Paths();
  private JobState state;
  private Event event;
  private JobResult result;

  /** From now on nothing can be written. */
  private boolean logFails;

  /** The log lacks what became of the job: nothing that was true before can be asked for. */
  private boolean holed;

  /** A job of its seed's chance; {@code troubled} is whether anything goes wrong in its world. */
  Simulation(long seed, boolean troubled) {
    Random random = new Random(seed);
    this.seed = seed;
    JobSpec fixed = SimulatedJobs.random(random, seed % 4 == 3);
    this.job =
        switch ((int) (seed % 4)) {
          case 1 -> SimulatedJobs.elastic(fixed);
          case 3 -> SimulatedJobs.joining(fixed);
          default -> fixed;
        };
    double trouble = troubled ? random.nextDouble() * random.nextDouble() : 0;
    this.world = new SimulatedWorld(job, random, trouble);
    this.invariants = new MachineInvariants(job, seed, world);
    this.state = JobState.initial(job, seed);
    this.event = world.next();
  }

  JobSpec job() {
    return job;
  }

  List<JobEvent> log() {
    return log;
  }

  long seed() {
    return seed;
  }

  List<Event> events() {
    return events;
  }

  List<Decision> decisions() {
    return decisions;
  }

  /** The kinds of the events that were taken up. */
  Set<Class<? extends Event>> seen() {
    return invariants.seen();
  }

  Paths paths() {
    return paths;
  }

  JobState state() {
    return state;
  }

  /** Null before the job has finished. */
  JobResult result() {
    return result;
  }

  boolean masterDies() {
    return result == null && world.masterDies();
  }

  /** Takes up the next event, and does all that follows; false when nothing happens any more. */
  boolean step() {
    if (event == null) {
      if (result == null) {
        throw new AssertionError("nothing happens any more, and the job is " + state.phase());
      }
      return false;
    }
    if (events.size() == MOST_EVENTS) {
      throw new AssertionError("no end after " + MOST_EVENTS + " events");
    }
    Decision decision = decide();
    if (!logFails) {
      log.addAll(decision.facts());
    }
    if (!holed) {
      invariants.check(state, event, decision);
    }
    decision.actions().forEach(this::perform);
    state = decision.state();
    event = result == null ? world.next() : world.leftover();
    return true;
  }

  private Decision decide() {
    events.add(event);
    Decision decision = JobMachine.handle(state, event);
    decisions.add(decision);
    paths.take(state.phase(), event, decision.state().phase());
    return decision;
  }

  private void perform(Action action) {
    world.perform(action);
    if (action instanceof Action.Finish finish) {
      result = finish.result();
    }
  }

  /** Runs to where nothing of the job is under way any more. */
  void toTheEnd() {
    while (step()) {
      // until nothing happens
    }
  }

  /** The ApplicationMaster dies now; the next one has what is in the log. */
  void loseMaster() {
    state = JobStateReducer.of(job, seed, log);
    if (!holed) {
      invariants.masterDied(state);
    }
    if (state.phase() == Phase.FINISHED) {
      result = state.result();
      event = world.leftover();
    } else {
      event = world.nextMaster();
    }
  }

  // ---- A log with a hole ----

  /** The log cannot be written any more, and the job goes on without it. */
  void failLog() {
    logFails = true;
  }

  /**
   * The ApplicationMaster dies before it could write what is missing, and the next one can.
   *
   * @param client whether one that has seen more tells that to the next one, once that is ready
   */
  void loseMasterWithItsLog(boolean client) {
    holed = true;
    logFails = false;
    loseMaster();
    step();
    if (client && result == null) {
      Event.LogIncomplete more = new Event.LogIncomplete(event.at(), "a client has seen more");
      JobState before = state;
      Decision decision = JobMachine.handle(before, more);
      log.addAll(decision.facts());
      decision.actions().forEach(this::perform);
      state = decision.state();
    }
  }

  /**
   * It dies while it takes up the next event: before the decision is recorded whole, or after so
   * many of its actions.
   */
  void loseMasterInTheNextDecision(boolean recorded, int actions) {
    Decision decision = decide();
    if (recorded) {
      log.addAll(decision.facts());
      List<Action> done = decision.actions().subList(0, actions);
      invariants.checkSome(state, event, decision, done);
      done.forEach(world::perform); // nobody hears of an end that is among them
    } else {
      world.wasLost(event);
    }
    loseMaster();
  }

  /** What led to it, for a person. */
  AssertionError tale(Throwable e) {
    StringBuilder tale = new StringBuilder();
    tale.append("-Dtony.simulation.seed=").append(seed).append(": ").append(e);
    tale.append("\n").append(job);
    for (int i = Math.max(0, events.size() - TOLD_EVENTS); i < events.size(); i++) {
      tale.append("\n").append(i).append(' ').append(events.get(i));
      if (i < decisions.size()) {
        tale.append("\n    ").append(decisions.get(i).state().phase());
        decisions.get(i).facts().forEach(fact -> tale.append("\n    ").append(fact));
        decisions.get(i).actions().forEach(action -> tale.append("\n    ").append(action));
      }
    }
    if (System.getProperty("tony.simulation.seed") != null) {
      System.out.println(tale);
    }
    return new AssertionError(tale.toString(), e);
  }
}
