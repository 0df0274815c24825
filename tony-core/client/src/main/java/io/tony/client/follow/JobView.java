package io.tony.client.follow;

import io.tony.event.CheckpointFact;
import io.tony.event.GangFact;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.RootCause;
import io.tony.event.TaskFact;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The state of a job according to its events so far: result, links to the tasks' logs, outputs. Not
 * thread-safe.
 */
public final class JobView {
  /**
   * Maximum number of characters of the outputs of all tasks together. Azkaban gets them in one
   * file.
   */
  public static final int MAX_OUTPUT_CHARS = 1024 * 1024;

  /**
   * Maximum number of failures that are kept. Failures contain stderr, and only the failure that
   * decided the result is shown.
   */
  private static final int MAX_FAILURES = 100;

  private final Map<TaskId, String> logs = new TreeMap<>();
  private final Map<TaskId, Map<String, String>> outputs = new LinkedHashMap<>();
  private final Map<TaskId, TaskFact.Failed> failures = new LinkedHashMap<>();
  private int outputChars;
  private int omittedOutputCount;
  private final LatestCheckpoint latestCheckpoint = new LatestCheckpoint();
  private String tensorBoard = "";
  private @Nullable Instant firstAt; // time of the first event; null if there was none
  private @Nullable Instant lastAt; // time of the last event; null if there was none
  private @Nullable JobResult result; // null until the ApplicationMaster has reported the result

  public void add(JobEvent event) {
    if (firstAt == null) {
      firstAt = event.time();
    }
    lastAt = event.time();
    switch (event.type()) {
      case TASK_ALLOCATED -> onAllocated(TaskFact.Allocated.of(event));
      case TASK_FAILED -> onFailed(TaskFact.Failed.of(event));
      case FIRST_CAUSE -> onFailed(RootCause.of(event).failure());
      case TASK_SUCCEEDED -> onSucceeded(TaskFact.Succeeded.of(event));
      case TASK_RESTARTED -> failures.remove(event.task());
      case GANG_RESTARTED -> {
        List<String> done = GangFact.Restarted.of(event).finishedRoles();
        failures.clear();
        removeOutputs(task -> !done.contains(task.role()));
      }
      case GANG_RESIZED -> {
        ResizeFact.Resized resized = ResizeFact.Resized.of(event);
        resized.moveToNewTasks(logs);
        failures.keySet().removeIf(resized::isGone);
        removeOutputs(resized::isGone);
      }
      case TENSORBOARD -> tensorBoard = TaskFact.TensorBoard.of(event).url();
      case TASK_CHECKPOINT -> latestCheckpoint.onSaved(CheckpointFact.CheckpointSaved.of(event));
      case GANG_RESUMES -> latestCheckpoint.onResumed(CheckpointFact.ResumeDecision.of(event));
      case JOB_FINISHED -> result = JobFact.Finished.of(event).result();
      case JOB_SUBMITTED,
          AM_STARTED,
          JOB_DESCRIBED,
          GANG_REQUESTED,
          GANG_WAITING,
          GANG_BACKED_OFF,
          TASK_REGISTERED,
          TASK_STARTED,
          GANG_RUNNING,
          TASK_PROGRESS,
          CHECKPOINT_NOT_KEPT,
          METRICS,
          UNKNOWN,
          PREEMPTION_ANNOUNCED,
          GANG_GROWS,
          TASK_STANDS,
          TASK_STOPPED,
          NODE_AVOIDED,
          ROLE_EXCUSED,
          FAILURE_PENDING,
          STOP_REQUESTED,
          NODES_FORGIVEN,
          LOG_BEHIND,
          LOG_CAUGHT_UP,
          STRAGGLER,
          TASK_HELD,
          SHELL,
          GOODPUT,
          ADVICE,
          JOB_STOPPING -> {}
    }
  }

  private void onAllocated(TaskFact.Allocated allocated) {
    logs.put(allocated.task(), allocated.logUrl());
  }

  private void removeOutputs(Predicate<TaskId> which) {
    outputs.keySet().removeIf(which);
    outputChars = outputs.values().stream().mapToInt(JobView::charCount).sum();
  }

  private void onFailed(TaskFact.Failed failure) {
    failures.remove(failure.task());
    failures.put(failure.task(), failure);
    if (failures.size() > MAX_FAILURES) {
      failures.remove(failures.keySet().iterator().next()); // remove the oldest failure
    }
  }

  private void onSucceeded(TaskFact.Succeeded success) {
    Map<String, String> more = success.outputs();
    if (more.isEmpty()) {
      return;
    }
    int before = charCount(outputs.getOrDefault(success.task(), Map.of()));
    int after = outputChars - before + charCount(more);
    if (after > MAX_OUTPUT_CHARS) {
      omittedOutputCount++;
    } else {
      outputs.put(success.task(), more);
      outputChars = after;
    }
  }

  private static int charCount(Map<String, String> outputs) {
    return outputs.entrySet().stream()
        .mapToInt(output -> output.getKey().length() + output.getValue().length())
        .sum();
  }

  /**
   * Returns the number of tasks whose outputs are left out because all outputs together would
   * exceed {@link #MAX_OUTPUT_CHARS}.
   */
  public int omittedOutputCount() {
    return omittedOutputCount;
  }

  /** Returns the result that the ApplicationMaster has reported; null if it has reported none. */
  public @Nullable JobResult result() {
    return result;
  }

  /** Returns the failure of the task that decided this result; null if no task's failure did. */
  public TaskFact.@Nullable Failed failure(JobResult result) {
    return result.task() == null ? null : failures.get(result.task());
  }

  /** Returns the URL of the log of every task that had a container. */
  public Map<TaskId, String> logs() {
    return logs;
  }

  /**
   * Returns the outputs of all user programs, by {@code output.KEY}. If tasks use the same key, the
   * map contains the value of the task that succeeded last.
   */
  public Map<String, String> outputs() {
    Map<String, String> all = new LinkedHashMap<>();
    for (Map<String, String> ofTask : outputs.values()) {
      ofTask.forEach((key, value) -> all.put("output." + key, value));
    }
    return all;
  }

  /** Returns the last URL of TensorBoard; empty if TensorBoard did not run. */
  String tensorBoard() {
    return tensorBoard;
  }

  /**
   * Returns the URI of the chief's part of the newest checkpoint from which the job can resume;
   * empty if there is none.
   */
  String checkpoint(TaskId chief) {
    return latestCheckpoint.of(chief);
  }

  public Duration duration() {
    return firstAt == null || lastAt == null ? Duration.ZERO : Duration.between(firstAt, lastAt);
  }
}
