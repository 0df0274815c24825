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
 * The state of one task.
 *
 * @param attempt number of the task's current start, counted over all starts of the job's tasks
 * @param retries number of restarts alone that were charged to its role
 * @param losses number of losses, by kind, since all executors were registered last
 * @param failureStreak how the last attempts failed, unless a restart may fix the failure
 * @param alone true if the task starts without waiting for the others, which run meanwhile
 * @param inSameContainer true if the container is one of an earlier attempt and its executor has
 *     not registered again
 * @param container container id; empty before the allocation, as are {@code node} and {@code
 *     logUrl}
 * @param memoryMiB memory of the container in MiB; 0 before the allocation
 * @param endpoint last registered endpoint, which the other tasks know; null before the first
 *     registration
 * @param tensorBoardPort reserved TensorBoard port; 0 if none, and before the registration
 * @param tensorBoardUrl URL of the task's TensorBoard; empty until it listens
 * @param preemptionAnnouncedAt when YARN last announced that it will preempt the container; null if
 *     it did not
 * @param hangLocation code location of the program when it was ended because its gang hung; empty
 *     if it could not be determined, null if not reported
 * @param waitingSince when the container was requested or the executor's registration began to be
 *     awaited, whichever was last; null before the first request
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

  /** Returns a copy with the reported location of a hang. */
  Task withHangLocation(String location) {
    return copyInContainer(
        state, attempt, inSameContainer, endpoint, tensorBoardPort, tensorBoardUrl, location);
  }

  /** Returns a copy whose container YARN has announced to preempt. */
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

  /** Returns a copy without a container, in the given state. */
  Task withoutContainer(TaskState next) {
    return copyInOtherContainer(next, attempt, "", "", "", 0, null);
  }

  /** Returns a copy for a restart of the gang in which the task first waits for other roles. */
  Task waitingAgain(int nextAttempt) {
    return state == TaskState.WAITING
        ? this
        : copyInOtherContainer(TaskState.WAITING, nextAttempt, "", "", "", 0, null);
  }

  /** Returns a copy for a restart in another container, which is requested. */
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
   * Returns a copy as another task of the role in the same container, whose executor gets a command
   * to change.
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

  /** Copies the task in its current container. */
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
   * Copies the task into another container, or none; drops all that belonged to the old container.
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

  /** Copies the task with a new start of the wait for its container or executor. */
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

  /** Returns a copy that was restarted alone, charged to its role. */
  Task aloneChargedToRole() {
    return with(retries + 1, losses, failureStreak, true);
  }

  /** Returns a copy that was restarted alone or with the others, charged to the job. */
  Task withAlone(boolean nextAlone) {
    return with(retries, losses, failureStreak, nextAlone);
  }

  /** Returns a copy with one more loss of the kind. */
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

  /** Returns true if the program has been ordered to start. */
  boolean isRunning() {
    return state == TaskState.RUNNING;
  }

  /** Returns true if the task has a container and only waits for the other tasks. */
  boolean holdsIdleContainer() {
    return !alone && (state == TaskState.LAUNCHING || state == TaskState.REGISTERED);
  }

  /**
   * Returns true if YARN is expected to preempt the container. An announcement in the future, after
   * the clock was set back, counts as well.
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
