package io.tony.am.machine;

import io.tony.event.TaskFact;
import io.tony.model.FailureKind;
import io.tony.model.JobLimits;

/**
 * Why one task failed, in words for a person.
 *
 * @param exitCode of the user's program; null when it did not end by itself
 * @param stderr the last lines of its stderr; empty when there is none
 * @param progress the last line of its own progress; empty when there is none
 * @param blameless it lost its port to another process, or its checkpoint was gone or damaged:
 *     nobody's fault, and not its node's either
 * @param hung it showed no sign of life: others may wait for it, or it for them
 */
record TaskFailure(
    FailureKind kind,
    String message,
    Integer exitCode,
    String stderr,
    String progress,
    boolean blameless,
    boolean hung) {

  /** One of a container, not of its program. */
  private TaskFailure(FailureKind kind, String message) {
    this(kind, message, null, "", "", false, false);
  }

  /** What the executor told of the program's end. */
  private TaskFailure(
      FailureKind kind, String message, Integer exitCode, Event.Exit exit, boolean blameless) {
    this(
        kind,
        message,
        exitCode,
        exit.stderr(),
        exit.progress(),
        blameless,
        !exit.timedOut() && !exit.executorMessage().isEmpty() && exit.hangLocation() != null);
  }

  /** Linux has signals 1 to 64; a program that exits with -1 has code 255. */
  private static final int MAX_SIGNAL = 64;

  static TaskFailure of(Task task, Event.Exit exit) {
    if (exit.timedOut()) {
      return new TaskFailure(
          FailureKind.TIMEOUT, task.id() + " " + exit.executorMessage(), null, exit, false);
    }
    if (exit.checkpointUnusable()) {
      return new TaskFailure(
          FailureKind.LOST, task.id() + ": " + exit.executorMessage(), null, exit, true);
    }
    if (!exit.executorMessage().isEmpty()) {
      return new TaskFailure(
          FailureKind.PROGRAM, task.id() + ": " + exit.executorMessage(), null, exit, false);
    }
    String ending =
        exit.code() > 128 && exit.code() <= 128 + MAX_SIGNAL
            ? " was ended by signal " + (exit.code() - 128) + " (exit code " + exit.code() + ")"
            : " exited with code " + exit.code();
    if (exit.portTaken()) {
      return new TaskFailure(
          FailureKind.LOST,
          task.id() + ending + ": another process holds a port that it was to listen on",
          exit.code(),
          exit,
          true);
    }
    return new TaskFailure(FailureKind.PROGRAM, task.id() + ending, exit.code(), exit, false);
  }

  /** What the log says of it. */
  static TaskFailure of(TaskFact.Failed fact) {
    return new TaskFailure(
        fact.kind(), fact.message(), fact.exitCode(), fact.stderr(), "", false, false);
  }

  static TaskFailure of(Task task, Event.ContainerEnded ended) {
    return new TaskFailure(
        ended.cause(), task.id() + " on " + task.node() + ": " + ended.message());
  }

  /** Whatever its exit says: a task without an endpoint leaves the gang incomplete. */
  static TaskFailure beforeRegistration(Task task) {
    return lost(task, "ended before it had registered");
  }

  /** What its container lacks, in the words of the check. */
  static TaskFailure preflightFailed(Task task, String problem) {
    return lost(task, "failed the preflight: " + problem);
  }

  /** Its executor has not registered in time. */
  static TaskFailure notRegistered(Task task, JobLimits limits) {
    return lost(
        task,
        "did not register within "
            + limits.registration().toMillis()
            + " ms (tony.container.registration.timeout)");
  }

  static TaskFailure heartbeatTimedOut(Task task, JobLimits limits) {
    return lost(
        task,
        "was not heard of for "
            + limits.heartbeatInterval().multipliedBy(limits.maxMissedHeartbeats()).toMillis()
            + " ms (tony.task.max-missed-heartbeats × tony.task.heartbeat-interval-ms)");
  }

  /** {@code end} is what YARN says of its container; null where it says nothing. */
  static TaskFailure lostWithMaster(Task task, Event.ContainerEnd end) {
    return end == null
        ? lost(task, "was lost together with the ApplicationMaster")
        : new TaskFailure(end.cause(), task.id() + " on " + task.node() + ": " + end.message());
  }

  private static TaskFailure lost(Task task, String problem) {
    return new TaskFailure(FailureKind.LOST, task.id() + " on " + task.node() + " " + problem);
  }

  /** The same of a program that ended when it was asked for a checkpoint by a signal. */
  TaskFailure afterSignal() {
    return new TaskFailure(
        FailureKind.PREEMPTED,
        message + ", after it was asked for a checkpoint by a signal",
        exitCode,
        stderr,
        progress,
        false,
        false);
  }

  /** True for what YARN took with an ApplicationMaster: nobody is to blame, and no node. */
  boolean isMasterLoss() {
    return kind == FailureKind.AM_LOST;
  }

  /** True for what the program did, which is charged to its user. */
  boolean isProgramFailure() {
    return switch (kind) {
      case PROGRAM, MEMORY -> true;
      case LOST, PREEMPTED, INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> false;
    };
  }

  /** True where the container is gone, whatever its program did. */
  boolean isContainerLoss() {
    return switch (kind) {
      case LOST, PREEMPTED, AM_LOST -> true;
      case PROGRAM, MEMORY, INVALID, TIMEOUT, KILLED, RESIZED -> false;
    };
  }

  /** False for what would only happen again. */
  boolean isRetriable() {
    return switch (kind) {
      case PROGRAM, LOST, PREEMPTED, MEMORY -> true;
      case INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> false;
    };
  }

  /** What the log says of it. */
  TaskFact.Failed toFact(JobState state, Task task) {
    String step = task.started() ? RepeatedFailures.step(state, task, progress) : "";
    return new TaskFact.Failed(
        task.id(), kind, message, exitCode, stderr, step, task.node(), task.logUrl());
  }
}
