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
    /** An ApplicationMaster took the job up: {@code attempt}, {@code host}, {@code tasks}. */
    AM_STARTED,
    /** A gang is asked for: {@code tasks}, {@code resources}. */
    GANG_REQUESTED,
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
    /** The gang is started again: {@code kind}, {@code message}, {@code left}. */
    GANG_RESTARTED,
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
