package io.tony.am.machine;

import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.Supervision;
import java.time.Instant;
import java.util.Map;

/**
 * All that the machine knows of a job. Immutable.
 *
 * @param session attempt of the gang, counted from 0
 * @param nextInRole by role, the lowest index whose task may still wait for a container
 * @param trackedOpen tracked tasks that have not ended in this attempt
 * @param trackedSucceeded tracked tasks that succeeded in this attempt
 * @param budget what is left of the gang's retries
 * @param outcome set while STOPPING and once FINISHED: where it leads; null before
 * @param progressAt when progress was last recorded
 */
public record JobState(
    JobSpec job,
    Phase phase,
    int session,
    TaskTable tasks,
    Map<String, Integer> nextInRole,
    int trackedOpen,
    int trackedSucceeded,
    RetryBudget budget,
    Outcome outcome,
    Instant progressAt) {

  /** Where a stopping gang goes: to a result, or (null) to another attempt. */
  public record Outcome(JobResult result) {
    boolean restart() {
      return result == null;
    }
  }

  /** How many more times the gang may be started again, by the kind of failure. */
  public record RetryBudget(int user, int lost) {
    /** What is left after one more retry for this kind of failure; null when nothing is left. */
    RetryBudget spend(FailureKind kind) {
      return switch (kind) {
        case USER, MEMORY -> user > 0 ? new RetryBudget(user - 1, lost) : null;
        case LOST, PREEMPTED -> lost > 0 ? new RetryBudget(user, lost - 1) : null;
        case INVALID, AM_LOST, TIMEOUT, KILLED -> null;
      };
    }

    /** What {@link #spend} takes from, for the message that tells a person. */
    int left(FailureKind kind) {
      return kind == FailureKind.USER || kind == FailureKind.MEMORY ? user : lost;
    }
  }

  /** The state of a job of which nothing has been asked yet. */
  public static JobState initial(JobSpec job) {
    RetryBudget budget =
        new RetryBudget(job.limits().retries().user(), job.limits().retries().lost());
    return new JobState(
        job, Phase.NEW, 0, TaskTable.of(job), Map.of(), 0, 0, budget, null, Instant.EPOCH);
  }

  JobState in(Phase next) {
    return new JobState(
        job,
        next,
        session,
        tasks,
        nextInRole,
        trackedOpen,
        trackedSucceeded,
        budget,
        outcome,
        progressAt);
  }

  JobState with(TaskTable next) {
    return new JobState(
        job,
        phase,
        session,
        next,
        nextInRole,
        trackedOpen,
        trackedSucceeded,
        budget,
        outcome,
        progressAt);
  }

  JobState with(Task task) {
    return with(tasks.with(task));
  }

  JobState withNextInRole(Map<String, Integer> next) {
    return new JobState(
        job,
        phase,
        session,
        tasks,
        next,
        trackedOpen,
        trackedSucceeded,
        budget,
        outcome,
        progressAt);
  }

  JobState withTrackedEnd(boolean succeeded) {
    return new JobState(
        job,
        phase,
        session,
        tasks,
        nextInRole,
        trackedOpen - 1,
        trackedSucceeded + (succeeded ? 1 : 0),
        budget,
        outcome,
        progressAt);
  }

  JobState withProgressAt(Instant at) {
    return new JobState(
        job, phase, session, tasks, nextInRole, trackedOpen, trackedSucceeded, budget, outcome, at);
  }

  JobState with(RetryBudget left) {
    return new JobState(
        job,
        phase,
        session,
        tasks,
        nextInRole,
        trackedOpen,
        trackedSucceeded,
        left,
        outcome,
        progressAt);
  }

  JobState stopping(Outcome next) {
    return new JobState(
        job,
        Phase.STOPPING,
        session,
        tasks,
        nextInRole,
        trackedOpen,
        trackedSucceeded,
        budget,
        next,
        progressAt);
  }

  /** A gang of which every task waits: the first one, or the next attempt. */
  JobState newGang(int number) {
    int tracked = job.trackedTasks();
    return new JobState(
        job,
        Phase.ALLOCATING,
        number,
        TaskTable.of(job),
        Map.of(),
        tracked,
        0,
        budget,
        null,
        progressAt);
  }

  boolean tracked(Task task) {
    return supervision(task) == Supervision.TRACKED;
  }

  Supervision supervision(Task task) {
    return job.role(task.id().role()).supervision();
  }
}
