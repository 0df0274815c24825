package io.tony.model;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One event of a job, which is one line of the job's event log. Events are shown to users and sent
 * to the client; a restarted ApplicationMaster restores the job's state from them.
 *
 * @param session number of the gang's start, from 0
 * @param task null for an event that concerns the whole job
 * @param details named values in the order of their insertion; never contain secrets
 */
public record JobEvent(
    Instant time, Type type, int session, @Nullable TaskId task, Map<String, String> details) {

  /** Types of events. {@code docs/event-log.md} lists the details of each type. */
  public enum Type {
    /**
     * YARN has accepted the application. Created by each client that follows the job; not in the
     * event log.
     */
    JOB_SUBMITTED,
    /** An ApplicationMaster has started. */
    AM_STARTED,
    /** The ApplicationMaster has recorded the job's owner and settings in this event. */
    JOB_DESCRIBED,
    /** Containers for all tasks of some roles have been requested. */
    GANG_REQUESTED,
    /** The gang still waits for requested containers. */
    GANG_WAITING,
    /** The gang has given back its containers and will request them again later. */
    GANG_BACKED_OFF,
    /** A container has been allocated for the task. */
    TASK_ALLOCATED,
    /** The task's executor has reserved a port and registered. */
    TASK_REGISTERED,
    /** The executor has started the user's program. */
    TASK_STARTED,
    /**
     * The programs of the gang, or of one task that restarts alone, resume from a checkpoint or
     * start without one. The event names the checkpoint or the reason.
     */
    GANG_RESUMES,
    /** The executors of all tasks of the gang have been commanded to start their programs. */
    GANG_RUNNING,
    /** The task's program has reported training progress; the event contains the latest report. */
    TASK_PROGRESS,
    /** A checkpoint of the task has been saved to the cluster's file system. */
    TASK_CHECKPOINT,
    /** A checkpoint of the task could not be saved. */
    CHECKPOINT_NOT_KEPT,
    /** The task's TensorBoard accepts connections. */
    TENSORBOARD,
    /**
     * A program has failed. Its container is held so that the user can inspect it; the failure
     * counts afterwards.
     */
    TASK_HELD,
    /** A user has opened or left a shell in the task's container. */
    SHELL,
    /** The resource usage of the tasks has been measured; recorded periodically. */
    METRICS,
    /** YARN has announced that it will preempt the task's container. */
    PREEMPTION_ANNOUNCED,
    /**
     * A program has failed, probably as a consequence of another task's failure. Before the job
     * reacts, it waits for a report of that failure.
     */
    FAILURE_PENDING,
    /** A task has failed. */
    TASK_FAILED,
    /**
     * The gang hung. The event names the place in the code at which the program of one task was.
     */
    TASK_STANDS,
    /**
     * Reports that came after the gang restarted, or after the job began to stop, show which task
     * failed first. The event names that task's failure as the root cause.
     */
    FIRST_CAUSE,
    /** The task's program has ended successfully. */
    TASK_SUCCEEDED,
    /** The task has been ended because the job no longer needs it. */
    TASK_STOPPED,
    /** The task is restarted alone. */
    TASK_RESTARTED,
    /** All tasks of the gang are restarted. */
    GANG_RESTARTED,
    /**
     * The cluster has free resources for more tasks. Before the gang is resized, its programs are
     * asked for a checkpoint.
     */
    GANG_GROWS,
    /** The number of tasks of a role has changed. */
    GANG_RESIZED,
    /** The job will use no more containers on this node. */
    NODE_AVOIDED,
    /** The job may use all avoided nodes again. */
    NODES_FORGIVEN,
    /** The job continues without this role. */
    ROLE_EXCUSED,
    /** A user or an administrator has asked to stop the job. */
    STOP_REQUESTED,
    /** The job's result is decided, and the tasks that still run are being stopped. */
    JOB_STOPPING,
    /**
     * The event log could not be written for too long. The job continues, and its events are kept
     * for a later attempt to write them.
     */
    LOG_BEHIND,
    /** The event log is written again, and contains all events that were missing. */
    LOG_CAUGHT_UP,
    /** The task slows down its gang, or no longer does. */
    STRAGGLER,
    /**
     * The ApplicationMaster has computed how much of the job's time was training, and how much of
     * the training was saved in checkpoints.
     */
    GOODPUT,
    /** TonY recommends settings for the next run of this job. */
    ADVICE,
    /**
     * Last event of the job. Created by the client if the ApplicationMaster could not record it.
     */
    JOB_FINISHED,
    /** An event type of a later TonY. Only read, never written. */
    UNKNOWN
  }

  public JobEvent {
    Objects.requireNonNull(time, "time");
    Objects.requireNonNull(type, "type");
    details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
  }

  /** Returns the detail with this name; an empty text if there is none. */
  public String detail(String name) {
    return details.getOrDefault(name, "");
  }
}
