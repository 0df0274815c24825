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

  /** What can happen. The details that each type carries are named beside it. */
  public enum Type {
    /**
     * Told by the client, not the log, also by one that follows what an earlier one submitted:
     * {@code application}, {@code queue}, {@code trackingUrl}.
     */
    JOB_SUBMITTED,
    /**
     * An ApplicationMaster took the job up: {@code attempt}, {@code host}, {@code tasks}, and for a
     * later one {@code running}, the tasks that it took over.
     */
    AM_STARTED,
    /**
     * Containers are asked for, for all tasks of some roles: {@code tasks}, {@code resources},
     * {@code roles}.
     */
    GANG_REQUESTED,
    /** They are waited for: {@code missing}, {@code short}, {@code free}. */
    GANG_WAITING,
    /**
     * A gang gave back the containers that it had, to ask again later: {@code missing}, {@code
     * short}, {@code free}, {@code wait}.
     */
    GANG_BACKED_OFF,
    /** {@code container}, {@code node}, {@code log} (URL). */
    TASK_ALLOCATED,
    /** {@code endpoint}, {@code tensorBoardPort}. */
    TASK_REGISTERED,
    /** The executor has started the user's process: {@code pid}. */
    TASK_STARTED,
    /** Every task of the gang has been told to start. */
    GANG_RUNNING,
    /** {@code text}: what the program told last. */
    TASK_PROGRESS,
    /** The task's TensorBoard listens: {@code url}. */
    TENSORBOARD,
    /**
     * What the tasks use now, every now and then: a {@link TaskUse} under the name of each task,
     * and of a role with more than 32 tasks under {@code ROLE min}, {@code ROLE median} and {@code
     * ROLE max} that of those which use the least memory, the median and the most.
     */
    METRICS,
    /** {@code exitCode}, {@code kind}, {@code message}, {@code stderr}, {@code log}. */
    TASK_FAILED,
    /**
     * {@code exitCode}, {@code output.KEY} for what the program left in its output file, and {@code
     * outputsLeftOut} where that is not all.
     */
    TASK_SUCCEEDED,
    /** Ended because the job no longer wants it: {@code message}. */
    TASK_STOPPED,
    /**
     * One task is started again by itself: {@code kind}, {@code message}, {@code left}, {@code
     * attempt}, {@code where} ({@code kept} or {@code new} container), {@code alone}, {@code
     * replaced} (before its program was started).
     */
    TASK_RESTARTED,
    /**
     * The gang is started again: {@code kind}, {@code message}, {@code left}, {@code attempt},
     * {@code kept} (containers that stay), {@code keptFailed}, {@code node}, {@code done} (roles
     * whose tasks stay succeeded where they have: others wait for what they do).
     */
    GANG_RESTARTED,
    /** No container is taken on a node from now on: {@code node}, {@code message}. */
    NODE_AVOIDED,
    /** All nodes are good again. */
    NODES_FORGIVEN,
    /** The job goes on to its end without a role: {@code role}, {@code message}. */
    ROLE_EXCUSED,
    /** {@code who}. */
    STOP_REQUESTED,
    /**
     * How the job ends is decided, and what still runs is stopped: {@code status}, {@code kind},
     * {@code message}, {@code task}, {@code exitCode}.
     */
    JOB_STOPPING,
    /**
     * The event log has not been written for too long, and the job goes on without it; until it is
     * written again, the job is lost with its ApplicationMaster: {@code message}.
     */
    LOG_BEHIND,
    /** The event log is written again, with all that was missing. */
    LOG_CAUGHT_UP,
    /** What the next job of the kind should ask for instead: {@code text}. */
    ADVICE,
    /**
     * The same details. The last event of a job; told by the client, not the log, when the
     * ApplicationMaster could not tell it.
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
