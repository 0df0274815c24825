package io.tony.am.machine;

import io.tony.event.TaskFact;
import io.tony.model.FailureKind;
import io.tony.model.JobLimits;
import org.jspecify.annotations.Nullable;

/**
 * Why a task failed.
 *
 * @param message what happened, for people
 * @param exitCode exit code of the program; null if the program did not end by itself
 * @param stderr last lines of the program's stderr; empty if none
 * @param progress last progress line of the task's program; empty if none
 * @param blameless true if neither the user nor the node is to blame: another process held the
 *     program's port, or its checkpoint was missing or damaged
 * @param hung true if the program was ended because it showed no sign of life. The program may have
 *     waited for another one, or another one for it.
 */
record TaskFailure(
    FailureKind kind,
    String message,
    @Nullable Integer exitCode,
    String stderr,
    String progress,
    boolean blameless,
    boolean hung) {

  /** Creates the failure of a container. */
  private TaskFailure(FailureKind kind, String message) {
    this(kind, message, null, "", "", false, false);
  }

  /** Creates the failure of a program from the report of its executor. */
  private TaskFailure(
      FailureKind kind,
      String message,
      @Nullable Integer exitCode,
      Event.Exit exit,
      boolean blameless) {
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
   * Highest signal number on Linux. Exit codes above 128 + 64 are not signals: a program that exits
   * with -1 has code 255.
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

  /**
   * Restores a failure from the event log, without {@code progress}, {@code blameless} and {@code
   * hung}.
   */
  static TaskFailure of(TaskFact.Failed fact) {
    return new TaskFailure(
        fact.kind(), fact.message(), fact.exitCode(), fact.stderr(), "", false, false);
  }

  static TaskFailure of(Task task, Event.ContainerEnded ended) {
    return new TaskFailure(
        ended.cause(), task.id() + " on " + task.node() + ": " + ended.message());
  }

  /**
   * Returns the failure of a task whose executor ended before it registered. It counts as the loss
   * of a container, whatever the exit code is.
   */
  static TaskFailure beforeRegistration(Task task) {
    return lost(task, "ended before it had registered");
  }

  /**
   * Returns the failure of a task whose preflight check failed.
   *
   * @param problem output of the check
   */
  static TaskFailure preflightFailed(Task task, String problem) {
    return lost(task, "failed the preflight: " + problem);
  }

  /** Returns the failure of a task whose executor did not register in time. */
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
        "was silent for "
            + limits.heartbeatInterval().multipliedBy(limits.maxMissedHeartbeats()).toMillis()
            + " ms (tony.task.max-missed-heartbeats × tony.task.heartbeat-interval-ms)");
  }

  /**
   * Returns the failure of a task whose container was lost during a change of ApplicationMasters.
   *
   * @param end YARN's report about the container; null if there is none
   */
  static TaskFailure lostWithMaster(Task task, Event.@Nullable ContainerEnd end) {
    return end == null
        ? lost(task, "was lost together with the ApplicationMaster")
        : new TaskFailure(end.cause(), task.id() + " on " + task.node() + ": " + end.message());
  }

  private static TaskFailure lost(Task task, String problem) {
    return new TaskFailure(FailureKind.LOST, task.id() + " on " + task.node() + " " + problem);
  }

  /**
   * Returns this failure as one of kind PREEMPTED: the program ended because of a signal that asked
   * it for a checkpoint.
   */
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

  /** Returns true if the program is to blame: the retry budget for the user's failures pays. */
  boolean isProgramFailure() {
    return switch (kind) {
      case PROGRAM, MEMORY -> true;
      case LOST, PREEMPTED, INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> false;
    };
  }

  /** Returns true if the failure kind is one for lost containers or executors. */
  boolean isContainerLoss() {
    return switch (kind) {
      case LOST, PREEMPTED, AM_LOST -> true;
      case PROGRAM, MEMORY, INVALID, TIMEOUT, KILLED, RESIZED -> false;
    };
  }

  /** Returns true if a restart of the task may avoid the failure. */
  boolean isRetriable() {
    return switch (kind) {
      case PROGRAM, LOST, PREEMPTED, MEMORY -> true;
      case INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> false;
    };
  }

  /** Returns the fact that is recorded for this failure of the task. */
  TaskFact.Failed toFact(JobState state, Task task) {
    String step = task.isRunning() ? RepeatedFailures.step(state, task, progress) : "";
    return new TaskFact.Failed(
        task.id(), kind, message, exitCode, stderr, step, task.node(), task.logUrl());
  }
}
