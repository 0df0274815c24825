package io.tony.am.machine;

import io.tony.am.machine.SimulatedExecutor.Life;
import io.tony.fact.CheckpointFact;
import io.tony.fact.JobDescription;
import io.tony.fact.JobFact;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobSpec;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

/**
 * YARN, the nodes, the executors and the users around one job. It does what it is told, late; it
 * errs as real ones do; and it is fair: what it owes comes in the end. Every report is under way
 * for a while, and reports overtake each other: all those of different senders, and those of one
 * executor where the network repeats a call.
 */
final class SimulatedWorld {
  private static final double DUPLICATE = 0.1;
  private static final double OVERTAKE = 0.05;
  private static final int NODES = 5;

  /** MiB of the largest container. */
  static final long LARGEST = 3000;

  /** A report on its way; it is stamped with the instant at which it arrives. */
  private interface Report extends Function<Instant, Event> {}

  /** A container that is granted, and that the master has not heard of. */
  private record Grant(String role, String container, String node, long memory) implements Report {
    @Override
    public Event apply(Instant at) {
      return new Event.ContainerAllocated(at, role, container, node, "log", memory);
    }
  }

  private final Random random;
  private final Random words = new Random(1); // what programs say, and when
  private final Random keeping = new Random(2); // which checkpoints are kept
  private final Random preempting = new Random(3); // what YARN announces, and takes then
  private final Random looking = new Random(4); // who looks into containers and logs
  private final JobSpec job;
  private final double trouble;
  private final Map<String, Deque<Report>> underWay = new LinkedHashMap<>();
  private final Map<String, Integer> pending = new LinkedHashMap<>();

  /** By role, what was asked for last. */
  private final Map<String, Long> memory = new HashMap<>();

  private final Map<String, SimulatedExecutor> executors = new LinkedHashMap<>();

  /** Containers that are granted, and that nothing was launched in. */
  private final Set<String> idle = new LinkedHashSet<>();

  private final Set<Timer> timers = new LinkedHashSet<>();
  private Set<String> avoided = Set.of();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private int containers;
  private int ports;
  private int channels;
  private int masters = 1;
  private boolean schedulerGone;

  /** A role whose programs fail whenever they run; empty for none. */
  private final String faulty;

  /**
   * @param trouble how often something goes wrong: 0 to 1
   */
  SimulatedWorld(JobSpec job, Random random, double trouble) {
    this.job = job;
    this.random = random;
    this.trouble = trouble;
    this.faulty = trouble > 0 && random.nextInt(4) == 0 ? job.chief().role() : "";
    send("loop", at -> new Event.AmReady(at, 1, "am-host", Set.of()));
  }

  /** What the job's machine is told next; null when nothing will ever happen again. */
  Event next() {
    while (true) {
      now = now.plusMillis(random.nextInt(1500));
      if (happens(0.001 + trouble / 500)) {
        send("user", at -> new Event.StopRequested(at, "ada"));
      }
      if (!schedulerGone && happens(trouble / 400)) {
        schedulerGone = true;
        send(
            "scheduler",
            at -> new Event.SchedulerFailed(at, FailureKind.LOST, "the ResourceManager is gone"));
      }
      if (happens(trouble / 150)) {
        // Somebody sets the clock.
        now = now.plusSeconds(random.nextInt(14_400) - 7_200);
      }
      if (!schedulerGone && happens(trouble / 200)) {
        resourceManagerRestarts();
      }
      if (!schedulerGone && preempting.nextDouble() < trouble / 100) {
        announcesPreemption();
      }
      if (looking.nextDouble() < trouble / 60) {
        looksIntoAContainer();
      }
      if (timers.contains(Timer.ELASTIC) && preempting.nextInt(6) == 0) {
        timers.remove(Timer.ELASTIC);
        return new Event.TimerFired(now, Timer.ELASTIC);
      }
      if (timers.contains(Timer.GROWTH) && preempting.nextInt(10) == 0) {
        timers.remove(Timer.GROWTH);
        return new Event.TimerFired(now, Timer.GROWTH);
      }
      if (!idle.isEmpty() && preempting.nextInt(30) == 0) {
        String gone = idle.iterator().next();
        idle.remove(gone);
        return new Event.ContainerGone(now, gone);
      }
      List<Runnable> moves = moves();
      boolean deliver = !underWay.isEmpty() && (moves.isEmpty() || random.nextInt(3) > 0);
      if (deliver) {
        return deliver();
      }
      if (!timers.isEmpty() && (moves.isEmpty() || happens(trouble / 20))) {
        Timer timer = pick(List.copyOf(timers));
        timers.remove(timer);
        if (timer.equals(Timer.REGISTRATION)) {
          now = now.plus(job.limits().registration()); // each executor has its own time
        }
        return new Event.TimerFired(now, timer);
      } else if (moves.isEmpty()) {
        return null;
      } else {
        pick(moves).run();
      }
    }
  }

  /** What is still under way when the job has finished; null when there is nothing more. */
  Event leftover() {
    return underWay.isEmpty() ? null : deliver();
  }

  private Event deliver() {
    String channel = pick(List.copyOf(underWay.keySet()));
    Deque<Report> reports = underWay.get(channel);
    Report report = reports.remove();
    if (report instanceof Grant grant) {
      idle.add(grant.container());
    }
    if (reports.isEmpty()) {
      underWay.remove(channel);
    }
    return report.apply(now);
  }

  /** It knows of no container that nobody had launched anything in; it is asked again. */
  private void resourceManagerRestarts() {
    for (Deque<Report> reports : underWay.values()) {
      for (Report report : reports) {
        if (report instanceof Grant grant) {
          // What was taken back before it was granted is not asked for again.
          if (memory.get(grant.role()) == grant.memory()) {
            pending.merge(grant.role(), 1, Integer::sum);
          }
        }
      }
      reports.removeIf(Grant.class::isInstance);
    }
    underWay.values().removeIf(Deque::isEmpty);
  }

  // ---- The loss of an ApplicationMaster ----

  boolean masterDies() {
    return masters < 4 && !schedulerGone && happens(trouble / 30);
  }

  /** The event was taken up by a master that is lost: whoever wants something asks again. */
  void wasLost(Event event) {
    if (event instanceof Event.StopRequested stop) {
      send("user", at -> new Event.StopRequested(at, stop.who()));
    }
  }

  /**
   * YARN forgets what was asked for and starts another, which is ready before it hears anybody; the
   * executors find it and tell it who they are. Some of them may have gone with the old one.
   */
  Event nextMaster() {
    masters++;
    schedulerGone = false; // it talks to it anew
    pending.clear();
    idle.clear();
    timers.clear();
    underWay.remove("scheduler");
    schedulerGone = false; // another master talks to it anew
    underWay.remove("loop");
    underWay.remove("starts");
    avoided = Set.of();
    int nodes = 1 + random.nextInt(NODES); // others may have been lost with the master's
    send(
        "scheduler", at -> new Event.ClusterChanged(at, new ResourceSpec(1024, 1), nodes, LARGEST));
    if (trouble > 0 && looking.nextInt(50) == 0) {
      send("client", at -> new Event.LogIncomplete(at, "a client has seen more"));
    }
    Map<String, Event.ContainerEnd> ended = new LinkedHashMap<>();
    Set<String> alive = new LinkedHashSet<>();
    for (SimulatedExecutor executor : executors.values()) {
      executor.forgetWhatItIsTold();
      if (executor.alive() && happens(trouble / 4)) {
        goesWithTheMaster(executor, ended);
      } else if (executor.alive()) {
        alive.add(executor.key.container());
        findMaster(executor);
      }
    }
    return new Event.AmReady(
        now, masters, "am-host", JobFact.Origin.UNKNOWN, JobDescription.NONE, alive, ended);
  }

  private void goesWithTheMaster(
      SimulatedExecutor executor, Map<String, Event.ContainerEnd> ended) {
    executor.life = Life.GONE;
    String container = executor.key.container();
    switch (random.nextInt(4)) {
      case 0 -> ended.put(container, new Event.ContainerEnd(FailureKind.AM_LOST, "taken with it"));
      case 1 -> ended.put(container, new Event.ContainerEnd(FailureKind.PREEMPTED, "preempted"));
      case 2 -> ended.put(container, new Event.ContainerEnd(FailureKind.LOST, "its node is lost"));
      default -> {} // YARN has not heard of its node yet
    }
  }

  private void findMaster(SimulatedExecutor executor) {
    TaskKey key = executor.key;
    Endpoint endpoint = executor.endpoint;
    Event.Exit exit = executor.exit;
    if (executor.life == Life.STARTING) {
      return;
    }
    if (executor.silent) {
      report(executor, at -> new Event.TaskSilent(at, key));
      return;
    }
    report(executor, at -> new Event.TaskRegistered(at, key, endpoint, tensorBoardPort(key)));
    if (executor.tensorBoard) {
      report(executor, at -> new Event.TensorBoardListens(at, key));
    }
    if (executor.life == Life.EXITED) {
      report(executor, at -> new Event.TaskExited(at, key, exit));
    }
  }

  // ---- What the world does of itself ----

  private List<Runnable> moves() {
    List<Runnable> moves = new ArrayList<>();
    if (!schedulerGone) {
      for (RoleSpec role : job.roles()) {
        if (pending.getOrDefault(role.name(), 0) > 0) {
          moves.add(() -> grant(role.name()));
        }
      }
    }
    for (SimulatedExecutor executor : executors.values()) {
      if (executor.alive() && !executor.silent && mayMove(executor)) {
        moves.add(() -> move(executor));
      }
      if (executor.alive() && !executor.silent && executor.isTold()) {
        moves.add(() -> obey(executor));
      }
    }
    return moves;
  }

  /** A parameter server and an executor that waits do nothing for ever, when all is well. */
  private boolean mayMove(SimulatedExecutor executor) {
    return switch (executor.life) {
      case STARTING -> true;
      case WAITING, EXITED -> trouble > 0;
      case RUNNING -> trouble > 0 || supervision(executor) != Supervision.UNTRACKED;
      case GONE -> false;
    };
  }

  private void grant(String role) {
    if (happens(0.2)) {
      ResourceSpec free = new ResourceSpec(random.nextInt(4096), random.nextInt(4));
      send("scheduler", at -> new Event.ClusterChanged(at, free, NODES, LARGEST));
    }
    pending.merge(role, -1, Integer::sum);
    allocate(role);
    if (happens(trouble / 10)) {
      allocate(role); // more than was asked for
    }
  }

  private void allocate(String role) {
    String container = "c" + containers++;
    String node = "node-" + random.nextInt(NODES);
    if (avoided.contains(node) && !happens(trouble / 5)) {
      node = "node-" + (NODES + random.nextInt(NODES)); // one that is not avoided
    }
    send("scheduler", new Grant(role, container, node, memory.get(role)));
  }

  private void move(SimulatedExecutor executor) {
    if (executor.marked && preempting.nextInt(20) == 0) {
      ends(executor, FailureKind.PREEMPTED);
      return;
    }
    if (happens(trouble / 15)) {
      goesWrong(executor);
      return;
    }
    switch (executor.life) {
      case STARTING -> {
        executor.life = Life.WAITING;
        executor.endpoint = new Endpoint("host", 1024 + ports++ % 60_000);
        TaskKey key = executor.key;
        Endpoint endpoint = executor.endpoint;
        report(executor, at -> new Event.TaskRegistered(at, key, endpoint, tensorBoardPort(key)));
      }
      case WAITING, EXITED, GONE -> {}
      case RUNNING -> runs(executor);
    }
  }

  private int tensorBoardPort(TaskKey key) {
    return key.task().equals(job.tensorBoardHost()) ? 6006 : 0;
  }

  private void runs(SimulatedExecutor executor) {
    keeps(executor);
    if (tensorBoardPort(executor.key) > 0 && !executor.tensorBoard && random.nextBoolean()) {
      executor.tensorBoard = true;
      TaskKey key = executor.key;
      report(executor, at -> new Event.TensorBoardListens(at, key));
    } else if (random.nextInt(3) > 0) {
      String text = random.nextInt(3) + "/100";
      TaskKey key = executor.key;
      report(executor, at -> new Event.TaskProgressed(at, key, text));
    } else if (executor.key.task().role().equals(faulty)) {
      exits(executor, 1, "");
    } else if (happens(trouble / 8)) {
      exits(executor, random.nextBoolean() ? 1 : 139, "");
    } else if (supervision(executor) == Supervision.TRACKED) {
      exits(executor, 0, "");
    }
  }

  /** Each task of the chief's role keeps checkpoints, or fails to; some tasks are behind others. */
  private void keeps(SimulatedExecutor executor) {
    TaskId task = executor.key.task();
    int seldom = executor.asked != null ? 2 : 20;
    boolean keeper =
        job.isElastic() ? task.equals(job.chief()) : task.role().equals(job.chief().role());
    if (!keeper || keeping.nextInt(seldom) > 0) {
      return;
    }
    if (keeping.nextDouble() < trouble / 4) {
      CheckpointFact fact = new CheckpointFact.NotKept(task, "out", "it was changed");
      report(executor, at -> new Event.CheckpointTold(at, fact));
      return;
    }
    String set = KeepingTest.set(executor.session, ++executor.kept);
    CheckpointFact fact =
        new CheckpointFact.Kept(
            task,
            set,
            executor.kept,
            true,
            job.isElastic() ? 1 : job.role(task.role()).instances(),
            false,
            10,
            5,
            now,
            "model",
            "/kept/" + set,
            executor.asked);
    report(executor, at -> new Event.CheckpointTold(at, fact));
  }

  /** Whoever writes the starts chooses for all, and may do so again under the next master. */
  private void chooses(SimulatedExecutor executor) {
    if (keeping.nextInt(4) > 0) {
      return;
    }
    int session = executor.session;
    CheckpointFact.Resumes choice =
        session == 0 || keeping.nextInt(8) > 0
            ? CheckpointFact.Resumes.clean(null, "it is of another code")
            : CheckpointFact.Resumes.from(
                null,
                new CheckpointFact.Source(
                    KeepingTest.set(session - 1, 1), 1, true, now, "application", "", "/kept"));
    send("starts", at -> new Event.CheckpointChosen(at, session, choice));
  }

  /** Somebody opens a shell beside a program, which may have ended by now, and leaves it again. */
  private void looksIntoAContainer() {
    List<SimulatedExecutor> all = List.copyOf(executors.values());
    if (!all.isEmpty()) {
      TaskKey key = all.get(looking.nextInt(all.size())).key;
      String channel = "shell " + channels++;
      long tunnel = channels;
      send(channel, at -> new Event.ShellWanted(at, key, "ada", tunnel));
      send(channel, at -> new Event.ShellLeft(at, key, "ada"));
    }
  }

  /** YARN names some containers, whatever is in them, and may name one that is gone by now. */
  private void announcesPreemption() {
    List<TaskKey> named = new ArrayList<>();
    for (SimulatedExecutor executor : executors.values()) {
      if (executor.alive() && preempting.nextInt(3) == 0) {
        executor.marked = true;
        named.add(executor.key);
      }
    }
    if (!named.isEmpty()) {
      send("scheduler", at -> new Event.PreemptionAnnounced(at, named));
    }
  }

  private void goesWrong(SimulatedExecutor executor) {
    switch (random.nextInt(8)) {
      case 0 -> ends(executor, FailureKind.LOST);
      case 1 -> ends(executor, FailureKind.PREEMPTED);
      case 2 -> ends(executor, FailureKind.MEMORY);
      case 3 -> {
        if (executor.life == Life.STARTING) {
          failsPreflight(executor);
        } else if (executor.life != Life.EXITED) {
          exits(executor, 1, "its files cannot be prepared");
        }
      }
      case 4 -> takesSeveral(executor, FailureKind.LOST);
      case 5 -> takesSeveral(executor, FailureKind.PREEMPTED);
      case 6 -> hangs(executor);
      default -> goesSilent(executor);
    }
  }

  /** It says so, and ends. */
  private void failsPreflight(SimulatedExecutor executor) {
    TaskKey key = executor.key;
    report(executor, at -> new Event.PreflightFailed(at, key, "its disk is full"));
    ends(executor, FailureKind.LOST);
  }

  /** Several executors are taken at once, as by a node that dies or another queue's demand. */
  private void takesSeveral(SimulatedExecutor executor, FailureKind cause) {
    for (SimulatedExecutor other : List.copyOf(executors.values())) {
      if (other.alive() && (other == executor || random.nextBoolean())) {
        ends(other, cause);
      }
    }
  }

  /** An executor that never registered is not missed by its heartbeats, but by a limit of time. */
  private void goesSilent(SimulatedExecutor executor) {
    if (executor.life != Life.STARTING) {
      executor.silent = true;
      TaskKey key = executor.key;
      report(executor, at -> new Event.TaskSilent(at, key));
    } else if (!job.limits().registration().isZero()) {
      executor.silent = true;
    } else {
      ends(executor, FailureKind.LOST);
    }
  }

  private void hangs(SimulatedExecutor executor) {
    if (executor.life == Life.RUNNING) {
      exits(executor, 143, "showed no sign of life", place(), true);
    }
  }

  private String place() {
    return random.nextInt(5) == 0 ? "" : "read (loader.py:" + random.nextInt(3) + ")";
  }

  private void exits(SimulatedExecutor executor, int code, String executorMessage) {
    exits(executor, code, executorMessage, null, true);
  }

  private void exits(
      SimulatedExecutor executor,
      int code,
      String executorMessage,
      String stands,
      boolean byItself) {
    executor.life = Life.EXITED;
    boolean timedOut = !executorMessage.isEmpty() && stands == null && random.nextInt(4) == 0;
    boolean portTaken = code == 1 && executorMessage.isEmpty() && random.nextInt(8) == 0;
    String progress = random.nextBoolean() ? random.nextInt(3) + "/100" : "";
    executor.exit =
        new Event.Exit(
            code,
            stderr(executor),
            Map.of(),
            executorMessage,
            timedOut,
            portTaken,
            "",
            progress,
            stands,
            now.plusMillis(words.nextInt(4_000) - 2_000),
            byItself);
    TaskKey key = executor.key;
    Event.Exit exit = executor.exit;
    if (code != 0 && byItself && looking.nextInt(10) == 0) {
      Duration limit = Duration.ofMinutes(10);
      report(
          executor, at -> new Event.TaskHeld(at, key, code, limit, exit.stderr(), executorMessage));
    }
    report(executor, at -> new Event.TaskExited(at, key, exit));
  }

  private String stderr(SimulatedExecutor executor) {
    if (executor.key.task().role().equals(faulty)) {
      return "KeyError: 'label'";
    }
    if (words.nextDouble() < trouble) {
      return "Connection closed by peer";
    }
    return switch (random.nextInt(4)) {
      case 0 -> "";
      case 1 -> "OSError: [Errno 28] No space left on device";
      default -> "Traceback:\nValueError: bad record " + random.nextInt(100);
    };
  }

  private void ends(SimulatedExecutor executor, FailureKind cause) {
    executor.life = Life.GONE;
    if (!schedulerGone) {
      String text = "the container ended";
      TaskKey key = executor.key;
      send(key.container(), at -> new Event.ContainerEnded(at, key, cause, text));
      if (happens(trouble / 4)) {
        send("repeated " + channels++, at -> new Event.ContainerEnded(at, key, cause, text));
      }
    }
  }

  // ---- What the job tells it ----

  void perform(Action action) {
    if (action instanceof Action.RequestContainers request) {
      String role = request.role().name();
      long size = request.role().resource().memoryMiB();
      Long before = memory.put(role, size);
      if (before != null && before != size) {
        pending.remove(role); // what was granted twice was counted once
      }
      pending.merge(role, request.count(), Integer::sum);
    } else if (action instanceof Action.CancelRequests cancel) {
      cancel(cancel.role().name(), cancel.count());
    } else if (action instanceof Action.ReleaseContainer release) {
      idle.remove(release.container());
      SimulatedExecutor executor = executors.get(release.container());
      if (executor != null && executor.alive()) {
        ends(executor, FailureKind.LOST); // of a predecessor that did not get to note it
      }
    } else if (action instanceof Action.LaunchExecutor launch) {
      idle.remove(launch.key().container());
      SimulatedExecutor executor = new SimulatedExecutor(launch.key());
      executors.put(launch.key().container(), executor);
      if (happens(trouble / 20)) {
        ends(executor, FailureKind.LOST); // the node refuses it
      }
    } else if (action instanceof Action.StartTask start) {
      SimulatedExecutor executor = executors.get(start.key().container());
      executor.toldStart = start.key();
      executor.session = start.session();
      chooses(executor);
    } else if (action instanceof Action.RestartTask restart) {
      SimulatedExecutor executor = executors.get(restart.from().container());
      if (restart.attempt() >= executor.toldAttempt) {
        executor.toldAttempt = restart.attempt();
        executor.toldTask = restart.as();
      }
      executor.toldStacks = restart.stacks();
    } else if (action instanceof Action.AskForCheckpoint ask) {
      executors.get(ask.key().container()).asked = ask.at();
    } else if (action instanceof Action.StopTask stop) {
      SimulatedExecutor executor = executors.get(stop.key().container());
      if (executor != null) {
        executor.toldStop = true;
        executor.toldStacks = stop.stacks();
      }
    } else if (action instanceof Action.StopContainer stop) {
      SimulatedExecutor executor = executors.get(stop.key().container());
      if (executor != null && executor.alive() && !executor.deaf) {
        ends(executor, FailureKind.LOST);
      }
    } else if (action instanceof Action.AvoidNodes avoid) {
      avoided = avoid.nodes();
    } else if (action instanceof Action.SetTimer set) {
      timers.add(set.timer());
    } else if (action instanceof Action.CancelTimer cancel) {
      timers.remove(cancel.timer());
    }
  }

  private void cancel(String role, int count) {
    for (int i = 0; i < count; i++) {
      if (pending.getOrDefault(role, 0) > 0) {
        pending.merge(role, -1, Integer::sum);
        if (!schedulerGone && happens(trouble / 5)) {
          allocate(role); // it was granted a moment before
        }
      }
    }
  }

  /** It asks what it is to do, sooner or later; the answer may be told twice. */
  private void obey(SimulatedExecutor executor) {
    if (executor.toldStop) {
      executor.toldStop = false;
      stop(executor);
    } else if (executor.toldAttempt > executor.key.attempt()) {
      TaskKey before = executor.key;
      if (executor.life == Life.RUNNING && words.nextDouble() < trouble / 2) {
        exits(executor, 1, ""); // a moment before it was told
      } else if (executor.toldStacks && executor.life == Life.RUNNING) {
        String where = place();
        report(executor, at -> new Event.TaskStood(at, before, where));
      }
      executor.key = new TaskKey(executor.toldTask, executor.toldAttempt, before.container());
      executor.life = Life.STARTING;
      executor.tensorBoard = false;
      executor.asked = null;
    } else {
      executor.life = Life.RUNNING;
      TaskKey key = executor.key;
      report(executor, at -> new Event.TaskStarted(at, key, 4711));
    }
  }

  private void stop(SimulatedExecutor executor) {
    if (happens(trouble / 10)) {
      executor.deaf = true;
      return;
    }
    if (executor.life != Life.EXITED) {
      boolean byItself = words.nextDouble() < trouble / 4;
      boolean stacks = executor.toldStacks && executor.life == Life.RUNNING && !byItself;
      int code = random.nextInt(4) == 0 ? 0 : 143;
      exits(executor, code, "", stacks ? place() : null, byItself);
    }
    ends(executor, FailureKind.LOST);
  }

  // ---- ProgramReports on their way ----

  /** An executor makes one call after the other; a call that is repeated may come late as well. */
  private void report(SimulatedExecutor executor, Report report) {
    boolean overtaken = trouble > 0 && happens(OVERTAKE);
    send(overtaken ? "late " + channels++ : executor.key.toString(), report);
    if (trouble > 0 && happens(DUPLICATE)) {
      send("repeated " + channels++, report);
    }
  }

  private void send(String channel, Report report) {
    underWay.computeIfAbsent(channel, name -> new ArrayDeque<>()).add(report);
  }

  private Supervision supervision(SimulatedExecutor executor) {
    return job.role(executor.key.task().role()).supervision();
  }

  private boolean happens(double probability) {
    return random.nextDouble() < probability;
  }

  private <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
