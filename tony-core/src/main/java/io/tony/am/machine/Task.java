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
 * What the machine knows of one task.
 *
 * @param attempt number of its present start, counted through the whole job
 * @param retries how often it was started again by itself at the expense of its role
 * @param losses how often it was lost since every executor was there last, by kind
 * @param failureStreak how its last attempt failed, unless another start may mend that
 * @param alone it was started again while the others go on: it waits for nobody
 * @param inSameContainer its container is one of an earlier attempt, and its executor has not
 *     registered again
 * @param container empty before the allocation, as {@code node} and {@code log} are
 * @param memoryMiB of its container; 0 before the allocation
 * @param endpoint null before the first registration; afterwards the last one, which the others
 *     know
 * @param tensorBoardPort 0 where none is reserved in it, and before the registration
 * @param tensorBoardUrl where its TensorBoard listens; empty until one does
 * @param preemptionAnnouncedAt when YARN announced last that it takes the container; null where it
 *     did not
 * @param hangLocation where its program stood that was ended because its gang hung, empty where
 *     that could not be seen; null where it did not tell
 * @param waitingSince when its container was asked for, or from when on its executor is expected to
 *     register, whichever was last; null before the first
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
        .waitingSince(at);
  }

  Task registered(Endpoint endpoint, int tensorBoardPort) {
    return copyInContainer(
            TaskState.REGISTERED, attempt, false, endpoint, tensorBoardPort, "", null)
        .with(failureStreak.withProgramStart(null));
  }

  /** With a TensorBoard that listens. */
  Task withTensorBoard(String url) {
    return copyInContainer(
        state, attempt, inSameContainer, endpoint, tensorBoardPort, url, hangLocation);
  }

  /** Its gang hangs, and it has told where it stands. */
  Task withHangLocation(String location) {
    return copyInContainer(
        state, attempt, inSameContainer, endpoint, tensorBoardPort, tensorBoardUrl, location);
  }

  /** YARN has announced that it takes the container. */
  Task preemptionAnnouncedAt(Instant at) {
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

  /** Without its container: it waits, or is asked for. */
  Task withoutContainer(TaskState next) {
    return copyInOtherContainer(next, attempt, "", "", "", 0, null);
  }

  /** Its gang starts again, and it waits for others first. */
  Task waitingAgain(int nextAttempt) {
    return state == TaskState.WAITING
        ? this
        : copyInOtherContainer(TaskState.WAITING, nextAttempt, "", "", "", 0, null);
  }

  /** Started again in another container, which is asked for. */
  Task requestedAgain(int nextAttempt, Instant at) {
    return copyInOtherContainer(TaskState.REQUESTED, nextAttempt, "", "", "", 0, endpoint)
        .waitingSince(at);
  }

  /** It waits no longer, and is asked for. */
  Task requested(Instant at) {
    return withState(TaskState.REQUESTED).waitingSince(at);
  }

  /** Started again in the container that it has, by the executor that is there. */
  Task inSameContainer(int nextAttempt, Instant at) {
    return copyInContainer(TaskState.LAUNCHING, nextAttempt, true, endpoint, 0, "", null)
        .waitingSince(at);
  }

  /** In this container, as another task of its role: its executor is told so. */
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

  /** In the container that it has. */
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

  /** In another container, or in none yet: whatever was in the last one is gone. */
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

  /** Its container, or then its executor, is waited for from now on. */
  private Task waitingSince(Instant at) {
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

  /** Started again by itself, at the expense of its role. */
  Task aloneChargedToRole() {
    return with(retries + 1, losses, failureStreak, true);
  }

  /** Started again by itself or with the others, at the expense of the job. */
  Task alone(boolean nextAlone) {
    return with(retries, losses, failureStreak, nextAlone);
  }

  /** Lost once more, since every executor was there last. */
  Task withLoss(FailureKind kind) {
    Map<FailureKind, Integer> next = new EnumMap<>(FailureKind.class);
    next.putAll(losses);
    next.merge(kind, 1, Integer::sum);
    return with(retries, next, failureStreak, alone);
  }

  /** Every executor is there again. */
  Task withoutLosses() {
    return with(retries, Map.of(), failureStreak, alone);
  }

  /** With how its last attempt failed. */
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

  /** True when its program has been told to start. */
  boolean started() {
    return state == TaskState.RUNNING;
  }

  /** True while it only waits for the others, in a container that they could be waiting for. */
  boolean holdsIdleContainer() {
    return !alone && (state == TaskState.LAUNCHING || state == TaskState.REGISTERED);
  }

  /** Whether YARN is expected to take its container. A clock that was set back changes nothing. */
  boolean isPreempted(JobLimits limits, Instant now) {
    return preemptionAnnouncedAt != null
        && Duration.between(preemptionAnnouncedAt, now)
                .compareTo(limits.checkpointRequests().validity())
            < 0;
  }

  TaskKey key() {
    return new TaskKey(id, attempt, container);
  }
}
