package io.tony.am.machine;

import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskState;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * An ApplicationMaster that goes on, and one that takes over from its log, get the same next
 * events: they must decide the same, or one of them decides upon what no fact holds. What the two
 * may know in different ways, and where they are not compared therefore:
 *
 * <ul>
 *   <li>a gang that has given its containers back is asked for at once by the one that takes over;
 *   <li>containers that a running gang has got to grow into are YARN's again with a takeover;
 *   <li>right after a takeover nobody knows how many nodes there are, of which half are not
 *       avoided;
 *   <li>what was heard of the end of a gang since a fact last named its cause is lost with who
 *       heard it.
 * </ul>
 */
final class Twins {
  private static final int EVENTS = 20;

  /** That it begins; and that a node is avoided though nobody knows how many there are. */
  private static final Set<JobEvent.Type> OF_A_TAKEOVER =
      EnumSet.of(
          JobEvent.Type.AM_STARTED, JobEvent.Type.NODE_AVOIDED, JobEvent.Type.NODES_FORGIVEN);

  private final Simulation job;
  private final List<Decision> decisions;
  private final List<Event> events;

  /** How often two were compared, and how many events they were told together. */
  private int compared;

  private int told;

  Twins(Simulation job) {
    this.job = job;
    this.decisions = job.decisions();
    this.events = job.events();
  }

  int compared() {
    return compared;
  }

  int told() {
    return told;
  }

  /** Compares them at some cuts, by chance. */
  void compareAt(int cuts, Random random) {
    for (int i = 0; i < cuts && decisions.size() > 2; i++) {
      compareBehind(random.nextInt(decisions.size() - 1));
    }
  }

  private void compareBehind(int cut) {
    JobState stays = decisions.get(cut).state();
    boolean alive =
        stays.phase() == Phase.ALLOCATING
            || stays.phase() == Phase.REGISTERING
            || stays.phase() == Phase.RUNNING
            || stays.phase() == Phase.STOPPING;
    Event next = events.get(cut + 1);
    if (!alive || next instanceof Event.AmReady) {
      return;
    }
    List<JobEvent> log = new ArrayList<>();
    decisions.subList(0, cut + 1).forEach(decision -> log.addAll(decision.facts()));
    JobState comes = JobStateReducer.of(job.job(), job.seed(), log);
    if (!stays.gang().gangFailure().equals(comes.gang().gangFailure())) {
      return;
    }
    compared++;
    if (next instanceof Event.ContainerEnded ended) {
      compareMeanwhile(cut, comes, ended);
    }
    compare(cut, takenOver(cut, comes, log));
  }

  // ---- The one that takes over ----

  private Event.AmReady ready(int cut, Event at, Set<String> alive, Event.ContainerEnded ended) {
    int masters = 1;
    for (Event event : events.subList(0, cut + 1)) {
      masters = event instanceof Event.AmReady ready ? ready.attempt() + 1 : masters;
    }
    Map<String, Event.ContainerEnd> ends =
        ended == null
            ? Map.of()
            : Map.of(
                ended.key().container(), new Event.ContainerEnd(ended.cause(), ended.message()));
    return new Event.AmReady(
        at.at(),
        masters,
        "am-host",
        JobFact.LaunchTimes.UNKNOWN,
        JobDescription.NONE,
        alive,
        ends,
        SimulatedWorld.LARGEST);
  }

  private Set<String> containers(int cut) {
    Set<String> containers = new HashSet<>();
    for (Decision decision : decisions.subList(0, cut + 1)) {
      decision.state().tasks().forEach(task -> containers.add(task.container()));
    }
    containers.remove("");
    return containers;
  }

  /** All executors find it at once, and tell it who they are and what they do. */
  private JobState takenOver(int cut, JobState folded, List<JobEvent> log) {
    Event last = events.get(cut);
    JobState state = JobMachine.handle(folded, ready(cut, last, containers(cut), null)).state();
    for (int i = cut; i >= 0; i--) {
      if (events.get(i) instanceof Event.ClusterChanged known) {
        state = JobMachine.handle(state, known).state();
        break;
      }
    }
    Map<String, Long> pids = pids(log);
    for (Task task : folded.tasks()) {
      boolean there = task.state() == TaskState.REGISTERED || task.isRunning();
      if (there && task.endpoint() != null) {
        state =
            JobMachine.handle(
                    state,
                    new Event.TaskRegistered(
                        last.at(), task.key(), task.endpoint(), task.tensorBoardPort()))
                .state();
        Long pid = pids.get(task.id().toString());
        if (task.isRunning() && pid != null) {
          state =
              JobMachine.handle(state, new Event.TaskStarted(last.at(), task.key(), pid)).state();
        }
      }
    }
    return state;
  }

  /** Of programs whose start has been told. */
  private static Map<String, Long> pids(List<JobEvent> log) {
    Map<String, Long> pids = new HashMap<>();
    for (JobEvent fact : log) {
      switch (fact.type()) {
        case TASK_STARTED -> pids.put(fact.task().toString(), Long.parseLong(fact.detail("pid")));
        case TASK_REGISTERED, TASK_ALLOCATED -> pids.remove(fact.task().toString());
        default -> {}
      }
    }
    return pids;
  }

  // ---- What they decide ----

  private void compare(int cut, JobState taken) {
    JobState comes = taken;
    for (int i = cut + 1; i <= cut + EVENTS && i < decisions.size(); i++) {
      Event event = events.get(i);
      JobState stays = decisions.get(i - 1).state();
      if (event instanceof Event.AmReady || grows(stays, event)) {
        return;
      }
      Decision other = JobMachine.handle(comes, event);
      require(cut, event, decisions.get(i).facts(), other.facts());
      comes = other.state();
      told++;
    }
  }

  private static boolean grows(JobState state, Event event) {
    return state.clusterView().spares() != null
        && (event instanceof Event.ContainerAllocated
            || event instanceof Event.UnusedContainerEnded
            || event instanceof Event.CheckpointReported
            || event instanceof Event.TimerFired);
  }

  /** The container of a program ends while no ApplicationMaster lives, and YARN says why. */
  private void compareMeanwhile(int cut, JobState folded, Event.ContainerEnded ended) {
    Task task = JobMachine.taskInContainer(folded, ended.key());
    boolean ran = task != null && task.isRunning() && ended.cause() != FailureKind.AM_LOST;
    if (!ran || folded.phase() == Phase.STOPPING) {
      return;
    }
    Set<String> alive = containers(cut);
    alive.remove(ended.key().container());
    Decision other = JobMachine.handle(folded, ready(cut, ended, alive, ended));
    require(cut, ended, decisions.get(cut + 1).facts(), other.facts());
  }

  private void require(int cut, Event event, List<JobEvent> ours, List<JobEvent> theirs) {
    Rule.TWINS_DECIDE_THE_SAME.require(
        comparable(ours).equals(comparable(theirs)),
        () ->
            "behind "
                + cut
                + ", upon "
                + event
                + ", the one that goes on:"
                + lines(ours)
                + "\n  the one that takes over:"
                + lines(theirs));
  }

  private static String lines(List<JobEvent> facts) {
    StringBuilder lines = new StringBuilder();
    facts.forEach(fact -> lines.append("\n    ").append(fact));
    return lines.toString();
  }

  /** What both must say alike. */
  private static List<JobEvent> comparable(List<JobEvent> facts) {
    return facts.stream().filter(fact -> !OF_A_TAKEOVER.contains(fact.type())).toList();
  }
}
