package io.tony.client;

import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What is known of a job from its events so far: its result, its tasks' logs, their outputs. */
final class JobStory {
  private final Map<TaskId, String> logs = new TreeMap<>();
  private final Map<TaskId, Map<String, String>> outputs = new LinkedHashMap<>();
  private final Map<TaskId, JobEvent> failures = new LinkedHashMap<>();
  private String tensorBoard = "";
  private Instant firstAt;
  private JobEvent last;
  private JobEvent finished;

  void add(JobEvent event) {
    if (firstAt == null) {
      firstAt = event.time();
    }
    last = event;
    switch (event.type()) {
      case TASK_ALLOCATED -> logs.put(event.task(), event.detail("log"));
      case TASK_FAILED -> failures.put(event.task(), event);
      case TASK_SUCCEEDED -> outputs.put(event.task(), outputsOf(event));
      case TASK_RESTARTED -> failures.remove(event.task());
      case GANG_RESTARTED -> {
        failures.clear();
        outputs.keySet().removeIf(task -> !staysDone(task, event));
      }
      case TENSORBOARD -> tensorBoard = event.detail("url");
      case JOB_FINISHED -> finished = event;
      case JOB_SUBMITTED,
          AM_STARTED,
          GANG_REQUESTED,
          GANG_WAITING,
          GANG_BACKED_OFF,
          TASK_REGISTERED,
          TASK_STARTED,
          GANG_RUNNING,
          TASK_PROGRESS,
          METRICS,
          UNKNOWN,
          TASK_STOPPED,
          NODE_AVOIDED,
          ROLE_EXCUSED,
          STOP_REQUESTED,
          NODES_FORGIVEN,
          LOG_BEHIND,
          LOG_CAUGHT_UP,
          ADVICE,
          JOB_STOPPING -> {}
    }
  }

  private static Map<String, String> outputsOf(JobEvent event) {
    Map<String, String> outputs = new LinkedHashMap<>(event.details());
    outputs.keySet().removeIf(name -> !name.startsWith("output."));
    return outputs;
  }

  /** Whether a task that has succeeded is not started again with its gang. */
  static boolean staysDone(TaskId task, JobEvent gangRestarted) {
    return List.of(gangRestarted.detail("done").split(",")).contains(task.role());
  }

  /** The result that the ApplicationMaster recorded, or null when it recorded none. */
  JobResult result() {
    return finished == null ? null : JobResult.told(finished);
  }

  /** How the task failed that decided the result; null when none did. */
  JobEvent failure(JobResult result) {
    return result.task() == null ? null : failures.get(result.task());
  }

  /** URL of the log of every task that had a container. */
  Map<TaskId, String> logs() {
    return logs;
  }

  /** {@code output.KEY} of all programs; a later task's value wins. */
  Map<String, String> outputs() {
    Map<String, String> all = new LinkedHashMap<>();
    outputs.values().forEach(all::putAll);
    return all;
  }

  /** Where TensorBoard listened last; empty when it never did. */
  String tensorBoard() {
    return tensorBoard;
  }

  Duration duration() {
    return firstAt == null ? Duration.ZERO : Duration.between(firstAt, last.time());
  }
}
