package io.tony.model;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * One fact in the life of a job: a line of its event log. The same fact is shown to people, sent to
 * the client and replayed by a restarted ApplicationMaster.
 *
 * @param session attempt of the gang, counted from 0
 * @param task null for a fact about the whole job
 * @param details named values in the order they were put; never a secret
 */
public record JobEvent(
    Instant time, Type type, int session, TaskId task, Map<String, String> details) {

  /** What can happen. {@code docs/event-log.md} says which details each type carries. */
  public enum Type {
    /** YARN has the application; told by the client, not the log, also by one that only follows. */
    JOB_SUBMITTED,
    /** An ApplicationMaster took the job up. */
    AM_STARTED,
    /** Whose job it is, and what it was asked to do. */
    JOB_DESCRIBED,
    /** Containers are asked for, for all tasks of some roles. */
    GANG_REQUESTED,
    /** They are waited for. */
    GANG_WAITING,
    /** A gang gave back the containers that it had, to ask again later. */
    GANG_BACKED_OFF,
    /** A task has a container. */
    TASK_ALLOCATED,
    /** Its executor holds a port. */
    TASK_REGISTERED,
    /** The executor has started the user's process. */
    TASK_STARTED,
    /** From which checkpoint the programs of a gang go on, or why from none. */
    GANG_RESUMES,
    /** Every task of the gang has been told to start. */
    GANG_RUNNING,
    /** What the program told last of how far it is. */
    TASK_PROGRESS,
    /** A checkpoint that a program named is in the cluster. */
    TASK_CHECKPOINT,
    /** One cannot be kept. */
    CHECKPOINT_NOT_KEPT,
    /** The task's TensorBoard listens. */
    TENSORBOARD,
    /** A program failed; its container is kept for people to look into, before that counts. */
    TASK_HELD,
    /** Somebody opened a shell beside a task's program, or left it. */
    SHELL,
    /** What the tasks use now, every now and then. */
    METRICS,
    /** YARN is going to take the task's container. */
    PREEMPTION_ANNOUNCED,
    /** A program failed as if another task's end was why; that may still be reported. */
    FAILURE_PENDING,
    /** A task has failed. */
    TASK_FAILED,
    /** Where a task stood whose gang hangs. */
    TASK_STANDS,
    /** What failed first, where several tasks did. */
    FIRST_CAUSE,
    /** A program ended well. */
    TASK_SUCCEEDED,
    /** A task has ended because the job no longer wants it. */
    TASK_STOPPED,
    /** One task is started again by itself. */
    TASK_RESTARTED,
    /** The gang is started again. */
    GANG_RESTARTED,
    /** There is room for more tasks: its programs are asked for a checkpoint. */
    GANG_GROWS,
    /** A role has another number of tasks from now on. */
    GANG_RESIZED,
    /** No container is taken on a node from now on. */
    NODE_AVOIDED,
    /** All nodes are good again. */
    NODES_FORGIVEN,
    /** The job goes on to its end without a role. */
    ROLE_EXCUSED,
    /** Somebody wants the job to end. */
    STOP_REQUESTED,
    /** How the job ends is decided, and what still runs is stopped. */
    JOB_STOPPING,
    /** The event log has not been written for too long, and the job goes on without it. */
    LOG_BEHIND,
    /** The event log is written again, with all that was missing. */
    LOG_CAUGHT_UP,
    /** A task that holds its gang up, or no longer does. */
    STRAGGLER,
    /** Where the time of the job went: which part of it trained and was kept. */
    GOODPUT,
    /** What the next job of the kind should ask for instead. */
    ADVICE,
    /**
     * The last event of a job; told by the client where the ApplicationMaster could not tell it.
     */
    JOB_FINISHED,
    /** One that a later version writes, and this one does not know; never written. */
    UNKNOWN
  }

  public JobEvent {
    Objects.requireNonNull(time, "time");
    Objects.requireNonNull(type, "type");
    details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
  }

  /** The named value, or the empty string. */
  public String detail(String name) {
    return details.getOrDefault(name, "");
  }
}
