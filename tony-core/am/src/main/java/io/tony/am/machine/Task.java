package io.tony.am.machine;

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
    Endpoint endpoint,
    int tensorBoardPort,
    String tensorBoardUrl,
    Instant preemptionAnnouncedAt,
    String hangLocation,
    Instant waitingSince) {

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
    return copyInContainer(
        next, attempt, inSameContainer, endpoint, tensorBoardPort, tensorBoardUrl, hangLocation);
  }

  Task allocated(String container, String node, String logUrl, long memoryMiB, Instant at) {
    return copyInOtherContainer(
            TaskState.LAUNCHING, attempt, container, node, logUrl, memoryMiB, endpoint)
        .withWaitingSince(at);
  }

  Task registered(Endpoint endpoint, int tensorBoardPort) {
    return copyInContainer(
            TaskState.REGISTERED, attempt, false, endpoint, tensorBoardPort, "", null)
        .with(failureStreak.withProgramStart(null));
  }

  /** Returns a copy whose TensorBoard listens at the URL. */
  Task withTensorBoard(String url) {
    return copyInContainer(
        state, attempt, inSameContainer, endpoint, tensorBoardPort, url, hangLocation);
  }

  /** Returns a copy with the reported code location where the program hung. */
  Task withHangLocation(String location) {
    return copyInContainer(
        state, attempt, inSameContainer, endpoint, tensorBoardPort, tensorBoardUrl, location);
  }

  /** Returns a copy for whose container YARN has announced a preemption. */
  Task withPreemptionAnnouncedAt(Instant at) {
    return new Task(
        id,
        state,
        attempt,
        retries,
        losses,
        failureStreak,
        alone,
        inSameContainer,
        container,
        node,
        logUrl,
        memoryMiB,
        endpoint,
        tensorBoardPort,
        tensorBoardUrl,
        at,
        hangLocation,
        waitingSince);
  }

  /** Returns a copy in this state without a container. */
  Task withoutContainer(TaskState next) {
    return copyInOtherContainer(next, attempt, "", "", "", 0, null);
  }

  /**
   * Returns a copy for a restart of the gang in which the task's role first waits for other roles.
   */
  Task waitingAgain(int nextAttempt) {
    return state == TaskState.WAITING
        ? this
        : copyInOtherContainer(TaskState.WAITING, nextAttempt, "", "", "", 0, null);
  }

  /** Returns a copy for a restart in another container, which is being requested. */
  Task requestedAgain(int nextAttempt, Instant at) {
    return copyInOtherContainer(TaskState.REQUESTED, nextAttempt, "", "", "", 0, endpoint)
        .withWaitingSince(at);
  }

  /** Returns a copy whose container is requested. */
  Task requested(Instant at) {
    return withState(TaskState.REQUESTED).withWaitingSince(at);
  }

  /** Returns a copy for a restart in the current container by the current executor. */
  Task restartedInSameContainer(int nextAttempt, Instant at) {
    return copyInContainer(TaskState.LAUNCHING, nextAttempt, true, endpoint, 0, "", null)
        .withWaitingSince(at);
  }

  /**
   * Returns a copy with the id of another task of the role, for the same container and executor.
   * The executor must be ordered to change its task.
   */
  Task movedTo(TaskId other, int nextAttempt, Instant at) {
    boolean sameContainer = inSameContainer || state == TaskState.REGISTERED;
    return new Task(
        other,
        TaskState.LAUNCHING,
        nextAttempt,
        retries,
        losses,
        FailureStreak.NONE,
        false,
        sameContainer,
        container,
        node,
        logUrl,
        memoryMiB,
        endpoint,
        0,
        "",
        preemptionAnnouncedAt,
        null,
        at);
  }

  /** Returns a copy with these values, in the same container. */
  private Task copyInContainer(
      TaskState state,
      int attempt,
      boolean inSameContainer,
      Endpoint endpoint,
      int tensorBoardPort,
      String tensorBoardUrl,
      String hangLocation) {
    return new Task(
        id,
        state,
        attempt,
        retries,
        losses,
        failureStreak,
        alone,
        inSameContainer,
        container,
        node,
        logUrl,
        memoryMiB,
        endpoint,
        tensorBoardPort,
        tensorBoardUrl,
        preemptionAnnouncedAt,
        hangLocation,
        waitingSince);
  }

  /**
   * Returns a copy in another container, or in none. Drops everything that belonged to the previous
   * container.
   */
  private Task copyInOtherContainer(
      TaskState state,
      int attempt,
      String container,
      String node,
      String logUrl,
      long memoryMiB,
      Endpoint endpoint) {
    return new Task(
        id,
        state,
        attempt,
        retries,
        losses,
        failureStreak,
        alone,
        false,
        container,
        node,
        logUrl,
        memoryMiB,
        endpoint,
        0,
        "",
        null,
        null,
        waitingSince);
  }

  /** Returns a copy whose wait for its container or executor begins at this time. */
  private Task withWaitingSince(Instant at) {
    return new Task(
        id,
        state,
        attempt,
        retries,
        losses,
        failureStreak,
        alone,
        inSameContainer,
        container,
        node,
        logUrl,
        memoryMiB,
        endpoint,
        tensorBoardPort,
        tensorBoardUrl,
        preemptionAnnouncedAt,
        hangLocation,
        at);
  }

  /** Returns a copy that restarts alone, charged to the role's retries. */
  Task aloneChargedToRole() {
    return with(retries + 1, losses, failureStreak, true);
  }

  /**
   * Returns a copy whose next start costs no retry of the role.
   *
   * @param nextAlone true if the program starts without waiting for the other tasks; false if it
   *     starts with the gang
   */
  Task withAlone(boolean nextAlone) {
    return with(retries, losses, failureStreak, nextAlone);
  }

  /** Returns a copy with one more loss of this kind. */
  Task withLoss(FailureKind kind) {
    Map<FailureKind, Integer> next = new EnumMap<>(FailureKind.class);
    next.putAll(losses);
    next.merge(kind, 1, Integer::sum);
    return with(retries, next, failureStreak, alone);
  }

  /** Returns a copy without losses, because all executors are registered again. */
  Task withoutLosses() {
    return with(retries, Map.of(), failureStreak, alone);
  }

  /** Returns a copy with another failure streak. */
  Task with(FailureStreak next) {
    return next.equals(failureStreak) ? this : with(retries, losses, next, alone);
  }

  private Task with(
      int nextRetries,
      Map<FailureKind, Integer> nextLosses,
      FailureStreak nextStreak,
      boolean nextAlone) {
    return new Task(
        id,
        state,
        attempt,
        nextRetries,
        nextLosses,
        nextStreak,
        nextAlone,
        inSameContainer,
        container,
        node,
        logUrl,
        memoryMiB,
        endpoint,
        tensorBoardPort,
        tensorBoardUrl,
        preemptionAnnouncedAt,
        hangLocation,
        waitingSince);
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
}
