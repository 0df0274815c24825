package io.tony.am.machine;

import io.tony.event.CheckpointFact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.model.FailureKind;
import io.tony.model.JobSpec;
import io.tony.model.TaskKey;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * YARN, the nodes, the executors and the users around one job, in virtual time: each thing takes as
 * long as it does in life, by chance. The world does what it is told, late; it errs as real ones
 * do; and it is fair: what it owes comes in the end. Reports overtake each other: all those of
 * different senders, and those of one executor where the network repeats a call.
 */
final class SimulatedWorld {
  /** MiB of the largest container. */
  static final long LARGEST = SimulatedYarn.LARGEST;

  private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");
  private static final int MOST_MASTERS = 4;

  final JobSpec job;
  final Random random;
  final double trouble;
  final Agenda agenda = new Agenda();
  private final SimulatedYarn yarn;
  private final SimulatedPrograms programs;

  /** By timer, which setting of it holds. */
  private final Map<Timer, Integer> timers = new HashMap<>();

  /** What the machine was told last, or is about to be. */
  private Event last;

  private int settings;
  private int masters = 1;
  private int channels;

  /** By how much the clock is wrong, in milliseconds, and whether anybody ever sets it. */
  private long wrong;

  private final boolean clockIsSet;

  /**
   * @param trouble how often something goes wrong: 0 to 1
   */
  SimulatedWorld(JobSpec job, Random random, double trouble) {
    this.job = job;
    this.random = random;
    this.trouble = trouble;
    this.yarn = new SimulatedYarn(this);
    this.programs = new SimulatedPrograms(this, yarn);
    this.clockIsSet = trouble > 0 && random.nextInt(10) == 0;
    agenda.own("loop", 1_000, () -> new Event.AmReady(clock(), 1, "am-host", Set.of()));
    agenda.move(1_001, yarn::tellCluster);
    if (happens(trouble > 0 ? 0.08 : 0.03)) {
      long most = random.nextInt(20) == 0 ? 2_000 : 60_000 + 2 * programs.work();
      agenda.weather(between(0, most), this::somebodyStopsTheJob);
    }
    if (happens(trouble / 200)) {
      agenda.move(random.nextInt(2_000), yarn::fails);
    }
    if (trouble > 0) {
      agenda.move(1_001, this::changes);
    }
  }

  Instant clock() {
    return BEGINNING.plusMillis(agenda.now() + wrong);
  }

  /** Whether its clock is one that somebody sets. */
  boolean isClockSet() {
    return clockIsSet;
  }

  SimulatedExecutor executorIn(String container) {
    return programs.in(container);
  }

  boolean happens(double probability) {
    return random.nextDouble() < probability;
  }

  /** So many milliseconds, by chance. */
  long between(long least, long most) {
    return least + (long) (random.nextDouble() * (most - least));
  }

  /** So many milliseconds on average, mostly fewer. */
  long about(long mean) {
    return (long) (-mean * Math.log(1 - random.nextDouble()));
  }

  /** What the job's machine is told next; null when nothing will ever happen again. */
  Event next() {
    last = agenda.next();
    return last;
  }

  /** What is still under way when the job has finished; null when there is nothing more. */
  Event leftover() {
    return agenda.leftover();
  }

  // ---- What the world does of itself ----

  private void somebodyStopsTheJob() {
    agenda.call("user", 0, () -> new Event.StopRequested(clock(), "ada"));
  }

  /** The weather changes, again and again. */
  private void changes() {
    long mean = (long) ((5_000 + programs.work() / 2) / (4 * trouble + 0.01));
    agenda.weather(
        about(mean),
        () -> {
          change();
          changes();
        });
  }

  private void change() {
    switch (random.nextInt(16)) {
      case 0, 1 -> programs.nodeDies();
      case 2, 3 -> programs.forOne(one -> true, one -> programs.taken(one, cause(), false));
      case 4 -> programs.takeSeveral(cause());
      case 5, 6 ->
          programs.forOne(
              SimulatedExecutor::runs, one -> programs.taken(one, FailureKind.MEMORY, false));
      case 7 -> programs.forOne(one -> !one.silent, programs::goesSilent);
      case 8, 9, 10 -> {
        if (!yarn.isGone()) {
          yarn.announcesPreemption(programs);
        }
      }
      case 11 -> yarn.restarts();
      case 12, 13 -> looksIntoAContainer();
      case 14 -> {
        if (clockIsSet) {
          wrong += between(-7_200_000, 7_200_000);
        } else if (random.nextInt(4) == 0 && !yarn.isGone()) {
          yarn.fails();
        }
      }
      default -> yarn.tellCluster();
    }
  }

  private FailureKind cause() {
    return random.nextBoolean() ? FailureKind.LOST : FailureKind.PREEMPTED;
  }

  /** Somebody opens a shell beside a program, which may have ended by now, and leaves it again. */
  private void looksIntoAContainer() {
    programs.forOne(
        one -> true,
        one -> {
          TaskKey key = one.key;
          long tunnel = channels++;
          String who = "shell " + tunnel;
          agenda.call(who, 5, () -> new Event.ShellRequested(clock(), key, "ada", tunnel));
          agenda.call(who, between(10, 600_000), () -> new Event.ShellClosed(clock(), key, "ada"));
        });
  }

  /** Whoever writes the starts chooses for all, and may do so again under the next master. */
  private void chooses(int session) {
    if (random.nextInt(4) > 0) {
      return;
    }
    CheckpointFact.ResumeDecision choice =
        session == 0 || random.nextInt(8) > 0
            ? CheckpointFact.ResumeDecision.clean(null, "it is of another code")
            : CheckpointFact.ResumeDecision.from(
                null,
                new CheckpointFact.SourceCheckpoint(
                    CheckpointTrackerTest.set(session - 1, 1),
                    1,
                    true,
                    clock(),
                    "application",
                    "",
                    "/kept"));
    agenda.own("starts", 50, () -> new Event.ResumePointChosen(clock(), session, choice));
  }

  // ---- The loss of an ApplicationMaster ----

  /**
   * They are lost more often where it matters: as a program fails, while one is asked, and while an
   * executor starts beside programs that run.
   */
  boolean masterDies() {
    boolean fails = last instanceof Event.TaskExited exited && exited.exit().code() != 0;
    boolean matters = fails || (timers.containsKey(Timer.GROWTH) && lately());
    int seldom = matters ? 4 : isJoined() ? 10 : 40;
    return masters < MOST_MASTERS && !yarn.isGone() && happens(trouble / seldom);
  }

  private boolean isJoined() {
    List<SimulatedExecutor> living = programs.living();
    return living.stream().anyMatch(SimulatedExecutor::runs)
        && living.stream().anyMatch(one -> one.life == SimulatedExecutor.Life.STARTING);
  }

  private boolean lately() {
    return programs.living().stream()
        .anyMatch(one -> one.asked != null && one.asked.isAfter(clock().minusSeconds(5)));
  }

  /** The event was taken up by a master that is lost: whoever wants something asks again. */
  void wasLost(Event event) {
    if (event instanceof Event.StopRequested stop) {
      agenda.call("user", 0, () -> new Event.StopRequested(clock(), stop.requester()));
    }
  }

  /**
   * For a while there is no ApplicationMaster. Then YARN starts another, which is ready before it
   * hears anybody; the executors find it and tell it who they are.
   */
  Event nextMaster() {
    masters++;
    timers.clear();
    agenda.pass(random.nextInt(3) == 0 ? 0 : between(1_000, 40_000));
    Set<String> alive = new LinkedHashSet<>();
    Map<String, Event.ContainerEnd> ended = yarn.nextMaster(programs.all(), alive);
    programs.nextMaster(ended, alive);
    if (trouble > 0 && random.nextInt(60) == 0) {
      agenda.call("client", 50, () -> new Event.LogIncomplete(clock(), "a client has seen more"));
    }
    return new Event.AmReady(
        clock(),
        masters,
        "am-host",
        JobFact.LaunchTimes.UNKNOWN,
        JobDescription.NONE,
        alive,
        ended,
        LARGEST);
  }

  // ---- What the job tells it ----

  void perform(Action action) {
    if (action instanceof Action.RequestContainers request) {
      yarn.request(request.role(), request.count());
    } else if (action instanceof Action.CancelRequests cancel) {
      yarn.cancel(cancel.role().name(), cancel.count());
    } else if (action instanceof Action.ReleaseContainer release) {
      yarn.taken(release.container());
      stopContainer(release.container()); // of a predecessor that did not get to note it
    } else if (action instanceof Action.LaunchExecutor launch) {
      yarn.taken(launch.key().container());
      programs.launch(launch.key());
    } else if (action instanceof Action.AvoidNodes avoid) {
      yarn.avoid(avoid.nodes());
    } else if (action instanceof Action.StopContainer stop) {
      stopContainer(stop.key().container());
    } else if (action instanceof Action.SetTimer set) {
      set(set.timer(), set.delay().toMillis());
    } else if (action instanceof Action.CancelTimer cancel) {
      timers.remove(cancel.timer());
    } else {
      tell(action);
    }
  }

  private void stopContainer(String container) {
    SimulatedExecutor executor = programs.in(container);
    if (executor != null && executor.alive()) {
      programs.stopContainer(executor);
    }
  }

  private void set(Timer timer, long after) {
    int setting = settings++;
    timers.put(timer, setting);
    agenda.own(
        timer + " " + setting,
        after + between(0, 20),
        () -> timers.remove(timer, setting) ? new Event.TimerFired(clock(), timer) : null);
  }

  /** Executors are told what they are to do when they ask for it. */
  private void tell(Action action) {
    if (action instanceof Action.StartTask start) {
      SimulatedExecutor executor = programs.in(start.key().container());
      executor.toldStart = start.key();
      executor.session = start.session();
      chooses(start.session());
      programs.asksSoon(executor);
    } else if (action instanceof Action.RestartTask restart) {
      SimulatedExecutor executor = programs.in(restart.from().container());
      if (restart.attempt() >= executor.toldAttempt) {
        executor.toldAttempt = restart.attempt();
        executor.toldTask = restart.asTask();
      }
      executor.toldStacks = restart.dumpStacks();
      programs.asksSoon(executor);
    } else if (action instanceof Action.RequestCheckpoint ask) {
      SimulatedExecutor executor = programs.in(ask.key().container());
      executor.asked = ask.requestedAt();
      agenda.move(between(5, 500), () -> programs.asked(executor));
    } else if (action instanceof Action.StopTask stop) {
      SimulatedExecutor executor = programs.in(stop.key().container());
      if (executor != null) {
        executor.toldStop = true;
        executor.toldStacks = stop.dumpStacks();
        programs.asksSoon(executor);
      }
    }
  }
}
