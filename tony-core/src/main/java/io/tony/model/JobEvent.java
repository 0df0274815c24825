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
    /** Told by the client, not the log: {@code application}, {@code queue}, {@code trackingUrl}. */
    JOB_SUBMITTED,
    /**
     * An ApplicationMaster took the job up: {@code attempt}, {@code host}, {@code tasks}, and from
     * its second attempt on {@code running}, the number of tasks that it took over.
     */
    AM_STARTED,
    /** A gang is asked for, or what of it is not there yet: {@code tasks}, {@code resources}. */
    GANG_REQUESTED,
    /**
     * Containers are waited for: {@code missing} (how many of which size), {@code free} (what the
     * queue has left) and {@code short} (the resources that are short; empty where none is known).
     */
    GANG_WAITING,
    /**
     * The gang gave its containers back: as GANG_WAITING, and {@code wait} before it asks again.
     */
    GANG_BACKED_OFF,
    /** {@code container}, {@code node}, {@code log} (URL). */
    TASK_ALLOCATED,
    /** {@code endpoint}. */
    TASK_REGISTERED,
    /** The executor has started the user's process: {@code pid}. */
    TASK_STARTED,
    /** Every task of the gang has been told to start. */
    GANG_RUNNING,
    /** {@code text}, and {@code fraction} where the text tells it. */
    TASK_PROGRESS,
    /** {@code url}. */
    TENSORBOARD,
    /** {@code exitCode}, {@code kind}, {@code message}, {@code stderr}, {@code log}. */
    TASK_FAILED,
    /** {@code exitCode}, and {@code output.KEY} for what the program left in its output file. */
    TASK_SUCCEEDED,
    /** Ended because the job no longer wants it: {@code message}. */
    TASK_STOPPED,
    /**
     * The task alone is started again: {@code kind}, {@code message}, {@code left}, {@code
     * attempt}, and {@code where}: {@code kept} in its container, or {@code new} in another.
     */
    TASK_RESTARTED,
    /**
     * The gang is started again: {@code kind}, {@code message}, {@code left}, {@code kept} (number
     * of containers that it goes on in), {@code attempt}, and {@code node} where one is to blame.
     */
    GANG_RESTARTED,
    /** No container is taken on it any more: {@code node}, {@code message}. */
    NODE_AVOIDED,
    /** The job goes on without the role: {@code role}, {@code message}. */
    ROLE_EXCUSED,
    /**
     * The outcome is decided, and the gang is stopped: {@code status}, {@code kind}, {@code
     * message}, {@code task}, {@code exitCode}.
     */
    JOB_STOPPING,
    /** {@code who}. */
    STOP_REQUESTED,
    /** {@code status}, {@code kind}, {@code message}, {@code exitCode}. The last event of a job. */
    JOB_FINISHED
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
