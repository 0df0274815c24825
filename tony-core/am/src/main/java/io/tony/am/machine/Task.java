package io.tony.am.machine;

import io.soabase.recordbuilder.core.RecordBuilder;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobLimits;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of one task. Immutable.
 *
 * @param attempt number of the task's current attempt; the attempts of all tasks are numbered
 *     together
 * @param retries number of restarts that were charged to the role's retries
 * @param losses number of losses by failure kind, since all executors were registered last
 * @param failureStreak successive failures of the task that are alike; {@link FailureStreak#NONE}
 *     if the last one may be fixed by a restart
 * @param alone true if the program starts without waiting for the other tasks, while they run
 * @param inSameContainer true if the executor of an earlier attempt has been ordered to restart in
 *     its container and has not registered again
 * @param container id of the container; empty before a container is allocated, as are {@code node}
 *     and {@code logUrl}
 * @param memoryMiB memory of the container in MiB; 0 before the allocation
 * @param endpoint host and port that the task registered last, as the other tasks know them; null
 *     before the first registration
 * @param tensorBoardPort port reserved for TensorBoard; 0 if none, and before the registration
 * @param tensorBoardUrl URL of the task's TensorBoard; empty until it listens
 * @param preemptionAnnouncedAt when YARN last announced that it will preempt the container; null if
 *     it did not
 * @param hangLocation where the program was in its code when it was ended because its gang hung;
 *     empty if that could not be determined, null if it was not reported
 * @param waitingSince when the container was requested or the wait for the executor's registration
 *     began, whichever was later; null before the first request
 */
@RecordBuilder
public record Task(
    TaskId id,
    TaskState state,
    int attempt,
    int retries,
    Map<FailureKind, Integer> losses,
    FailureStreak failureStreak,
    boolean alone,
    boolean inSameContainer,
    String container,
    String node,
    String logUrl,
    long memoryMiB,
    @Nullable Endpoint endpoint,
    int tensorBoardPort,
    String tensorBoardUrl,
    @Nullable Instant preemptionAnnouncedAt,
    @Nullable String hangLocation,
    @Nullable Instant waitingSince) {

  public Task {
    losses = Map.copyOf(losses);
  }

  static Task waiting(TaskId id) {
    return new Task(
        id,
        TaskState.WAITING,
        0,
        0,
        Map.of(),
        FailureStreak.NONE,
        false,
        false,
        "",
        "",
        "",
        0,
        null,
        0,
        "",
        null,
        null,
        null);
  }

  Task withState(TaskState next) {
    return toBuilder().state(next).build();
  }

  Task allocated(String container, String node, String logUrl, long memoryMiB, Instant at) {
    return toBuilderInOtherContainer(TaskState.LAUNCHING, attempt)
        .container(container)
        .node(node)
        .logUrl(logUrl)
        .memoryMiB(memoryMiB)
        .waitingSince(at)
        .build();
  }

  Task registered(Endpoint endpoint, int tensorBoardPort) {
    return toBuilder()
        .state(TaskState.REGISTERED)
        .failureStreak(failureStreak.withProgramStart(null))
        .inSameContainer(false)
        .endpoint(endpoint)
        .tensorBoardPort(tensorBoardPort)
        .tensorBoardUrl("")
        .hangLocation(null)
        .build();
  }

  /** Returns a copy whose TensorBoard listens at the URL. */
  Task withTensorBoard(String url) {
    return toBuilder().tensorBoardUrl(url).build();
  }

  /** Returns a copy with the reported code location where the program hung. */
  Task withHangLocation(String location) {
    return toBuilder().hangLocation(location).build();
  }

  /** Returns a copy for whose container YARN has announced a preemption. */
  Task withPreemptionAnnouncedAt(Instant at) {
    return toBuilder().preemptionAnnouncedAt(at).build();
  }

  /** Returns a copy in this state without a container. */
  Task withoutContainer(TaskState next) {
    return toBuilderInOtherContainer(next, attempt).endpoint(null).build();
  }

  /**
   * Returns a copy for a restart of the gang in which the task's role first waits for other roles.
   */
  Task waitingAgain(int nextAttempt) {
    return state == TaskState.WAITING
        ? this
        : toBuilderInOtherContainer(TaskState.WAITING, nextAttempt).endpoint(null).build();
  }

  /** Returns a copy for a restart in another container, which is being requested. */
  Task requestedAgain(int nextAttempt, Instant at) {
    return toBuilderInOtherContainer(TaskState.REQUESTED, nextAttempt).waitingSince(at).build();
  }

  /** Returns a copy whose container is requested. */
  Task requested(Instant at) {
    return toBuilder().state(TaskState.REQUESTED).waitingSince(at).build();
  }

  /** Returns a copy for a restart in the current container by the current executor. */
  Task restartedInSameContainer(int nextAttempt, Instant at) {
    return toBuilder()
        .state(TaskState.LAUNCHING)
        .attempt(nextAttempt)
        .inSameContainer(true)
        .tensorBoardPort(0)
        .tensorBoardUrl("")
        .hangLocation(null)
        .waitingSince(at)
        .build();
  }

  /**
   * Returns a copy with the id of another task of the role, for the same container and executor.
   * The executor must be ordered to change its task.
   */
  Task movedTo(TaskId other, int nextAttempt, Instant at) {
    boolean sameContainer = inSameContainer || state == TaskState.REGISTERED;
    return toBuilder()
        .id(other)
        .state(TaskState.LAUNCHING)
        .attempt(nextAttempt)
        .failureStreak(FailureStreak.NONE)
        .alone(false)
        .inSameContainer(sameContainer)
        .tensorBoardPort(0)
        .tensorBoardUrl("")
        .hangLocation(null)
        .waitingSince(at)
        .build();
  }

  /** Returns a copy that restarts alone, charged to the role's retries. */
  Task aloneChargedToRole() {
    return toBuilder().retries(retries + 1).alone(true).build();
  }

  /**
   * Returns a copy whose next start costs no retry of the role.
   *
   * @param nextAlone true if the program starts without waiting for the other tasks; false if it
   *     starts with the gang
   */
  Task withAlone(boolean nextAlone) {
    return toBuilder().alone(nextAlone).build();
  }

  /** Returns a copy with one more loss of this kind. */
  Task withLoss(FailureKind kind) {
    Map<FailureKind, Integer> next = new EnumMap<>(FailureKind.class);
    next.putAll(losses);
    next.merge(kind, 1, Integer::sum);
    return toBuilder().losses(next).build();
  }

  /** Returns a copy without losses, because all executors are registered again. */
  Task withoutLosses() {
    return toBuilder().losses(Map.of()).build();
  }

  /** Returns a copy with another failure streak. */
  Task with(FailureStreak next) {
    return next.equals(failureStreak) ? this : toBuilder().failureStreak(next).build();
  }

  /** Returns true if the program has been ordered to start and its end is not reported. */
  boolean isRunning() {
    return state == TaskState.RUNNING;
  }

  /**
   * Returns true if the task has a container in which no program runs, because the gang's start
   * waits for other tasks.
   */
  boolean holdsIdleContainer() {
    return !alone && (state == TaskState.LAUNCHING || state == TaskState.REGISTERED);
  }

  /**
   * Returns true if YARN has announced a preemption of the container and the announcement is still
   * valid. One that seems to lie in the future, because the clock was set back, counts as well.
   */
  boolean isPreemptionExpected(JobLimits limits, Instant now) {
    return preemptionAnnouncedAt != null
        && Duration.between(preemptionAnnouncedAt, now)
                .compareTo(limits.checkpointRequests().validity())
            < 0;
  }

  TaskKey key() {
    return new TaskKey(id, attempt, container);
  }

  /**
   * Returns a builder for a copy in another container, or in none. Drops everything that belonged
   * to the previous container, except the endpoint.
   */
  private TaskBuilder toBuilderInOtherContainer(TaskState state, int attempt) {
    return toBuilder()
        .state(state)
        .attempt(attempt)
        .inSameContainer(false)
        .container("")
        .node("")
        .logUrl("")
        .memoryMiB(0)
        .tensorBoardPort(0)
        .tensorBoardUrl("")
        .preemptionAnnouncedAt(null)
        .hangLocation(null);
  }

  private TaskBuilder toBuilder() {
    return TaskBuilder.toBuilder(this);
  }
}
