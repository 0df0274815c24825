package io.tony.am.machine;

import io.tony.am.machine.SimulatedExecutor.Life;
import io.tony.event.CheckpointFact;
import io.tony.model.DistributedMode;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobSpec;
import io.tony.model.ProgramSignal;
import io.tony.model.Supervision;
import io.tony.model.TaskKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The executors of one simulated job and the programs in them: for how long they run, how they end,
 * what they say then, and whom they take down with them.
 */
final class SimulatedPrograms {
  static final String CONSEQUENCE = "Connection reset by peer";

  /** A program that ended when it was asked for a checkpoint by a signal: 128 + SIGUSR1. */
  static final int UPON_SIGNAL = 138;

  private static final double DUPLICATE = 0.05;
  private static final double OVERTAKE = 0.02;
  private static final int TICKS = 4;
  private static final long SILENT_AFTER = 25_000;

  private final SimulatedWorld world;
  private final SimulatedYarn yarn;
  private final JobSpec job;
  private final Map<String, SimulatedExecutor> executors = new LinkedHashMap<>();

  /** How long a program runs that does its work, and whether it tells how far it is. */
  private final long work;

  private final boolean tells;

  /** How often one that runs fails when another has. */
  private final double coupled;

  /** A role whose programs fail whenever they run, in the same way; empty for none. */
  private final String faulty;

  /** Most programs of this job fail. */
  private final boolean fragile;

  private int ports;
  private long pids;

  /** When the first program began; negative before. */
  private long firstStart = -1;

  SimulatedPrograms(SimulatedWorld world, SimulatedYarn yarn) {
    this.world = world;
    this.yarn = yarn;
    this.job = world.job;
    List<Long> works =
        world.trouble == 0
            ? List.of(20_000L, 300_000L)
            : List.of(20_000L, 300_000L, 1_800_000L, 10_800_000L);
    this.work = works.get(world.random.nextInt(works.size()));
    this.tells = world.random.nextInt(3) > 0;
    boolean related = job.mode() == DistributedMode.GANG && world.random.nextBoolean();
    this.coupled = related ? 0.7 : 0;
    boolean fails = world.trouble > 0 && world.random.nextInt(6) == 0;
    this.faulty = fails ? job.chief().role() : "";
    this.fragile = world.trouble > 0 && world.random.nextInt(10) == 0;
  }

  long work() {
    return work;
  }

  List<SimulatedExecutor> living() {
    return executors.values().stream().filter(SimulatedExecutor::alive).toList();
  }

  Iterable<SimulatedExecutor> all() {
    return executors.values();
  }

  /** Null where nothing was ever launched in the container. */
  SimulatedExecutor in(String container) {
    return executors.get(container);
  }

  private Supervision supervision(SimulatedExecutor executor) {
    return job.role(executor.key.task().role()).supervision();
  }

  // ---- From its launch to its program ----

  void launch(TaskKey key) {
    SimulatedExecutor executor = new SimulatedExecutor(key, yarn.nodeOf(key.container()));
    executors.put(key.container(), executor);
    if (world.happens(world.trouble / 15)) {
      // The node refuses it.
      world.agenda.move(world.between(10, 2_000), () -> taken(executor, FailureKind.LOST, false));
      return;
    }
    if (joinsLate() && world.random.nextInt(3) == 0) {
      trainingEnds(executor);
      return;
    }
    if (world.happens(world.trouble / 25)) {
      whileStarting(executor, world.between(1_000, 5_000), () -> failsPreflight(executor));
    }
    registerSoon(executor, world.between(1_000, 12_000));
  }

  private boolean joinsLate() {
    return world.trouble > 0
        && job.limits().elasticity().liveResize()
        && firstStart >= 0
        && world.agenda.now() > firstStart + 60_000;
  }

  /** The chief is done as this one is to join, the others lose it, and this one never comes. */
  private void trainingEnds(SimulatedExecutor joins) {
    for (SimulatedExecutor peer : living()) {
      if (peer.key.task().equals(job.chief())) {
        whileRunning(peer, world.between(1, 500), () -> exits(peer, 0, ""));
      } else if (supervision(peer) == Supervision.TRACKED) {
        long after = world.between(500, 3_000);
        whileRunning(peer, after, () -> exits(peer, 1, CONSEQUENCE, "", false, null, true));
      }
    }
    whileStarting(joins, world.between(3_000, 12_000), () -> taken(joins, FailureKind.LOST, false));
  }

  /** Most do; some take long, and some never do: their nodes are started anew in the end. */
  private void registerSoon(SimulatedExecutor executor, long usually) {
    boolean late = firstStart >= 0 && world.agenda.now() > firstStart + 60_000;
    boolean sidecar = supervision(executor) == Supervision.SIDECAR;
    double odd = late ? 8 : sidecar ? 4 : 1;
    if (world.happens(odd * world.trouble / 20)) {
      whileStarting(
          executor,
          world.between(3_600_000, 14_400_000),
          () -> taken(executor, FailureKind.LOST, false));
    } else {
      boolean slow = world.happens(world.trouble / 5);
      long after = slow ? world.between(12_000, 120_000) : usually;
      whileStarting(executor, after, () -> register(executor));
    }
  }

  private void whileStarting(SimulatedExecutor executor, long after, Runnable move) {
    int turn = executor.turn;
    world.agenda.move(
        after,
        () -> {
          if (executor.turn == turn && executor.life == Life.STARTING && !executor.silent) {
            move.run();
          }
        });
  }

  private void register(SimulatedExecutor executor) {
    executor.life = Life.WAITING;
    executor.endpoint = new Endpoint("host", 1024 + ports++ % 60_000);
    tellRegistration(executor);
    asksSoon(executor);
  }

  private void tellRegistration(SimulatedExecutor executor) {
    TaskKey key = executor.key;
    Endpoint endpoint = executor.endpoint;
    int port = tensorBoardPort(key);
    report(executor, () -> new Event.TaskRegistered(world.clock(), key, endpoint, port));
  }

  private int tensorBoardPort(TaskKey key) {
    return key.task().equals(job.tensorBoardHost()) ? 6006 : 0;
  }

  /** It says so, and ends. */
  private void failsPreflight(SimulatedExecutor executor) {
    TaskKey key = executor.key;
    report(executor, () -> new Event.PreflightFailed(world.clock(), key, "its disk is full"));
    ends(executor, FailureKind.LOST, false);
  }

  /** It asks what it is to do, sooner or later; the answer may be told twice. */
  void asksSoon(SimulatedExecutor executor) {
    world.agenda.move(world.between(5, 1_000), () -> obey(executor));
  }

  private void obey(SimulatedExecutor executor) {
    if (!executor.alive() || executor.silent || executor.deaf || !executor.isTold()) {
      return;
    }
    if (executor.toldStop || executor.toldAttempt > executor.key.attempt()) {
      boolean stops = executor.toldStop;
      if (stops && world.happens(world.trouble / 12)) {
        executor.deaf = true;
      } else if (executor.runs()) {
        // Its program takes its time to end, and may end by itself meanwhile.
        whileRunning(executor, world.between(20, 2_500), () -> ended(executor));
      } else if (stops) {
        ends(executor, FailureKind.LOST, false);
      } else {
        again(executor);
      }
    } else {
      start(executor);
    }
  }

  /** Its program has ended because it was told to. */
  private void ended(SimulatedExecutor executor) {
    if (executor.toldStop) {
      int code = world.random.nextInt(4) == 0 ? 0 : 143;
      exits(executor, code, "", executor.toldStacks ? place() : null, false);
      ends(executor, FailureKind.LOST, false);
    } else if (executor.isTold()) {
      TaskKey before = executor.key;
      if (executor.toldStacks) {
        String where = place();
        report(executor, () -> new Event.HangReported(world.clock(), before, where));
      }
      again(executor);
    }
  }

  private void again(SimulatedExecutor executor) {
    executor.key = new TaskKey(executor.toldTask, executor.toldAttempt, executor.key.container());
    executor.life = Life.STARTING;
    executor.turn++;
    executor.tensorBoard = false;
    executor.asked = null;
    registerSoon(executor, world.between(100, 3_000));
    asksSoon(executor);
  }

  private void start(SimulatedExecutor executor) {
    executor.life = Life.RUNNING;
    executor.turn++;
    executor.pid = 1_000 + pids++;
    firstStart = firstStart < 0 ? world.agenda.now() : firstStart;
    tellStart(executor);
    plan(executor);
  }

  private void tellStart(SimulatedExecutor executor) {
    TaskKey key = executor.key;
    long pid = executor.pid;
    report(executor, () -> new Event.TaskStarted(world.clock(), key, pid));
  }

  // ---- What becomes of a program ----

  private void whileRunning(SimulatedExecutor executor, long after, Runnable move) {
    int turn = executor.turn;
    world.agenda.move(
        after,
        () -> {
          if (executor.turn == turn && executor.runs() && !executor.silent) {
            move.run();
          }
        });
  }

  private void plan(SimulatedExecutor executor) {
    boolean tracked = supervision(executor) == Supervision.TRACKED;
    long lasts = work + world.between(0, 20_000);
    boolean last = !job.endPolicy().timeouts().isEmpty() && world.trouble > 0;
    if (last && executor.key.task().role().equals("evaluator") && world.random.nextInt(3) == 0) {
      lasts = lasts * 3; // it hangs, or nearly
    }
    if (executor.key.task().role().equals(faulty)) {
      whileRunning(executor, early(lasts), () -> exits(executor, 1, ""));
    } else if (world.happens(fails(executor))) {
      int code = world.random.nextInt(3) > 0 ? 1 : 139;
      whileRunning(executor, early(lasts), () -> exits(executor, code, ""));
    } else if (world.happens(world.trouble / 20)) {
      whileRunning(executor, early(lasts), () -> hangs(executor));
    } else if (supervision(executor) == Supervision.SIDECAR && world.happens(world.trouble)) {
      whileRunning(executor, early(lasts), () -> exits(executor, world.random.nextInt(2), ""));
    }
    if (tracked) {
      whileRunning(executor, lasts, () -> exits(executor, 0, ""));
    }
    if (tensorBoardPort(executor.key) > 0) {
      whileRunning(executor, world.between(1_000, 15_000), () -> listens(executor));
    }
    for (int tick = 1; tick <= TICKS; tick++) {
      String text = tick + "/100";
      long after = lasts * tick / (TICKS + 1);
      if (tells && (executor.key.task().equals(job.chief()) || world.random.nextInt(8) == 0)) {
        TaskKey key = executor.key;
        whileRunning(
            executor,
            after,
            () -> report(executor, () -> new Event.TaskProgressed(world.clock(), key, text)));
      }
      if (isKeeper(executor) && world.random.nextInt(3) == 0) {
        whileRunning(executor, after + world.between(0, 2_000), () -> keeps(executor));
      }
    }
  }

  private double fails(SimulatedExecutor executor) {
    return fragile && !executor.key.task().equals(job.chief()) ? 0.8 : world.trouble / 2;
  }

  /** When a program fails: right at its beginning, or some time later. */
  private long early(long lasts) {
    return world.random.nextBoolean()
        ? world.between(500, Math.min(lasts, 100_000))
        : world.between(500, lasts);
  }

  private void listens(SimulatedExecutor executor) {
    executor.tensorBoard = true;
    TaskKey key = executor.key;
    report(executor, () -> new Event.TensorBoardListens(world.clock(), key));
  }

  private void hangs(SimulatedExecutor executor) {
    exits(executor, 143, "showed no sign of life", place(), true);
  }

  private String place() {
    return world.random.nextInt(5) == 0 ? "" : "read (loader.py:" + world.random.nextInt(3) + ")";
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
    boolean portTaken =
        code == 1 && executorMessage.isEmpty() && byItself && world.random.nextInt(12) == 0;
    exits(executor, code, stderr(executor), executorMessage, portTaken, stands, byItself);
    boolean leaves = executor.key.task().equals(job.chief()) && fragile;
    if (byItself && !portTaken && (code != 0 || leaves)) {
      takesPeersDown(executor);
    }
  }

  private void exits(
      SimulatedExecutor executor,
      int code,
      String stderr,
      String executorMessage,
      boolean portTaken,
      String stands,
      boolean byItself) {
    executor.life = Life.EXITED;
    executor.turn++;
    boolean timedOut = !executorMessage.isEmpty() && stands == null && world.random.nextInt(4) == 0;
    String progress = tells && world.random.nextBoolean() ? world.random.nextInt(3) + "/100" : "";
    executor.exit =
        new Event.Exit(
            code,
            code == 0 ? "" : stderr,
            Map.of(),
            executorMessage,
            timedOut,
            portTaken,
            "",
            progress,
            stands,
            world.clock().plusMillis(world.random.nextInt(600) - 300),
            byItself);
    TaskKey key = executor.key;
    Event.Exit exit = executor.exit;
    if (code != 0 && byItself && world.random.nextInt(10) == 0) {
      Duration limit = Duration.ofMinutes(10);
      report(
          executor,
          () ->
              new Event.TaskHeld(world.clock(), key, code, limit, exit.stderr(), executorMessage));
    }
    tellExit(executor);
    asksSoon(executor);
  }

  private void tellExit(SimulatedExecutor executor) {
    TaskKey key = executor.key;
    Event.Exit exit = executor.exit;
    report(executor, () -> new Event.TaskExited(world.clock(), key, exit));
  }

  private String stderr(SimulatedExecutor executor) {
    if (executor.key.task().role().equals(faulty)) {
      return "KeyError: 'label'";
    }
    return switch (world.random.nextInt(4)) {
      case 0 -> "";
      case 1 -> "OSError: [Errno 28] No space left on device";
      default -> "Traceback:\nValueError: bad record " + world.random.nextInt(100);
    };
  }

  /** The programs that talk to it lose their connections, most of them at once. */
  private void takesPeersDown(SimulatedExecutor executor) {
    if (supervision(executor) == Supervision.SIDECAR || coupled == 0) {
      return;
    }
    for (SimulatedExecutor peer : living()) {
      if (peer == executor || !peer.runs() || !world.happens(coupled)) {
        continue;
      }
      long after = world.random.nextInt(4) > 0 ? world.between(1, 300) : world.between(1, 5_000);
      if (supervision(peer) == Supervision.SIDECAR) {
        whileRunning(peer, after, () -> exits(peer, 1, "", "", false, null, true));
      } else {
        whileRunning(peer, after, () -> exits(peer, 1, CONSEQUENCE, "", false, null, true));
      }
    }
  }

  // ---- Its container ----

  /** YARN takes the container, or its node is gone. */
  void taken(SimulatedExecutor executor, FailureKind cause, boolean withItsNode) {
    if (!executor.alive()) {
      return;
    }
    boolean ran = executor.runs();
    ends(executor, cause, withItsNode);
    if (withItsNode && executor.endpoint != null) {
      goesSilent(executor);
    }
    if (ran) {
      takesPeersDown(executor);
    }
  }

  private void ends(SimulatedExecutor executor, FailureKind cause, boolean withItsNode) {
    if (executor.alive()) {
      executor.life = Life.GONE;
      executor.turn++;
      executor.lost = cause;
      executor.lostAt = world.agenda.now();
      yarn.ended(executor, cause, withItsNode);
    }
  }

  /** A lost network: an executor that never registered is not missed by its heartbeats. */
  void goesSilent(SimulatedExecutor executor) {
    executor.silent = true;
    TaskKey key = executor.key;
    if (executor.endpoint != null) {
      world.agenda.own(
          "silence of " + key.container(),
          SILENT_AFTER,
          () -> new Event.HeartbeatTimedOut(world.clock(), key));
    }
    // Its node is started anew in the end.
    world.agenda.move(
        world.between(3_600_000, 7_200_000), () -> ends(executor, FailureKind.LOST, false));
  }

  /** YARN ends the container: what ignores its stop is on a node that does not answer. */
  void stopContainer(SimulatedExecutor executor) {
    long after =
        executor.deaf || executor.silent
            ? world.between(60_000, 3_600_000)
            : world.between(0, 1_000);
    world.agenda.move(after, () -> ends(executor, FailureKind.LOST, false));
  }

  // ---- Checkpoints ----

  private boolean isKeeper(SimulatedExecutor executor) {
    return job.isElastic()
        ? executor.key.task().equals(job.chief())
        : executor.key.task().role().equals(job.chief().role());
  }

  /** Asked for a checkpoint, a program keeps one, or ends upon the signal, or does nothing. */
  void asked(SimulatedExecutor executor) {
    if (!executor.runs()) {
      return;
    }
    boolean signaled = job.limits().checkpointRequests().signal() != ProgramSignal.NONE;
    if (signaled && world.random.nextInt(3) == 0) {
      whileRunning(
          executor,
          world.between(100, 10_000),
          () -> exits(executor, UPON_SIGNAL, "User defined signal 1", "", false, null, true));
    } else if (isKeeper(executor) && world.random.nextInt(8) > 0) {
      whileRunning(executor, world.between(500, 20_000), () -> keeps(executor));
    }
  }

  private void keeps(SimulatedExecutor executor) {
    TaskKey key = executor.key;
    if (world.happens(world.trouble / 6)) {
      CheckpointFact fact =
          new CheckpointFact.CheckpointNotSaved(key.task(), "out", "it was changed");
      report(executor, () -> new Event.CheckpointReported(world.clock(), fact));
      return;
    }
    String set = CheckpointTrackerTest.set(executor.session, ++executor.kept);
    CheckpointFact fact =
        new CheckpointFact.CheckpointSaved(
            key.task(),
            set,
            executor.kept,
            true,
            job.isElastic() ? 1 : job.role(key.task().role()).instances(),
            false,
            10,
            5,
            world.clock(),
            "model",
            "/kept/" + set,
            executor.asked);
    report(executor, () -> new Event.CheckpointReported(world.clock(), fact));
  }

  // ---- Reports ----

  /** An executor makes one call after the other; a call that is repeated may come late as well. */
  private void report(SimulatedExecutor executor, Supplier<Event> event) {
    boolean overtaken = world.happens(world.trouble * OVERTAKE);
    String sender = executor.key.container() + (overtaken ? ", late" : "");
    world.agenda.call(sender, world.between(5, overtaken ? 3_000 : 150), event);
    if (world.happens(world.trouble * DUPLICATE)) {
      world.agenda.call(sender + ", repeated", world.between(5, 3_000), event);
    }
  }

  // ---- The next ApplicationMaster ----

  /** Some go with the old one; the others find the new one, and tell it who they are. */
  void nextMaster(Map<String, Event.ContainerEnd> ended, Set<String> alive) {
    for (SimulatedExecutor executor : List.copyOf(executors.values())) {
      executor.forgetWhatItIsTold();
      if (executor.alive() && world.happens(world.trouble / 5)) {
        goesWithTheMaster(executor, ended);
      } else if (executor.alive()) {
        alive.add(executor.key.container());
        findMaster(executor);
      } else if (executor.silent && executor.known == null) {
        goesSilent(executor);
      }
    }
    failsSoonAfterwards();
  }

  /** The fault that programs have comes out right then. */
  private void failsSoonAfterwards() {
    for (SimulatedExecutor executor : living()) {
      if (executor.key.task().role().equals(faulty) && executor.runs()) {
        whileRunning(executor, world.between(2_000, 200_000), () -> exits(executor, 1, ""));
        return;
      }
    }
  }

  private void goesWithTheMaster(
      SimulatedExecutor executor, Map<String, Event.ContainerEnd> ended) {
    executor.life = Life.GONE;
    executor.turn++;
    List<FailureKind> causes =
        new ArrayList<>(List.of(FailureKind.AM_LOST, FailureKind.PREEMPTED, FailureKind.LOST));
    if (executor.runs() || executor.endpoint != null) {
      causes.add(FailureKind.MEMORY);
    }
    int cause = world.random.nextInt(causes.size() + 1);
    if (cause < causes.size()) {
      // Else YARN has not heard of its node yet.
      ended.put(
          executor.key.container(),
          new Event.ContainerEnd(causes.get(cause), "it ended with the ApplicationMaster"));
    }
  }

  private void findMaster(SimulatedExecutor executor) {
    if (executor.silent) {
      goesSilent(executor);
    } else if (executor.life != Life.STARTING) {
      tellRegistration(executor);
      if (executor.pid > 0 && (executor.runs() || executor.life == Life.EXITED)) {
        tellStart(executor);
      }
      if (executor.tensorBoard) {
        TaskKey key = executor.key;
        report(executor, () -> new Event.TensorBoardListens(world.clock(), key));
      }
      if (executor.life == Life.EXITED) {
        tellExit(executor);
      }
    }
  }

  // ---- The weather ----

  /** Runs {@code move} for one of the living, by chance; does nothing where there is none. */
  void forOne(Predicate<SimulatedExecutor> wanted, Consumer<SimulatedExecutor> move) {
    List<SimulatedExecutor> all = living().stream().filter(wanted).toList();
    if (!all.isEmpty()) {
      move.accept(all.get(world.random.nextInt(all.size())));
    }
  }

  /** Several executors are taken at once, as by another queue's demand. */
  void takeSeveral(FailureKind cause) {
    for (SimulatedExecutor executor : living()) {
      if (world.random.nextBoolean()) {
        world.agenda.move(world.between(0, 1_500), () -> taken(executor, cause, false));
      }
    }
  }

  /** All that is on one node goes at once; sometimes that node is back at once, and says so. */
  void nodeDies() {
    boolean comesBack = world.random.nextBoolean();
    forOne(
        executor -> true,
        first ->
            living().stream()
                .filter(executor -> executor.node.equals(first.node))
                .forEach(executor -> taken(executor, FailureKind.LOST, !comesBack)));
  }
}
