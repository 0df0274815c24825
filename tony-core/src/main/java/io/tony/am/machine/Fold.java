package io.tony.am.machine;

import io.tony.fact.CheckpointFact;
import io.tony.fact.Fact;
import io.tony.fact.FirstCause;
import io.tony.fact.GangFact;
import io.tony.fact.JobFact;
import io.tony.fact.LookFact;
import io.tony.fact.Payer;
import io.tony.fact.PendingFailure;
import io.tony.fact.PreemptionAnnounced;
import io.tony.fact.SizeFact;
import io.tony.fact.Stands;
import io.tony.fact.TaskFact;
import io.tony.fact.UsageFact;
import io.tony.model.Family;
import io.tony.model.JobEvent;
import io.tony.model.JobSpec;
import io.tony.model.TaskState;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The state of a job is the fold of its facts: {@link #apply} is all that changes it, as they are
 * decided and as a later ApplicationMaster reads them in the log.
 */
public final class Fold {
  /** What one kind of fact makes of a state. {@code at} is when it became so. */
  private interface Change<F extends Fact> {
    JobState apply(JobState state, Instant at, F fact);
  }

  private static final Map<Class<? extends Fact>, Change<Fact>> STEPS = steps();

  private JobState state;

  /** Nothing has happened yet. */
  public Fold(JobSpec job, long seed) {
    state = JobState.initial(job, seed);
  }

  /** The state after these events, which are in the order of the log. */
  public static JobState of(JobSpec job, long seed, List<JobEvent> events) {
    Fold fold = new Fold(job, seed);
    events.forEach(fold::add);
    return fold.state();
  }

  /**
   * Takes the next event of the log. What a later version wrote and this one does not know is
   * passed over.
   *
   * @throws IllegalArgumentException when an event lacks what its fact consists of; names it
   */
  public void add(JobEvent event) {
    state = apply(state, event);
  }

  /** The state after all events so far. */
  public JobState state() {
    return state;
  }

  static JobState apply(JobState state, JobEvent event) {
    return Fact.of(event).map(fact -> apply(state, event.time(), fact)).orElse(state);
  }

  /** The state after one more fact. */
  static JobState apply(JobState state, Instant at, Fact fact) {
    return STEPS.get(fact.getClass()).apply(state, at, fact);
  }

  private static Map<Class<? extends Fact>, Change<Fact>> steps() {
    Map<Class<? extends Fact>, Change<Fact>> steps = new HashMap<>();
    on(steps, JobFact.MasterStarted.class, (state, at, fact) -> started(state, at));
    on(steps, GangFact.Requested.class, (state, at, fact) -> requested(state, at, fact.roles()));
    on(steps, GangFact.BackedOff.class, (state, at, fact) -> backedOff(state));
    on(steps, GangFact.Running.class, (state, at, fact) -> running(state));
    on(steps, GangFact.Restarted.class, Fold::restarted);
    on(steps, SizeFact.Resized.class, (state, at, fact) -> state.resized(fact, at).settled());
    on(steps, SizeFact.Grows.class, (state, at, fact) -> state.with(state.gang().growing(at)));
    on(steps, TaskFact.Allocated.class, Fold::allocated);
    on(steps, TaskFact.Registered.class, (state, at, fact) -> registered(state, fact));
    on(
        steps,
        TaskFact.Progressed.class,
        (state, at, fact) ->
            state.with(new Progress(at, fact.text(), task(state, fact).attempt())));
    on(steps, TaskFact.TensorBoard.class, (state, at, fact) -> listens(state, fact));
    on(steps, CheckpointFact.Resumes.class, (state, at, fact) -> Keeping.resumes(state, fact));
    on(steps, CheckpointFact.Kept.class, (state, at, fact) -> Keeping.kept(state, fact));
    on(steps, TaskFact.Started.class, (state, at, fact) -> begins(state, at, fact));
    on(
        steps,
        PreemptionAnnounced.class,
        (state, at, fact) -> state.with(state.tasks().get(fact.task()).announced(at)));
    on(
        steps,
        PendingFailure.class,
        (state, at, fact) ->
            state.with(state.gang().with(state.gang().incident().awaiting(fact.failure()))));
    on(steps, TaskFact.Failed.class, (state, at, fact) -> failed(state, at, fact));
    on(steps, FirstCause.class, (state, at, fact) -> FirstCauses.named(state, fact));
    on(steps, TaskFact.Stopped.class, (state, at, fact) -> stopped(state, fact));
    on(
        steps,
        Stands.class,
        (state, at, fact) -> state.with(state.tasks().get(fact.task()).standing(fact.where())));
    on(steps, TaskFact.Succeeded.class, (state, at, fact) -> succeeded(state, fact));
    on(steps, TaskFact.Restarted.class, Fold::restarted);
    on(steps, JobFact.NodeAvoided.class, (state, at, fact) -> avoids(state, fact));
    on(steps, JobFact.NodesForgiven.class, (state, at, fact) -> forgives(state));
    on(steps, JobFact.RoleExcused.class, (state, at, fact) -> excuses(state, fact.role()));
    on(
        steps,
        JobFact.Stopping.class,
        (state, at, fact) -> FirstCauses.stopping(state, fact.result()));
    on(steps, JobFact.Finished.class, (state, at, fact) -> state.finished(fact.result()));
    // For people; nothing is decided upon them.
    on(steps, JobFact.Described.class, (state, at, fact) -> state);
    on(steps, JobFact.Submitted.class, (state, at, fact) -> state);
    on(steps, JobFact.StopRequested.class, (state, at, fact) -> state);
    on(steps, JobFact.Used.class, (state, at, fact) -> state);
    on(steps, JobFact.Advice.class, (state, at, fact) -> state);
    on(steps, UsageFact.Straggler.class, (state, at, fact) -> state);
    on(steps, UsageFact.Goodput.class, (state, at, fact) -> state);
    on(steps, LookFact.Held.class, (state, at, fact) -> state);
    on(steps, LookFact.Shell.class, (state, at, fact) -> state);
    on(steps, JobFact.LogBehind.class, (state, at, fact) -> state);
    on(steps, JobFact.LogCaughtUp.class, (state, at, fact) -> state);
    on(steps, CheckpointFact.NotKept.class, (state, at, fact) -> state);
    on(steps, GangFact.Waiting.class, (state, at, fact) -> state);
    for (Class<? extends Fact> type : Family.of(Fact.class)) {
      if (!steps.containsKey(type)) {
        throw new IllegalStateException("nobody says what " + type + " makes of a job");
      }
    }
    return steps;
  }

  private static <F extends Fact> void on(
      Map<Class<? extends Fact>, Change<Fact>> steps, Class<F> type, Change<F> step) {
    steps.put(type, (state, at, fact) -> step.apply(state, at, type.cast(fact)));
  }

  // ---- Containers ----

  private static JobState requested(JobState state, Instant at, List<String> roles) {
    TaskTable tasks = state.tasks();
    for (Task task : state.tasks()) {
      if (task.state() == TaskState.WAITING && roles.contains(task.id().role())) {
        tasks = tasks.with(task.requested(at));
      }
    }
    return state.with(tasks).in(Phase.ALLOCATING);
  }

  /** All that had not started is back to waiting. */
  private static JobState backedOff(JobState state) {
    TaskTable tasks = state.tasks();
    for (Task task : state.tasks()) {
      if (task.givesBack() || (task.state() == TaskState.REQUESTED && !task.alone())) {
        tasks = tasks.with(task.without(TaskState.WAITING));
      }
    }
    return state.with(state.gang().backedOff(tasks)).in(Phase.BACKING_OFF);
  }

  private static JobState allocated(JobState state, Instant at, TaskFact.Allocated fact) {
    Task task = task(state, fact);
    // Release 0.1.0 did not write it: YARN gives no less than was asked for.
    long asked = state.role(task).resource().memoryMiB();
    long memory = fact.memory() == null ? asked : fact.memory();
    return state
        .with(task.allocated(fact.container(), fact.node(), fact.log(), memory, at))
        .settled();
  }

  private static JobState registered(JobState state, TaskFact.Registered fact) {
    Task task = task(state, fact).registered(fact.endpoint(), fact.tensorBoardPort());
    JobState next = state.with(state.waitsForNobody(task) ? task.in(TaskState.RUNNING) : task);
    return whole(next);
  }

  /** Once every executor that is missed is there, what is lost from then on has another cause. */
  private static JobState whole(JobState state) {
    boolean complete = !state.misses(TaskState.REQUESTED) && !state.misses(TaskState.LAUNCHING);
    return complete ? state.with(state.gang().whole()) : state;
  }

  /** All that are registered have been told to start. */
  private static JobState running(JobState state) {
    TaskTable tasks = state.tasks();
    for (Task task : state.tasks()) {
      if (task.state() == TaskState.REGISTERED) {
        tasks = tasks.with(task.in(TaskState.RUNNING));
      }
    }
    return whole(state.with(tasks).in(Phase.RUNNING)); // it may run without what was missing
  }

  // ---- Tasks ----

  private static JobState listens(JobState state, TaskFact.TensorBoard fact) {
    return state.with(task(state, fact).showing(fact.url()));
  }

  private static JobState in(JobState state, TaskFact fact, TaskState next) {
    return state.with(task(state, fact).in(next));
  }

  /** Those that run miss it no longer, nor do those wait for it that are gathered. */
  private static JobState stopped(JobState state, TaskFact.Stopped fact) {
    JobState next = in(state, fact, TaskState.STOPPED).settled();
    return next.phase() == Phase.RUNNING ? whole(next) : next;
  }

  private static JobState begins(JobState state, Instant at, TaskFact.Started fact) {
    Task task = task(state, fact);
    return state.with(task.with(task.fault().beginning(at)));
  }

  private static JobState failed(JobState state, Instant at, TaskFact.Failed fact) {
    Task task = task(state, fact);
    boolean independent = state.role(task).retries() > 0;
    // Of others, what was lost and replaced since may be why they failed, whatever they said.
    int start = independent ? state.session() + task.retries() : state.gang().attempt();
    KeptSets sets = state.gang().kept();
    long kept = independent ? sets.numberOf(state.tasks().place(task.id())) : sets.number();
    Fault failed = task.started() ? task.fault().then(fact, start, at, kept) : Fault.NONE;
    Fault fault = TaskFailure.of(fact).ofTheContainer() ? failed.losing(fact) : failed;
    JobState next = state.with(task.in(TaskState.FAILED).with(fault));
    return next.with(next.gang().with(next.gang().incident().noting(fact)));
  }

  private static JobState succeeded(JobState state, TaskFact.Succeeded fact) {
    String params = fact.outputs().get(JobState.MODEL_PARAMS);
    JobState ended = in(state, fact, TaskState.SUCCEEDED);
    JobState next = ended.with(ended.gang().leaving(JobOutputs.size(fact.outputs())));
    return params == null ? next : next.withModelParams(params);
  }

  private static Task task(JobState state, TaskFact fact) {
    return state.tasks().get(fact.task());
  }

  // ---- Starts of their own, and of the gang ----

  private static JobState restarted(JobState before, Instant at, TaskFact.Restarted fact) {
    JobState state = Growth.applied(before, fact.task().role(), fact.memory());
    Task task = mended(state, task(state, fact));
    Task again = fact.kept() ? task.kept(fact.attempt(), at) : task.again(fact.attempt(), at);
    Task next = fact.payer() == Payer.ROLE ? again.aloneForItsRole() : again.alone(fact.alone());
    Loss loss = new Loss(fact.payer(), fact.kind(), fact.replaced());
    JobState paid = loss.paid(state, fact.left());
    JobState started = paid.with(paid.gang().nextAttempt(loss.counted(next))).settled();
    return started.with(started.gang().with(started.gang().incident().without(fact.task())));
  }

  /**
   * What had its container keeps it, what had ended is asked for again, what was done for others
   * stays done, and what waits for others that start again waits again.
   */
  private static JobState restarted(JobState before, Instant at, GangFact.Restarted fact) {
    JobState state = Growth.applied(before, fact.task().role(), fact.memory());
    Set<String> done = state.doneForGood(fact.task());
    Set<String> waiting = state.waitingAgain(fact.task());
    TaskTable tasks = state.tasks();
    for (Task task : state.tasks()) {
      boolean keeps = task.id().equals(fact.task()) && fact.keptFailed();
      Task again =
          waiting.contains(task.id().role())
              ? task.waitingAgain(fact.attempt())
              : switch (task.state()) {
                case WAITING -> task;
                case REQUESTED -> task.again(fact.attempt(), at);
                case LAUNCHING, REGISTERED, RUNNING ->
                    state.keepsContainer(task, at)
                        ? task.kept(fact.attempt(), at)
                        : task.again(fact.attempt(), at);
                case SUCCEEDED, FAILED, STOPPED ->
                    keeps
                        ? task.kept(fact.attempt(), at)
                        : done.contains(task.id().role()) ? task : task.again(fact.attempt(), at);
              };
      // Of the others nothing failed in the attempt that ends now.
      Fault fault = task.id().equals(fact.task()) ? mended(state, task).fault() : Fault.NONE;
      tasks = tasks.with(again.alone(false).with(fault));
    }
    // A failed task that stays lost its port at most: that takes no other with it.
    Loss loss = new Loss(fact.payer(), fact.kind(), !fact.keptFailed());
    tasks = tasks.with(loss.counted(tasks.get(fact.task())));
    JobState paid = loss.paid(state, fact.left());
    JobState next = paid.with(paid.gang().nextSession(fact.attempt(), tasks)).in(Phase.ALLOCATING);
    return FirstCauses.restarted(state, next, fact).settled();
  }

  /** A task that had too little memory may end in another way in a larger container. */
  private static Task mended(JobState state, Task task) {
    return Growth.fits(state, task) ? task : task.with(task.fault().withMoreMemory());
  }

  // ---- The job ----

  /** Time counts from its first ApplicationMaster. */
  private static JobState started(JobState state, Instant at) {
    return state.startedAt() == null ? state.startedAt(at) : state;
  }

  private static JobState avoids(JobState state, JobFact.NodeAvoided fact) {
    return state.with(state.clusterView().avoiding(fact.node(), fact.unfit()));
  }

  private static JobState forgives(JobState state) {
    return state.with(state.clusterView().forgiving());
  }

  private static JobState excuses(JobState state, String role) {
    return state.with(state.gang().excusing(role));
  }
}
