package io.tony.am.machine;

import io.tony.event.CheckpointFact;
import io.tony.eventlog.EventJson;
import io.tony.model.ClusterSpec;
import io.tony.model.DistributedMode;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What must hold whatever happens (docs/architecture.md). It is shown every event with the state
 * before it and the decision, and keeps books of its own, without looking at how the machine came
 * to it.
 */
final class MachineInvariants {
  private final JobSpec job;
  private final SimulatedWorld world;
  private final TimerInvariants timers;
  private final WaitInvariants waits;
  private final PayInvariants pays;
  private final Map<String, Integer> pending = new HashMap<>();
  private final Set<String> unused = new HashSet<>();

  /** Of these, those that a running gang has got to grow into. */
  private final Set<String> spare = new HashSet<>();

  /** By container, the attempt that was launched in it. */
  private final Map<String, TaskKey> launched = new HashMap<>();

  /** Containers that are gone, or that YARN was told to end. */
  private final Set<String> over = new HashSet<>();

  /** Containers whose executor was told to end. */
  private final Set<String> told = new HashSet<>();

  private final Map<TaskKey, Endpoint> registered = new HashMap<>();
  private final Set<TaskKey> started = new HashSet<>();
  private final Set<TaskKey> exited = new HashSet<>();

  /** Attempts whose TensorBoard has been told of. */
  private final Set<TaskKey> tensorBoards = new HashSet<>();

  /** Somebody who was asked for a checkpoint tells of one, which may be known already. */
  private boolean answered;

  private String shown = "";
  private final List<JobEvent> facts = new ArrayList<>();
  private final Set<Class<? extends Event>> seen = new HashSet<>();
  private boolean programTimedOut;

  /** A program has told where it stood: one hung. */
  private boolean hung;

  /** Tasks that have told it since they registered last, or got a container. */
  private final Set<TaskId> stood = new HashSet<>();

  private int masters = 1;

  /** Somebody stopped the job, its time is up, or nobody serves it any more. */
  private boolean mustEnd;

  /** By the start of the gang that failed, how often its cause was named. */
  private final Map<String, Integer> causes = new HashMap<>();

  private final KeptBooks kept = new KeptBooks();
  private final Charges charges = new Charges();
  private final Futilities futilities;
  private final Sizes sizes;
  private JobState replayed;

  /** Progress that came soon after earlier one: only a program's last may. */
  private JobEvent lastWords;

  private JobResult result;

  MachineInvariants(JobSpec job, long seed, SimulatedWorld world) {
    this.job = job;
    this.world = world;
    this.waits = new WaitInvariants(job, world);
    this.pays = new PayInvariants(job, world);
    this.timers = new TimerInvariants(job);
    this.futilities = new Futilities(job);
    this.sizes = new Sizes(job);
    this.replayed = JobState.initial(job, seed);
  }

  boolean finished() {
    return result != null;
  }

  JobResult result() {
    return result;
  }

  List<JobEvent> facts() {
    return facts;
  }

  /**
   * YARN forgets what was asked for, and nobody knows any more who was told what. A job that had
   * ended, by its log, is over: the next one tells YARN, which ends whatever is left.
   */
  void masterDied(JobState next) {
    pending.clear();
    started.clear();
    unused.clear();
    shown = next.tensorBoardUrl();
    if (next.phase() == Phase.FINISHED && result == null) {
      result = next.result();
      checkResult();
    }
  }

  /**
   * Of a decision that was recorded by a master that did not live to act upon all of it: what it
   * had allocated, and not launched, is known to the next one, and YARN ends it.
   */
  void checkSome(JobState before, Event event, Decision decided, List<Action> done) {
    note(before, event);
    waits.note(before, decided.state(), world.agenda.now());
    decided.facts().forEach(this::checkFact);
    for (Action action : decided.actions()) {
      if (action instanceof Action.LaunchExecutor launch && !done.contains(action)) {
        launched.put(launch.key().container(), launch.key());
        over.add(launch.key().container());
      }
    }
    for (Action action : done) {
      if (!(action instanceof Action.Finish)) {
        check(action);
      }
    }
  }

  void check(JobState before, Event event, Decision decision) {
    note(before, event);
    noteExchange(event, decision);
    checkFirstAsks(before, event, decision);
    taskEndsAreFinal(before, decision.state());
    if (before.phase() == Phase.FINISHED) {
      require(decision.state().equals(before), "the end of the job has changed");
    }
    decision.facts().forEach(this::checkFact);
    for (Action action : decision.actions()) {
      if (action instanceof Action.StartTask start) {
        checkStart(start, decision.state());
      } else {
        check(action);
      }
    }
    checkBudget(before.budget(), decision);
    long room = AttemptLimits.maxAttempts(job, masters);
    Rule.ATTEMPTS_HAVE_ROOM.require(
        decision.state().gang().attempt() < room,
        () -> "room for " + room + " under ApplicationMaster " + masters);
    checkReplay(decision.state());
    checkTensorBoard(decision);
    checkShell(event, decision);
    timers.check(event, decision);
    waits.check(before, event, decision, world.agenda.now());
    pays.check(before, event, decision, world.agenda.now());
    require(
        (decision.state().phase() == Phase.FINISHED) == finished(),
        "the phase is " + decision.state().phase() + ", the result " + result);
  }

  private void note(JobState before, Event event) {
    sizes.begin();
    answered =
        event instanceof Event.CheckpointReported told
            && told.fact() instanceof CheckpointFact.CheckpointSaved kept
            && kept.requestedAt() != null;
    seen.add(event.getClass());
    if (event instanceof Event.AmReady ready) {
      masters = ready.attempt();
      Set<String> known = new HashSet<>();
      before.tasks().forEach(task -> known.add(task.container()));
      ready.liveContainers().stream().filter(c -> !known.contains(c)).forEach(unused::add);
      launched.keySet().stream()
          .filter(c -> !ready.liveContainers().contains(c))
          .forEach(over::add);
    } else if (event instanceof Event.ContainerAllocated allocated) {
      sizes.granted(allocated);
      unused.add(allocated.container());
    } else if (event instanceof Event.ContainerEnded ended) {
      over.add(ended.key().container());
    } else if (event instanceof Event.TaskRegistered registration) {
      registered.put(registration.key(), registration.endpoint());
    } else if (event instanceof Event.TaskExited exit) {
      exited.add(exit.key());
      hung |= exit.exit().hangLocation() != null;
      programTimedOut |= exit.exit().timedOut();
    } else if (event instanceof Event.TimerFired fired) {
      mustEnd |= fired.timer().equals(Timer.APPLICATION);
    } else if (event instanceof Event.StopRequested
        || event instanceof Event.SchedulerFailed
        || event instanceof Event.LogIncomplete) {
      mustEnd = true;
    }
  }

  /** They may have been asked for before the job decided to. */
  private static void checkFirstAsks(JobState before, Event event, Decision decision) {
    if (before.phase() == Phase.NEW && event instanceof Event.AmReady) {
      Map<RoleSpec, Integer> asked = new HashMap<>();
      for (Action action : decision.actions()) {
        if (action instanceof Action.RequestContainers request) {
          asked.merge(request.role(), request.count(), Integer::sum);
        }
      }
      require(
          asked.equals(before.unrequestedContainers()),
          asked + " and not " + before.unrequestedContainers());
    }
  }

  /** A container on a node that is avoided serves its request, and another is asked for instead. */
  private void noteExchange(Event event, Decision decision) {
    boolean asksAgain =
        decision.actions().stream().anyMatch(Action.RequestContainers.class::isInstance);
    if (event instanceof Event.UnusedContainerEnded gone) {
      unused.remove(gone.container());
      spare.remove(gone.container());
    }
    boolean used =
        decision.actions().stream()
            .anyMatch(
                action ->
                    action instanceof Action.LaunchExecutor
                        || action instanceof Action.ReleaseContainer);
    if (event instanceof Event.ContainerAllocated allocated && (asksAgain || !used)) {
      pending.merge(allocated.role(), -1, Integer::sum);
      if (!used) {
        spare.add(allocated.container());
      }
    }
  }

  private static void taskEndsAreFinal(JobState before, JobState after) {
    if (before.phase() != Phase.NEW) {
      for (Task task : before.tasks()) {
        if (!after.tasks().contains(task.id())) {
          require(after.job().isElastic(), task.id() + " is gone");
          continue;
        }
        Task now = after.tasks().get(task.id());
        require(
            !task.state().ended() || now.attempt() > task.attempt() || now.state() == task.state(),
            task.id() + " was " + task.state() + " and is " + now.state());
        require(now.attempt() >= task.attempt(), task.id() + " goes back to " + now.attempt());
      }
    }
  }

  private void checkBudget(RetryBudget before, Decision decision) {
    RetryBudget after = decision.state().budget();
    for (FailureKind kind : List.of(FailureKind.PROGRAM, FailureKind.LOST, FailureKind.PREEMPTED)) {
      require(after.remaining(kind) >= 0, "more is spent than there is: " + after);
      long refunds =
          decision.facts().stream()
              .filter(fact -> fact.type() == JobEvent.Type.FIRST_CAUSE)
              .filter(fact -> fact.detail("refund").equals(kind.name()))
              .count();
      require(
          after.remaining(kind) <= before.remaining(kind) + refunds,
          "a budget grows: " + before + " " + after);
    }
  }

  /** YARN's link leads to a TensorBoard as long as one is known to listen. */
  private void checkTensorBoard(Decision decision) {
    for (Action action : decision.actions()) {
      if (action instanceof Action.ShowTensorBoard show) {
        shown = show.url();
      }
    }
    Task host = decision.state().tasks().get(job.tensorBoardHost());
    boolean listens = host.state() == TaskState.RUNNING && tensorBoards.contains(host.key());
    require(listens != shown.isEmpty(), "YARN's link leads to '" + shown + "' with " + host);
  }

  /** Whoever wants a shell has one answer, and nobody else has. */
  private void checkShell(Event event, Decision decision) {
    List<Action> answers =
        decision.actions().stream()
            .filter(a -> a instanceof Action.OpenShell || a instanceof Action.RefuseShell)
            .toList();
    int wanted = event instanceof Event.ShellRequested ? 1 : 0;
    require(answers.size() == wanted, "answers to who wants a shell: " + answers);
  }

  /** Which kinds of events there were. */
  Set<Class<? extends Event>> seen() {
    return seen;
  }

  /** The log tells the same state, but for what only YARN knows. */
  private void checkReplay(JobState state) {
    GangState gang = state.gang();
    GangState told = replayed.gang();
    boolean same =
        replayed.phase() == state.phase()
            && replayed.job().equals(state.job())
            && told.resizes().equals(gang.resizes())
            && told.session() == gang.session()
            && told.attempt() == gang.attempt()
            && told.backoffCount() == gang.backoffCount()
            && told.charges().equals(gang.charges())
            && told.excusedRoles().equals(gang.excusedRoles())
            && told.checkpoints().equals(gang.checkpoints())
            && told.gangFailure().pendingFailures().equals(gang.gangFailure().pendingFailures())
            && replayed.budget().equals(state.budget())
            && replayed.clusterView().avoided().equals(state.clusterView().avoided())
            && Objects.equals(replayed.result(), state.result())
            && Objects.equals(replayed.startedAt(), state.startedAt())
            && replayed.progress().equals(state.progress());
    if (!same) {
      throw new AssertionError("the log tells " + replayed + " and not " + state);
    }
    Iterator<Task> tasks = state.tasks().iterator();
    for (Task task : replayed.tasks()) {
      Task expected = tasks.next();
      if (!task.equals(expected)) {
        throw new AssertionError("the log tells " + task + " and not " + expected);
      }
    }
  }

  private void check(Action action) {
    if (action instanceof Action.RequestContainers request) {
      require(!mustEnd, "asked for while the job must end: " + request);
      pending.merge(request.role().name(), request.count(), Integer::sum);
      sizes.checkRequest(request);
    } else if (action instanceof Action.CancelRequests cancel) {
      pending.merge(cancel.role().name(), -cancel.count(), Integer::sum);
      require(pending.get(cancel.role().name()) >= 0, "more taken back than asked for: " + cancel);
    } else if (action instanceof Action.ReleaseContainer release) {
      require(unused.remove(release.container()), "released while in use: " + release);
      over.add(release.container());
    } else if (action instanceof Action.LaunchExecutor launch) {
      checkLaunch(launch.key());
    } else if (action instanceof Action.RestartTask restart) {
      String container = restart.from().container();
      require(launched.containsKey(container), "restarted and never launched: " + restart);
      require(!over.contains(container), "restarted in a container that is gone: " + restart);
      sizes.checkRestart(restart);
      require(restart.attempt() > launched.get(container).attempt(), "not later: " + restart);
      require(hung || !restart.dumpStacks(), "nobody hangs: " + restart);
    } else if (action instanceof Action.RequestCheckpoint ask) {
      require(registered.containsKey(ask.key()), "nobody is to be asked: " + ask);
    } else if (action instanceof Action.StopTask stop) {
      require(launched.containsKey(stop.key().container()), "never launched: " + stop);
      require(hung || !stop.dumpStacks(), "nobody hangs: " + stop);
      told.add(stop.key().container());
    } else if (action instanceof Action.StopContainer stop) {
      require(launched.containsKey(stop.key().container()), "never launched: " + stop);
      over.add(stop.key().container());
    } else if (action instanceof Action.DropOldCheckpoints) {
      JobEvent last = latest(JobEvent.Type.TASK_CHECKPOINT);
      require(kept.letOldOnesGo(last), "nothing is whole, and nothing too much: " + last);
    } else if (action instanceof Action.Finish finish) {
      require(result == null, "finished twice");
      result = finish.result();
      checkEnd();
    }
  }

  private void checkLaunch(TaskKey key) {
    sizes.checkLaunch(key);
    require(unused.remove(key.container()), "launched without a container of its own: " + key);
    require(launched.put(key.container(), key) == null, "launched twice: " + key);
    if (!spare.remove(key.container())) {
      pending.merge(key.task().role(), -1, Integer::sum);
      require(pending.get(key.task().role()) >= 0, "more launched than asked for: " + key);
    }
  }

  // ---- What a program sees ----

  private void checkStart(Action.StartTask start, JobState state) {
    TaskKey key = start.key();
    require(started.add(key), "started twice: " + key);
    require(registered.containsKey(key), "started and never registered: " + key);
    require(start.session() == state.session(), "of another session: " + key);
    ClusterSpec cluster = start.cluster();
    if (job.mode() == DistributedMode.FCFS) {
      Map<String, List<Endpoint>> self = Map.of(key.task().role(), List.of(registered.get(key)));
      require(cluster.equals(new ClusterSpec(self)), "more than itself: " + start);
      return;
    }
    require(registered.get(key).equals(cluster.of(key.task())), "not itself in it: " + start);
    for (RoleSpec role : state.job().roles()) {
      require(
          role.minInstances() <= role.instances() && role.instances() <= role.maxInstances(),
          "its size: " + role);
      checkMembers(role, cluster, state);
    }
  }

  /** A role is in the cluster as a whole, or it waits for another or has ended. */
  private void checkMembers(RoleSpec role, ClusterSpec cluster, JobState state) {
    List<Endpoint> members = cluster.endpoints().get(role.name());
    if (members == null) {
      boolean waits = state.tasks().count(role.name(), TaskState.WAITING) == role.instances();
      boolean wave = state.tasks().count(role.name(), TaskState.RUNNING) == 0;
      require(waits || wave || state.isRoleEnded(role.name()), role.name() + " is missing");
      return;
    }
    Task last = state.tasks().get(new TaskId(role.name(), role.instances() - 1));
    boolean joins = joins(role) && last.alone() && !registered.containsKey(last.key());
    boolean whole = members.size() == role.instances();
    require(
        whole || (joins && members.size() == role.instances() - 1),
        "a partial cluster: " + cluster);
    for (int index = 0; index < members.size(); index++) {
      Task task = state.tasks().get(new TaskId(role.name(), index));
      if (task.state() == TaskState.RUNNING) {
        require(members.get(index).equals(registered.get(task.key())), task.id() + " has moved");
      }
    }
  }

  private boolean joins(RoleSpec role) {
    return role.isElastic() && job.limits().elasticity().liveResize();
  }

  // ---- The log ----

  private void checkFact(JobEvent fact) {
    require(
        facts.isEmpty() || last().type() != JobEvent.Type.JOB_FINISHED, "after the end: " + fact);
    // The program's end may first be found to be why the others failed.
    boolean between = fact.type() == JobEvent.Type.FIRST_CAUSE;
    if (lastWords != null && !between) {
      boolean ends =
          fact.type() == JobEvent.Type.TASK_SUCCEEDED
              || fact.type() == JobEvent.Type.TASK_FAILED
              || fact.type() == JobEvent.Type.FAILURE_PENDING
              || fact.type() == JobEvent.Type.TASK_STOPPED;
      require(ends && fact.task().equals(job.chief()), "progress too often: " + lastWords);
    }
    lastWords = between ? lastWords : null;
    if (fact.type() == JobEvent.Type.TASK_PROGRESS) {
      require(fact.task().equals(job.chief()), "progress of another than the chief: " + fact);
      facts.stream()
          .filter(earlier -> earlier.type() == fact.type())
          .reduce((first, second) -> second)
          .ifPresent(
              earlier -> {
                Duration since = Duration.between(earlier.time(), fact.time());
                boolean due =
                    since.isNegative() || since.compareTo(ProgramReports.PROGRESS_INTERVAL) >= 0;
                lastWords = due ? null : fact;
              });
    }
    if (fact.type() == JobEvent.Type.TENSORBOARD) {
      require(fact.task().equals(job.tensorBoardHost()), "of another task: " + fact);
      require(tensorBoards.add(replayed.tasks().get(fact.task()).key()), "told twice: " + fact);
    }
    if (fact.type() == JobEvent.Type.FIRST_CAUSE) {
      int told = causes.merge(fact.detail("gang"), 1, Integer::sum);
      require(told <= 5, told + " first causes of gang " + fact.detail("gang"));
    }
    if (fact.type() == JobEvent.Type.TASK_STANDS) {
      require(stood.add(fact.task()), "told twice: " + fact);
    } else if (fact.type() == JobEvent.Type.TASK_REGISTERED
        || fact.type() == JobEvent.Type.TASK_ALLOCATED) {
      stood.remove(fact.task());
    } else if (fact.type() == JobEvent.Type.GANG_RESTARTED) {
      stood.clear();
    } else if (fact.type() == JobEvent.Type.TASK_RESTARTED) {
      stood.remove(fact.task());
    }
    if (fact.type() == JobEvent.Type.GANG_RESTARTED
        && replayed.gang().gangFailure().pendingFailures().isEmpty()
        && !job.isElastic()
        && fact.detail("charged").equals("nobody")
        && fact.detail("kind").equals("PREEMPTED")) {
      checkGivenBack(fact);
    }
    kept.note(fact);
    facts.add(fact);
    futilities.note(replayed, fact);
    sizes.note(fact);
    replayed = JobStateReducer.apply(replayed, read(fact));
    charges.note(replayed, fact);
  }

  /** Nobody pays for that: so a checkpoint is there, and YARN has announced that it takes one. */
  private void checkGivenBack(JobEvent fact) {
    if (!answered) {
      checkAnswered(fact);
    }
    require(
        facts.stream()
            .anyMatch(
                earlier ->
                    earlier.type() == JobEvent.Type.PREEMPTION_ANNOUNCED
                        && earlier.task().equals(fact.task())),
        "given back, and nobody wants it: " + fact);
  }

  private void checkAnswered(JobEvent fact) {
    JobEvent why =
        facts.stream()
            .filter(earlier -> earlier.type() != JobEvent.Type.FIRST_CAUSE)
            .reduce((first, second) -> second)
            .orElseThrow();
    require(
        why.type() == JobEvent.Type.TASK_CHECKPOINT
            && why.detail("whole").equals("true")
            && !why.detail("asked").isEmpty(),
        "given back without a checkpoint: " + fact);
  }

  /** As it comes back from the log. */
  private static JobEvent read(JobEvent fact) {
    try {
      return EventJson.read(EventJson.write(fact));
    } catch (IOException e) {
      throw new UncheckedIOException("a line that cannot be read", e);
    }
  }

  private JobEvent latest(JobEvent.Type type) {
    return facts.stream()
        .filter(fact -> fact.type() == type)
        .reduce((first, second) -> second)
        .orElseThrow();
  }

  private JobEvent last() {
    return facts.get(facts.size() - 1);
  }

  // ---- The end ----

  private void checkEnd() {
    require(last().type() == JobEvent.Type.JOB_FINISHED, "the log ends with " + last());
    require(unused.isEmpty(), "containers that nobody gave back: " + unused);
    launched
        .keySet()
        .forEach(
            container ->
                require(
                    over.contains(container) || told.contains(container),
                    "an executor that nobody ended: " + container));
    pending.forEach((role, count) -> require(count == 0, "still asked for: " + count + " " + role));
    checkResult();
  }

  private void checkResult() {
    charges.requireWithinBudget(job);
    switch (result.status()) {
      case SUCCEEDED -> checkSuccess();
      case KILLED -> require(seen.contains(Event.StopRequested.class), "nobody stopped it");
      case FAILED -> checkFailure();
    }
  }

  private void checkSuccess() {
    Map<TaskId, JobEvent> ends = lastEnds();
    if (job.endPolicy().chiefDecides()
        && isSuccess(ends.get(job.chief()))
        && result.message().startsWith("the chief")) {
      return;
    }
    Set<String> excused = new HashSet<>();
    facts.stream()
        .filter(fact -> fact.type() == JobEvent.Type.ROLE_EXCUSED)
        .forEach(fact -> excused.add(fact.detail("role")));
    int succeeded = 0;
    for (RoleSpec role : replayed.job().roles()) {
      if (role.supervision() != Supervision.TRACKED || excused.contains(role.name())) {
        continue;
      }
      for (int index = 0; index < role.instances(); index++) {
        TaskId task = new TaskId(role.name(), index);
        JobEvent end = ends.get(task);
        succeeded += isSuccess(end) ? 1 : 0;
        boolean late = joins(role) && cameTooLate(task);
        require(end != null || late, task + " has not ended");
        require(
            late || isSuccess(end) || !job.endPolicy().failOnAnyTask(), "ended not well: " + end);
        Rule.A_LOSS_IS_NO_END.require(
            late || isSuccess(end) || isOfItsProgram(end), () -> "the job ends well with " + end);
      }
    }
    require(succeeded > 0, "none succeeded");
  }

  private static boolean isSuccess(JobEvent end) {
    return end != null && end.type() == JobEvent.Type.TASK_SUCCEEDED;
  }

  private static boolean isOfItsProgram(JobEvent failure) {
    return Set.of("PROGRAM", "MEMORY").contains(failure.detail("kind"));
  }

  /** A member that was lost, or was to come back, when another task of its role had succeeded. */
  private boolean cameTooLate(TaskId member) {
    boolean done = false;
    for (JobEvent fact : facts) {
      boolean ofRole = fact.task() != null && fact.task().role().equals(member.role());
      done |= ofRole && fact.type() == JobEvent.Type.TASK_SUCCEEDED;
      done &= fact.type() != JobEvent.Type.GANG_RESTARTED;
      boolean ends =
          fact.type() == JobEvent.Type.TASK_STOPPED
              || (fact.type() == JobEvent.Type.TASK_FAILED && !isOfItsProgram(fact));
      if (done && ends && member.equals(fact.task())) {
        return true;
      }
    }
    return false;
  }

  /** By task, how it ended last. */
  private Map<TaskId, JobEvent> lastEnds() {
    Map<TaskId, JobEvent> ends = new HashMap<>();
    for (JobEvent fact : facts) {
      switch (fact.type()) {
        case TASK_SUCCEEDED, TASK_FAILED -> ends.put(fact.task(), fact);
        case TASK_ALLOCATED, TASK_REGISTERED, TASK_RESTARTED -> ends.remove(fact.task());
        default -> {}
      }
    }
    return ends;
  }

  /** What the job ends with begins with what failed, where that was in vain twice. */
  private boolean isTold(String failure) {
    return result.futile()
        ? result.message().startsWith(failure)
        : tells(result.message(), failure);
  }

  private void checkFailure() {
    futilities.checkEnd(result);
    if (result.task() != null) {
      boolean known =
          facts.stream()
              .anyMatch(
                  fact ->
                      (fact.type() == JobEvent.Type.TASK_FAILED
                              || fact.type() == JobEvent.Type.FIRST_CAUSE)
                          && fact.session() == last().session()
                          && fact.task().equals(result.task())
                          && fact.detail("kind").equals(result.kind().name())
                          && isTold(fact.detail("message")));
      require(known, "no such failure is in the log");
      require(result.kind() != FailureKind.TIMEOUT || programTimedOut, "no program timed out");
      if (!result.futile()) {
        charges.requireSpent(job, decided());
      }
    } else if (result.kind() == FailureKind.TIMEOUT) {
      require(seen.contains(Event.TimerFired.class), "no limit of time has passed");
    } else if (result.kind() == FailureKind.AM_LOST) {
      require(seen.contains(Event.LogIncomplete.class), "the log is complete");
    } else {
      require(seen.contains(Event.SchedulerFailed.class), "failed for no reason");
    }
  }

  /** Behind the failure of a task that hung stands where the tasks stood. */
  private boolean tells(String message, String failure) {
    return message.equals(failure)
        || (message.startsWith(failure + "; ")
            && message.contains("read (loader.py:")
            && failure.endsWith("showed no sign of life"));
  }

  /** The kind of the failure that ended the job, whatever the first cause of that was. */
  private FailureKind decided() {
    return facts.stream()
        .filter(fact -> fact.type() == JobEvent.Type.JOB_STOPPING)
        .map(fact -> FailureKind.valueOf(fact.detail("kind")))
        .findFirst()
        .orElseThrow();
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }
}
