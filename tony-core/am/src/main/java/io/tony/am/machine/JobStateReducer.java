package io.tony.am.machine;

import io.tony.event.AccessFact;
import io.tony.event.CheckpointFact;
import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.HangLocation;
import io.tony.event.JobFact;
import io.tony.event.PendingFailure;
import io.tony.event.PreemptionAnnounced;
import io.tony.event.ResizeFact;
import io.tony.event.RetryBudgetOwner;
import io.tony.event.RootCause;
import io.tony.event.TaskFact;
import io.tony.event.UsageFact;
import io.tony.model.JobEvent;
import io.tony.model.JobSpec;
import io.tony.model.TaskState;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Computes a job's state from its facts. {@link #apply} is used for a fact that the {@link
 * JobMachine} is recording and for a fact that a later ApplicationMaster reads from the event log,
 * so that both arrive at the same state.
 */
public final class JobStateReducer {
  /** Computes the next state from a fact of one type. */
  private interface Reducer<F extends Fact> {
    JobState apply(JobState state, Instant at, F fact);
  }

  /** Facts that do not change the state; they only inform people. */
  private static final Set<Class<? extends Fact>> INFORMATIONAL =
      Set.of(
          JobFact.Described.class,
          JobFact.Submitted.class,
          JobFact.StopRequested.class,
          JobFact.UsageReport.class,
          JobFact.Advice.class,
          UsageFact.Straggler.class,
          UsageFact.Goodput.class,
          AccessFact.ContainerHeld.class,
          AccessFact.ShellSession.class,
          JobFact.LogBehind.class,
          JobFact.LogCaughtUp.class,
          CheckpointFact.CheckpointNotSaved.class,
          GangFact.Waiting.class);

  private static final Map<Class<? extends Fact>, Reducer<Fact>> REDUCERS = reducers();

  private JobState state;

  /** Creates a reducer that starts with the initial state of the job. */
  public JobStateReducer(JobSpec job, long seed) {
    state = JobState.initial(job, seed);
  }

  /** Returns the job's state after these events, which must be in the order of the event log. */
  public static JobState of(JobSpec job, long seed, List<JobEvent> events) {
    JobStateReducer reducer = new JobStateReducer(job, seed);
    events.forEach(reducer::add);
    return reducer.state();
  }

  /**
   * Applies the next event of the event log. Ignores event types that this version does not know.
   *
   * @throws IllegalArgumentException if the event lacks a field of its fact; the message names the
   *     field
   */
  public void add(JobEvent event) {
    state = apply(state, event);
  }

  /** Returns the state after all events so far. */
  public JobState state() {
    return state;
  }

  static JobState apply(JobState state, JobEvent event) {
    return Fact.of(event).map(fact -> apply(state, event.time(), fact)).orElse(state);
  }

  /**
   * Returns the state after one more fact.
   *
   * @param at when the fact was recorded
   */
  static JobState apply(JobState state, Instant at, Fact fact) {
    return Objects.requireNonNull(REDUCERS.get(fact.getClass())).apply(state, at, fact);
  }

  private static Map<Class<? extends Fact>, Reducer<Fact>> reducers() {
    Map<Class<? extends Fact>, Reducer<Fact>> reducers = new HashMap<>();
    on(reducers, JobFact.MasterStarted.class, (state, at, fact) -> masterStarted(state, at));
    on(reducers, GangFact.Requested.class, (state, at, fact) -> requested(state, at, fact.roles()));
    on(reducers, GangFact.BackedOff.class, (state, at, fact) -> backedOff(state));
    on(reducers, GangFact.Running.class, (state, at, fact) -> running(state));
    on(reducers, GangFact.Restarted.class, JobStateReducer::restarted);
    on(
        reducers,
        ResizeFact.Resized.class,
        (state, at, fact) -> state.resized(fact, at).withDerivedPhase());
    on(
        reducers,
        ResizeFact.ScaleUpPlanned.class,
        (state, at, fact) -> state.with(state.gang().withGrowth(at)));
    on(reducers, JobFact.NodeAvoided.class, (state, at, fact) -> nodeAvoided(state, fact));
    on(reducers, JobFact.NodesForgiven.class, (state, at, fact) -> nodesForgiven(state));
    on(reducers, JobFact.RoleExcused.class, (state, at, fact) -> roleExcused(state, fact.role()));
    on(
        reducers,
        JobFact.Stopping.class,
        (state, at, fact) -> RootCauseAnalysis.stopping(state, fact.result()));
    on(reducers, JobFact.Finished.class, (state, at, fact) -> state.finished(fact.result()));
    addTaskReducers(reducers);
    for (Class<? extends Fact> type : INFORMATIONAL) {
      on(reducers, type, (state, at, fact) -> state);
    }
    for (Class<? extends Fact> type : PermittedSubclasses.of(Fact.class)) {
      if (!reducers.containsKey(type)) {
        throw new IllegalStateException("no reducer is declared for " + type);
      }
    }
    return reducers;
  }

  private static void addTaskReducers(Map<Class<? extends Fact>, Reducer<Fact>> reducers) {
    on(reducers, TaskFact.Allocated.class, JobStateReducer::allocated);
    on(reducers, TaskFact.Registered.class, (state, at, fact) -> registered(state, fact));
    on(
        reducers,
        TaskFact.Progressed.class,
        (state, at, fact) ->
            state.with(new ChiefProgress(at, fact.text(), task(state, fact).attempt())));
    on(reducers, TaskFact.TensorBoard.class, (state, at, fact) -> tensorBoardListens(state, fact));
    on(
        reducers,
        CheckpointFact.ResumeDecision.class,
        (state, at, fact) -> CheckpointTracker.resumed(state, fact));
    on(
        reducers,
        CheckpointFact.CheckpointSaved.class,
        (state, at, fact) -> CheckpointTracker.checkpointSaved(state, fact));
    on(reducers, TaskFact.Started.class, (state, at, fact) -> programStarted(state, at, fact));
    on(
        reducers,
        PreemptionAnnounced.class,
        (state, at, fact) ->
            state.with(state.tasks().get(fact.task()).withPreemptionAnnouncedAt(at)));
    on(
        reducers,
        PendingFailure.class,
        (state, at, fact) ->
            state.with(state.gang().with(state.gang().gangFailure().withPending(fact.failure()))));
    on(reducers, TaskFact.Failed.class, (state, at, fact) -> failed(state, at, fact));
    on(
        reducers,
        RootCause.class,
        (state, at, fact) -> RootCauseAnalysis.rootCauseRecorded(state, fact));
    on(reducers, TaskFact.Stopped.class, (state, at, fact) -> stopped(state, fact));
    on(
        reducers,
        HangLocation.class,
        (state, at, fact) ->
            state.with(state.tasks().get(fact.task()).withHangLocation(fact.location())));
    on(reducers, TaskFact.Succeeded.class, (state, at, fact) -> succeeded(state, fact));
    on(reducers, TaskFact.Restarted.class, JobStateReducer::restarted);
  }

  private static <F extends Fact> void on(
      Map<Class<? extends Fact>, Reducer<Fact>> reducers, Class<F> type, Reducer<F> reducer) {
    reducers.put(type, (state, at, fact) -> reducer.apply(state, at, type.cast(fact)));
  }

  // ---- Containers ----

  private static JobState requested(JobState state, Instant at, List<String> roles) {
    TaskTable tasks = state.tasks();
    for (Task task : state.tasks()) {
      if (task.state() == TaskState.WAITING && roles.contains(task.id().role())) {
        tasks = tasks.with(task.requested(at));
      }
    }
    return state.with(tasks).withPhase(Phase.ALLOCATING);
  }

  /**
   * Returns the state after a back-off: every task that had not started and does not start alone
   * has no container, and waits to be requested again.
   */
  private static JobState backedOff(JobState state) {
    TaskTable tasks = state.tasks();
    for (Task task : state.tasks()) {
      if (task.holdsIdleContainer() || (task.state() == TaskState.REQUESTED && !task.alone())) {
        tasks = tasks.with(task.withoutContainer(TaskState.WAITING));
      }
    }
    return state.with(state.gang().backedOff(tasks)).withPhase(Phase.BACKING_OFF);
  }

  private static JobState allocated(JobState state, Instant at, TaskFact.Allocated fact) {
    Task task = task(state, fact);
    // The event logs of release 0.1.0 do not contain the memory of a container. Assume the
    // requested memory: YARN grants at least that.
    long requestedMiB = state.role(task).resource().memoryMiB();
    long memoryMiB = fact.memoryMiB() == null ? requestedMiB : fact.memoryMiB();
    return state
        .with(task.allocated(fact.container(), fact.node(), fact.logUrl(), memoryMiB, at))
        .withDerivedPhase();
  }

  private static JobState registered(JobState state, TaskFact.Registered fact) {
    Task task = task(state, fact).registered(fact.endpoint(), fact.tensorBoardPort());
    JobState next =
        state.with(state.startsIndependently(task) ? task.withState(TaskState.RUNNING) : task);
    return withChargesResetIfComplete(next);
  }

  /**
   * If no executor that the gang needs is missing, returns the state without the charges for
   * losses, because later losses have a new cause. Otherwise returns the state itself.
   */
  private static JobState withChargesResetIfComplete(JobState state) {
    boolean complete =
        !state.isMissingTaskIn(TaskState.REQUESTED) && !state.isMissingTaskIn(TaskState.LAUNCHING);
    return complete ? state.with(state.gang().withChargesReset()) : state;
  }

  /** Returns the state after the start of all registered tasks. */
  private static JobState running(JobState state) {
    TaskTable tasks = state.tasks();
    for (Task task : state.tasks()) {
      if (task.state() == TaskState.REGISTERED) {
        tasks = tasks.with(task.withState(TaskState.RUNNING));
      }
    }
    // Reset the charges here, too: the gang may have started without a last registration, because
    // the task that it waited for has ended.
    return withChargesResetIfComplete(state.with(tasks).withPhase(Phase.RUNNING));
  }

  // ---- Tasks ----

  private static JobState tensorBoardListens(JobState state, TaskFact.TensorBoard fact) {
    return state.with(task(state, fact).withTensorBoard(fact.url()));
  }

  private static JobState withState(JobState state, TaskFact fact, TaskState next) {
    return state.with(task(state, fact).withState(next));
  }

  /** Returns the state after the stop of a task that the job does not need any more. */
  private static JobState stopped(JobState state, TaskFact.Stopped fact) {
    JobState next = withState(state, fact, TaskState.STOPPED).withDerivedPhase();
    return next.phase() == Phase.RUNNING ? withChargesResetIfComplete(next) : next;
  }

  private static JobState programStarted(JobState state, Instant at, TaskFact.Started fact) {
    Task task = task(state, fact);
    return state.with(task.with(task.failureStreak().withProgramStart(at)));
  }

  private static JobState failed(JobState state, Instant at, TaskFact.Failed fact) {
    Task task = task(state, fact);
    boolean independent = state.role(task).maxTaskRetries() > 0;
    // The start number of a task without retries of its own is the gang's attempt number. If other
    // tasks were lost or replaced between two failures of the task, the number has skipped a value,
    // and the two failures do not count as successive: these losses may have caused them.
    int startNumber = independent ? state.session() + task.retries() : state.gang().attempt();
    CheckpointState checkpoints = state.gang().checkpoints();
    long checkpointNumber =
        independent
            ? checkpoints.newestNumberFor(state.tasks().positionOf(task.id()))
            : checkpoints.newestNumber();
    FailureStreak extended =
        task.isRunning()
            ? task.failureStreak().extendedBy(fact, startNumber, at, checkpointNumber)
            : FailureStreak.NONE;
    FailureStreak streak =
        TaskFailure.of(fact).isContainerLoss() ? extended.withContainerLoss(fact) : extended;
    JobState next = state.with(task.withState(TaskState.FAILED).with(streak));
    return next.with(next.gang().with(next.gang().gangFailure().withLatest(fact)));
  }

  private static JobState succeeded(JobState state, TaskFact.Succeeded fact) {
    String params = fact.outputs().get(JobState.MODEL_PARAMS);
    JobState ended = withState(state, fact, TaskState.SUCCEEDED);
    JobState next = ended.with(ended.gang().withMoreOutput(JobOutputs.size(fact.outputs())));
    return params == null ? next : next.withModelParams(params);
  }

  private static Task task(JobState state, TaskFact fact) {
    return state.tasks().get(fact.task());
  }

  // ---- Restarts of single tasks and of the gang ----

  private static JobState restarted(JobState before, Instant at, TaskFact.Restarted fact) {
    JobState state = MemoryEscalation.applied(before, fact.task().role(), fact.memoryMiB());
    Task task = withStreakForMemory(state, task(state, fact));
    Task restarted =
        fact.sameContainer()
            ? task.restartedInSameContainer(fact.attempt(), at)
            : task.requestedAgain(fact.attempt(), at);
    Task next =
        fact.chargedTo() == RetryBudgetOwner.ROLE
            ? restarted.aloneChargedToRole()
            : restarted.withAlone(fact.alone());
    RestartCharge charge = new RestartCharge(fact.chargedTo(), fact.kind(), fact.beforeStart());
    JobState charged = charge.withBudgetCharged(state, fact.remaining());
    JobState started =
        charged.with(charged.gang().nextAttempt(charge.withLossCounted(next))).withDerivedPhase();
    return started.with(
        started.gang().with(started.gang().gangFailure().withoutPending(fact.task())));
  }

  /**
   * Returns the state after a restart of the gang. Tasks with containers keep them where possible,
   * ended tasks are requested again, finished roles that other roles depend on stay finished, and a
   * role waits again if a role that it depends on runs again.
   */
  private static JobState restarted(JobState before, Instant at, GangFact.Restarted fact) {
    JobState state = MemoryEscalation.applied(before, fact.task().role(), fact.memoryMiB());
    Set<String> done = state.rolesDoneForGood(fact.task());
    Set<String> waiting = state.rolesWaitingAgain(fact.task());
    TaskTable tasks = state.tasks();
    for (Task task : state.tasks()) {
      Task restarted =
          waiting.contains(task.id().role())
              ? task.waitingAgain(fact.attempt())
              : restarted(state, at, fact, task, done);
      // Only the failed task keeps its failure streak.
      FailureStreak streak =
          task.id().equals(fact.task())
              ? withStreakForMemory(state, task).failureStreak()
              : FailureStreak.NONE;
      tasks = tasks.with(restarted.withAlone(false).with(streak));
    }
    // If the failed task keeps its container, at most its port was lost. That affects no other
    // task, so the charge covers no losses of other tasks.
    RestartCharge charge =
        new RestartCharge(fact.chargedTo(), fact.kind(), !fact.failedContainerKept());
    tasks = tasks.with(charge.withLossCounted(tasks.get(fact.task())));
    JobState charged = charge.withBudgetCharged(state, fact.remaining());
    JobState next =
        charged.with(charged.gang().nextSession(fact.attempt(), tasks)).withPhase(Phase.ALLOCATING);
    return RootCauseAnalysis.restarted(state, next, fact).withDerivedPhase();
  }

  private static Task restarted(
      JobState state, Instant at, GangFact.Restarted fact, Task task, Set<String> done) {
    boolean keepsContainer =
        switch (task.state()) {
          case WAITING, REQUESTED -> false;
          case LAUNCHING, REGISTERED, RUNNING -> state.keepsContainer(task, at);
          case SUCCEEDED, FAILED, STOPPED ->
              task.id().equals(fact.task()) && fact.failedContainerKept();
        };
    if (keepsContainer) {
      return task.restartedInSameContainer(fact.attempt(), at);
    }
    boolean stays =
        task.state() == TaskState.WAITING
            || (task.state().ended() && done.contains(task.id().role()));
    return stays ? task : task.requestedAgain(fact.attempt(), at);
  }

  /** Returns the task; without its streak of memory failures if its next container is larger. */
  private static Task withStreakForMemory(JobState state, Task task) {
    return MemoryEscalation.fits(state, task)
        ? task
        : task.with(task.failureStreak().afterMemoryIncrease());
  }

  // ---- The job ----

  /**
   * Returns the state after the start of an ApplicationMaster. The job's start time is that of the
   * first one.
   */
  private static JobState masterStarted(JobState state, Instant at) {
    return state.startedAt() == null ? state.withStartedAt(at) : state;
  }

  private static JobState nodeAvoided(JobState state, JobFact.NodeAvoided fact) {
    return state.with(state.clusterView().withAvoided(fact.node(), fact.failedPreflightCount()));
  }

  private static JobState nodesForgiven(JobState state) {
    return state.with(state.clusterView().withoutAvoided());
  }

  private static JobState roleExcused(JobState state, String role) {
    return state.with(state.gang().withExcused(role));
  }
}
