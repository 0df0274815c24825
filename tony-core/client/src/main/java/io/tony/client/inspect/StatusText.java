package io.tony.client.inspect;

import io.tony.client.output.JobLog;
import io.tony.client.output.TimeAgo;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import io.tony.model.TaskUsage;
import java.time.Instant;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Collects the states of an application's tasks from its events and prints them, for {@code tony
 * status}.
 */
final class StatusText {
  /** Types of task events that do not change the state of a task. */
  private static final Set<JobEvent.Type> WITHOUT_EFFECT =
      EnumSet.of(JobEvent.Type.TASK_CHECKPOINT, JobEvent.Type.TASK_STANDS);

  private final Map<TaskId, JobEvent> lastEvents = new TreeMap<>();
  private Map<String, String> usages = Map.of();
  private TaskFact.@Nullable TensorBoard tensorBoard; // null while TensorBoard does not run

  /** Adds the next event of the application's event log. */
  void add(JobEvent event) {
    if (event.type() == JobEvent.Type.METRICS) {
      usages = JobFact.UsageReport.of(event).usages();
    } else if (event.type() == JobEvent.Type.TENSORBOARD) {
      tensorBoard = TaskFact.TensorBoard.of(event);
    } else if (tensorBoard != null && endsProgram(tensorBoard.task(), event)) {
      tensorBoard = null;
    }
    // Events without this prefix are about the whole job, even if they name the task that caused
    // them.
    if (event.task() != null
        && event.type().name().startsWith("TASK_")
        && !WITHOUT_EFFECT.contains(event.type())) {
      lastEvents.put(event.task(), event);
    } else if (event.type() == JobEvent.Type.GANG_RESIZED) {
      resize(ResizeFact.Resized.of(event), event.time());
    }
  }

  /** Returns the last event of each existing task, which determines the task's state. */
  Map<TaskId, JobEvent> lastEvents() {
    return lastEvents;
  }

  /**
   * Prints the state of each task. Also prints the URL of TensorBoard if it runs and {@code ended}
   * is false.
   *
   * @param ended whether the application has ended
   */
  void print(JobLog out, boolean ended) {
    if (tensorBoard != null && !ended) {
      out.println("  TensorBoard: " + tensorBoard.url());
    }
    Instant now = Instant.now();
    for (Map.Entry<TaskId, JobEvent> entry : lastEvents.entrySet()) {
      TaskId task = entry.getKey();
      JobEvent event = entry.getValue();
      out.println(
          "  "
              + task
              + " "
              + event.type().name().replace("TASK_", "")
              + " "
              + TimeAgo.format(event.time(), now, ZoneId.systemDefault())
              + reason(event)
              + usageText(event, usages.get(task.toString())));
    }
  }

  /**
   * Updates the tasks after a resize. A task whose index has changed has a container, but no
   * running program.
   */
  private void resize(ResizeFact.Resized fact, Instant at) {
    fact.moveToNewTasks(lastEvents);
    fact.movedIndices()
        .values()
        .forEach(
            index ->
                lastEvents.computeIfPresent(
                    new TaskId(fact.role(), index),
                    (task, was) ->
                        new JobEvent(
                            at, JobEvent.Type.TASK_ALLOCATED, was.session(), task, Map.of())));
    lastEvents.keySet().removeIf(fact::isGone);
  }

  /**
   * Returns the reason of a failure or a restart, as a suffix of the line; empty for other events.
   */
  private static String reason(JobEvent event) {
    if (event.type() == JobEvent.Type.TASK_FAILED) {
      return ": " + TaskFact.Failed.of(event).message();
    }
    return event.type() == JobEvent.Type.TASK_RESTARTED
        ? ": " + TaskFact.Restarted.of(event).message()
        : "";
  }

  /** Returns whether the event ended the program of this task. */
  private static boolean endsProgram(TaskId task, JobEvent event) {
    return event.type() == JobEvent.Type.GANG_RESTARTED
        || (task.equals(event.task())
            && EnumSet.of(
                    JobEvent.Type.TASK_FAILED,
                    JobEvent.Type.TASK_SUCCEEDED,
                    JobEvent.Type.TASK_STOPPED,
                    JobEvent.Type.TASK_RESTARTED)
                .contains(event.type()));
  }

  /**
   * Returns the resource usage of a task as a suffix of the line; empty if its program does not
   * run.
   *
   * @param usage usage as text; null if unknown
   */
  private static String usageText(JobEvent event, @Nullable String usage) {
    boolean runs =
        event.type() == JobEvent.Type.TASK_STARTED || event.type() == JobEvent.Type.TASK_PROGRESS;
    if (!runs || usage == null) {
      return "";
    }
    TaskUsage use = TaskUsage.parse(usage);
    return String.format(Locale.ROOT, ", uses %d MiB and %.2f cores", use.memoryMiB(), use.cores())
        + (use.gpus() == null
            ? ""
            : ", its GPUs at "
                + use.gpus().percent()
                + " % with "
                + use.gpus().memoryMiB()
                + " MiB");
  }
}
