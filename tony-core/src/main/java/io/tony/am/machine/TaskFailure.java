package io.tony.am.machine;

import io.tony.event.TaskFact;
import io.tony.model.FailureKind;
import io.tony.model.JobLimits;

/**
 * Why one task failed.
 *
 * @param message the failure, for people
 * @param exitCode exit code of the user's program; null if the program did not end by itself
 * @param stderr last lines of the program's stderr; empty if none
 * @param progress last line of the task's own progress; empty if none
 * @param blameless true if the program lost its port to another process, or its checkpoint was
 *     missing or damaged: neither the user nor the node is to blame
 * @param hung true if the program showed no sign of life. Others may wait for the program, or the
 *     program for others.
 */
record TaskFailure(
    FailureKind kind,
    String message,
    Integer exitCode,
    String stderr,
    String progress,
    boolean blameless,
    boolean hung) {

  /** A failure of a container, not of its program. */
  private TaskFailure(FailureKind kind, String message) {
    this(kind, message, null, "", "", false, false);
  }

  /** A failure of a program, as reported by its executor. */
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

  /**
   * Highest signal number of Linux. A higher code is an exit code: a program that exits with -1 has
   * code 255.
   */
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

  /** Returns the failure that the log records. */
  static TaskFailure of(TaskFact.Failed fact) {
    return new TaskFailure(
        fact.kind(), fact.message(), fact.exitCode(), fact.stderr(), "", false, false);
  }

  static TaskFailure of(Task task, Event.ContainerEnded ended) {
    return new TaskFailure(
        ended.cause(), task.id() + " on " + task.node() + ": " + ended.message());
  }

  /**
   * Returns the failure of an executor that ended before registration. Its exit does not matter: a
   * task without an endpoint leaves the gang incomplete.
   */
  static TaskFailure beforeRegistration(Task task) {
    return lost(task, "ended before it had registered");
  }

  /** Returns a failed preflight. {@code problem} is the output of the check. */
  static TaskFailure preflightFailed(Task task, String problem) {
    return lost(task, "failed the preflight: " + problem);
  }

  /** Returns the failure of an executor that has not registered in time. */
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

  /**
   * Returns the loss of a task during a change of ApplicationMasters. {@code end} is YARN's report
   * about the container; null if there is none.
   */
  static TaskFailure lostWithMaster(Task task, Event.ContainerEnd end) {
    return end == null
        ? lost(task, "was lost together with the ApplicationMaster")
        : new TaskFailure(end.cause(), task.id() + " on " + task.node() + ": " + end.message());
  }

  private static TaskFailure lost(Task task, String problem) {
    return new TaskFailure(FailureKind.LOST, task.id() + " on " + task.node() + " " + problem);
  }

  /** Returns this failure as the consequence of a signal that asked for a checkpoint. */
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

  /**
   * Returns true if YARN took the container together with an ApplicationMaster. Neither the job nor
   * the node is to blame.
   */
  boolean isMasterLoss() {
    return kind == FailureKind.AM_LOST;
  }

  /** Returns true for failures of the program, which are charged to its user. */
  boolean isProgramFailure() {
    return switch (kind) {
      case PROGRAM, MEMORY -> true;
      case LOST, PREEMPTED, INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> false;
    };
  }

  /** Returns true if the container is gone, whatever its program did. */
  boolean isContainerLoss() {
    return switch (kind) {
      case LOST, PREEMPTED, AM_LOST -> true;
      case PROGRAM, MEMORY, INVALID, TIMEOUT, KILLED, RESIZED -> false;
    };
  }

  /** Returns false for failures that would occur again. */
  boolean isRetriable() {
    return switch (kind) {
      case PROGRAM, LOST, PREEMPTED, MEMORY -> true;
      case INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> false;
    };
  }

  /** Returns the fact for the log. */
  TaskFact.Failed toFact(JobState state, Task task) {
    String step = task.isRunning() ? RepeatedFailures.step(state, task, progress) : "";
    return new TaskFact.Failed(
        task.id(), kind, message, exitCode, stderr, step, task.node(), task.logUrl());
  }
}
