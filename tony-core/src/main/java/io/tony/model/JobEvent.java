package io.tony.model;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * One event in the life of a job; one line of its event log. The events of the log are also shown
 * to users, sent to the client, and replayed by a restarted ApplicationMaster.
 *
 * @param session attempt of the gang, counted from 0
 * @param task null for an event of the whole job
 * @param details named values in the order of their insertion; never secrets
 */
public record JobEvent(
    Instant time, Type type, int session, TaskId task, Map<String, String> details) {

  /** Types of events. {@code docs/event-log.md} lists the details of each type. */
  public enum Type {
    /**
     * YARN has accepted the application. Created by each client that follows the job; not part of
     * the event log.
     */
    JOB_SUBMITTED,
    /** An ApplicationMaster has started to run the job. */
    AM_STARTED,
    /** Who owns the job and what the job was asked to do. */
    JOB_DESCRIBED,
    /** Containers for all tasks of some roles were requested. */
    GANG_REQUESTED,
    /** The gang is still waiting for its requested containers. */
    GANG_WAITING,
    /** A gang gave back its containers, to request them again later. */
    GANG_BACKED_OFF,
    /** A container was allocated for the task. */
    TASK_ALLOCATED,
    /** The task's executor holds a port and has registered. */
    TASK_REGISTERED,
    /** The executor has started the user's program. */
    TASK_STARTED,
    /**
     * Checkpoint from which the programs of a gang resume, or the reason why they start without a
     * checkpoint.
     */
    GANG_RESUMES,
    /** Every task of the gang was commanded to start its program. */
    GANG_RUNNING,
    /** Latest progress that the program reported. */
    TASK_PROGRESS,
    /** A checkpoint of the program was saved to the cluster. */
    TASK_CHECKPOINT,
    /** A checkpoint of the program could not be saved. */
    CHECKPOINT_NOT_KEPT,
    /** The task's TensorBoard accepts connections. */
    TENSORBOARD,
    /**
     * A program failed; its container is held for a user's inspection before the failure counts.
     */
    TASK_HELD,
    /** A user opened or left a shell in a task's container. */
    SHELL,
    /** Current resource usage of the tasks; recorded periodically. */
    METRICS,
    /** YARN announced that it will preempt the task's container. */
    PREEMPTION_ANNOUNCED,
    /**
     * A program failed in a way that suggests another task's failure as the cause; the job waits
     * for a report of that failure.
     */
    FAILURE_PENDING,
    /** A task has failed. */
    TASK_FAILED,
    /** Where a task's program was executing when the gang hung. */
    TASK_STANDS,
    /** Root cause when several tasks failed. */
    FIRST_CAUSE,
    /** A program ended successfully. */
    TASK_SUCCEEDED,
    /** A task ended because the job no longer needs it. */
    TASK_STOPPED,
    /** A single task is restarted. */
    TASK_RESTARTED,
    /** The whole gang is restarted. */
    GANG_RESTARTED,
    /**
     * The cluster has room for more tasks: the gang's programs are asked for a checkpoint before it
     * grows.
     */
    GANG_GROWS,
    /** The number of tasks of a role has changed. */
    GANG_RESIZED,
    /** The job takes no more containers on a node. */
    NODE_AVOIDED,
    /** The job uses all avoided nodes again. */
    NODES_FORGIVEN,
    /** The job continues without a role. */
    ROLE_EXCUSED,
    /** A user or an administrator asked to stop the job. */
    STOP_REQUESTED,
    /** The job's result is decided; tasks that still run are being stopped. */
    JOB_STOPPING,
    /** The event log could not be written for too long; the job continues without it. */
    LOG_BEHIND,
    /** The event log is written again, including all events that were missing. */
    LOG_CAUGHT_UP,
    /** A task slows down its gang, or has recovered. */
    STRAGGLER,
    /**
     * How the job spent its time: the part that was training, and the part whose result was saved.
     */
    GOODPUT,
    /** Recommended settings for the next job of this kind. */
    ADVICE,
    /** Last event of a job. Created by the client if the ApplicationMaster could not record it. */
    JOB_FINISHED,
    /** An event type of a later version; only read, never written. */
    UNKNOWN
  }

  public JobEvent {
    Objects.requireNonNull(time, "time");
    Objects.requireNonNull(type, "type");
    details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
  }

  /** Returns the value with this name; empty if there is none. */
  public String detail(String name) {
    return details.getOrDefault(name, "");
  }
}
