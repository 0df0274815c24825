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
 * @param fault how its last attempt failed, unless another start may mend that
 * @param alone it was started again while the others go on: it waits for nobody
 * @param kept its container is one of an earlier attempt, and its executor has not registered again
 * @param container empty before the allocation, as {@code node} and {@code log} are
 * @param memoryMiB of its container; 0 before the allocation
 * @param endpoint null before the first registration; afterwards the last one, which the others
 *     know
 * @param tensorBoardPort 0 where none is reserved in it, and before the registration
 * @param tensorBoardUrl where its TensorBoard listens; empty until one does
 * @param announced when YARN announced last that it takes the container; null where it did not
 * @param stands where its program stood that was ended because its gang hung, empty where that
 *     could not be seen; null where it did not tell
 * @param since when its container was asked for, or from when on its executor is expected to
 *     register, whichever was last; null before the first
 */
public record Task(
    TaskId id,
    TaskState state,
    int attempt,
    int retries,
    Map<FailureKind, Integer> losses,
    Fault fault,
    boolean alone,
    boolean kept,
    String container,
    String node,
    String log,
    long memoryMiB,
    Endpoint endpoint,
    int tensorBoardPort,
    String tensorBoardUrl,
    Instant announced,
    String stands,
    Instant since) {

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
        Fault.NONE,
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

  Task in(TaskState next) {
    return here(next, attempt, kept, endpoint, tensorBoardPort, tensorBoardUrl, stands);
  }

  Task allocated(String container, String node, String log, long memoryMiB, Instant at) {
    return elsewhere(TaskState.LAUNCHING, attempt, container, node, log, memoryMiB, endpoint)
        .since(at);
  }

  Task registered(Endpoint endpoint, int tensorBoardPort) {
    return here(TaskState.REGISTERED, attempt, false, endpoint, tensorBoardPort, "", null)
        .with(fault.beginning(null));
  }

  /** With a TensorBoard that listens. */
  Task showing(String url) {
    return here(state, attempt, kept, endpoint, tensorBoardPort, url, stands);
  }

  /** Its gang hangs, and it has told where it stands. */
  Task standing(String where) {
    return here(state, attempt, kept, endpoint, tensorBoardPort, tensorBoardUrl, where);
  }

  /** YARN has announced that it takes the container. */
  Task announced(Instant at) {
    return new Task(
        id,
        state,
        attempt,
        retries,
        losses,
        fault,
        alone,
        kept,
        container,
        node,
        log,
        memoryMiB,
        endpoint,
        tensorBoardPort,
        tensorBoardUrl,
        at,
        stands,
        since);
  }

  /** Without its container: it waits, or is asked for. */
  Task without(TaskState next) {
    return elsewhere(next, attempt, "", "", "", 0, null);
  }

  /** Its gang starts again, and it waits for others first. */
  Task waitingAgain(int nextAttempt) {
    return state == TaskState.WAITING
        ? this
        : elsewhere(TaskState.WAITING, nextAttempt, "", "", "", 0, null);
  }

  /** Started again in another container, which is asked for. */
  Task again(int nextAttempt, Instant at) {
    return elsewhere(TaskState.REQUESTED, nextAttempt, "", "", "", 0, endpoint).since(at);
  }

  /** It waits no longer, and is asked for. */
  Task requested(Instant at) {
    return in(TaskState.REQUESTED).since(at);
  }

  /** Started again in the container that it has, by the executor that is there. */
  Task kept(int nextAttempt, Instant at) {
    return here(TaskState.LAUNCHING, nextAttempt, true, endpoint, 0, "", null).since(at);
  }

  /** In this container, as another task of its role: its executor is told so. */
  Task movedTo(TaskId other, int nextAttempt, Instant at) {
    boolean stays = kept || state == TaskState.REGISTERED;
    return new Task(
        other,
        TaskState.LAUNCHING,
        nextAttempt,
        retries,
        losses,
        Fault.NONE,
        false,
        stays,
        container,
        node,
        log,
        memoryMiB,
        endpoint,
        0,
        "",
        announced,
        null,
        at);
  }

  /** In the container that it has. */
  private Task here(
      TaskState state,
      int attempt,
      boolean kept,
      Endpoint endpoint,
      int tensorBoardPort,
      String tensorBoardUrl,
      String stands) {
    return new Task(
        id,
        state,
        attempt,
        retries,
        losses,
        fault,
        alone,
        kept,
        container,
        node,
        log,
        memoryMiB,
        endpoint,
        tensorBoardPort,
        tensorBoardUrl,
        announced,
        stands,
        since);
  }

  /** In another container, or in none yet: whatever was in the last one is gone. */
  private Task elsewhere(
      TaskState state,
      int attempt,
      String container,
      String node,
      String log,
      long memoryMiB,
      Endpoint endpoint) {
    return new Task(
        id, state, attempt, retries, losses, fault, alone, false, container, node, log, memoryMiB,
        endpoint, 0, "", null, null, since);
  }

  /** Its container, or then its executor, is waited for from now on. */
  private Task since(Instant at) {
    return new Task(
        id,
        state,
        attempt,
        retries,
        losses,
        fault,
        alone,
        kept,
        container,
        node,
        log,
        memoryMiB,
        endpoint,
        tensorBoardPort,
        tensorBoardUrl,
        announced,
        stands,
        at);
  }

  /** Started again by itself, at the expense of its role. */
  Task aloneForItsRole() {
    return with(retries + 1, losses, fault, true);
  }

  /** Started again by itself or with the others, at the expense of the job. */
  Task alone(boolean nextAlone) {
    return with(retries, losses, fault, nextAlone);
  }

  /** Lost once more, since every executor was there last. */
  Task lost(FailureKind kind) {
    Map<FailureKind, Integer> next = new EnumMap<>(FailureKind.class);
    next.putAll(losses);
    next.merge(kind, 1, Integer::sum);
    return with(retries, next, fault, alone);
  }

  /** Every executor is there again. */
  Task withoutLosses() {
    return with(retries, Map.of(), fault, alone);
  }

  /** With how its last attempt failed. */
  Task with(Fault next) {
    return next.equals(fault) ? this : with(retries, losses, next, alone);
  }

  private Task with(
      int nextRetries, Map<FailureKind, Integer> nextLosses, Fault nextFault, boolean nextAlone) {
    return new Task(
        id,
        state,
        attempt,
        nextRetries,
        nextLosses,
        nextFault,
        nextAlone,
        kept,
        container,
        node,
        log,
        memoryMiB,
        endpoint,
        tensorBoardPort,
        tensorBoardUrl,
        announced,
        stands,
        since);
  }

  /** True when its program has been told to start. */
  boolean started() {
    return state == TaskState.RUNNING;
  }

  /** True while it only waits for the others, in a container that they could be waiting for. */
  boolean givesBack() {
    return !alone && (state == TaskState.LAUNCHING || state == TaskState.REGISTERED);
  }

  /** Whether YARN is expected to take its container. A clock that was set back changes nothing. */
  boolean isPreempted(JobLimits limits, Instant now) {
    return announced != null
        && Duration.between(announced, now).compareTo(limits.asking().counts()) < 0;
  }

  TaskKey key() {
    return new TaskKey(id, attempt, container);
  }
}
