package io.tony.client.inspect;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tony.client.application.YarnFinalStatus;
import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.history.JobSummary;
import io.tony.history.SummaryBuilder;
import io.tony.history.SummaryJson;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import io.tony.model.TaskUsage;
import java.io.IOException;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.jspecify.annotations.Nullable;

/**
 * Builds the JSON object that describes a running or ended application, for {@code tony status
 * -json}. The fields are described in {@code docs/history.md}.
 */
final class StatusObject {
  /** State of one task; texts are empty, and other values null, if unknown. */
  private static final class State {
    private String state = "";
    private @Nullable Instant since;
    private String node = "";
    private String container = "";
    private String log = "";
    private String message = "";
    private @Nullable TaskUsage usage;

    private void update(String next, Instant at, String reason) {
      state = next;
      since = at;
      message = reason;
    }
  }

  private final Map<TaskId, State> tasks = new TreeMap<>();
  private final SummaryBuilder job;
  private String tensorBoard = "";
  private boolean empty = true;

  StatusObject(String application, String owner) {
    job = new SummaryBuilder(application).owner(owner);
  }

  /** Adds the next event of the application's event log. */
  void add(JobEvent event) {
    empty = false;
    job.add(event);
    Fact.of(event).ifPresent(fact -> add(event.time(), fact));
  }

  /** Returns whether no event was added yet. */
  boolean isEmpty() {
    return empty;
  }

  private void add(Instant at, Fact fact) {
    if (fact instanceof TaskFact.Allocated allocated) {
      State task = task(allocated.task());
      task.update("allocated", at, "");
      task.node = allocated.node();
      task.container = allocated.container();
      task.log = allocated.logUrl();
    } else if (fact instanceof TaskFact.Progressed progressed) {
      task(progressed.task()).message = progressed.text();
    } else if (fact instanceof TaskFact.TensorBoard shown) {
      tensorBoard = shown.url();
    } else if (fact instanceof TaskFact change) {
      task(change.task()).update(stateName(change), at, reason(change));
    } else if (fact instanceof GangFact.Restarted restarted) {
      tensorBoard = "";
      tasks.forEach(
          (id, task) -> {
            if (!restarted.finishedRoles().contains(id.role())) {
              task.update("restarted", at, restarted.message());
            }
          });
    } else if (fact instanceof ResizeFact.Resized resized) {
      resize(at, resized);
    } else if (fact instanceof JobFact.UsageReport used) {
      tasks.forEach((id, task) -> task.usage = usage(used.usages().get(id.toString())));
    }
  }

  private void resize(Instant at, ResizeFact.Resized fact) {
    fact.moveToNewTasks(tasks);
    fact.movedIndices()
        .values()
        .forEach(index -> task(new TaskId(fact.role(), index)).update("allocated", at, ""));
    tasks.keySet().removeIf(fact::isGone);
  }

  private State task(TaskId id) {
    return tasks.computeIfAbsent(id, task -> new State());
  }

  /**
   * Returns the name of the state that begins with this event, such as {@code failed} for {@code
   * TASK_FAILED}.
   */
  private static String stateName(TaskFact fact) {
    return fact.type().name().replace("TASK_", "").toLowerCase(Locale.ROOT);
  }

  private static String reason(TaskFact fact) {
    return fact instanceof TaskFact.Failed failed
        ? failed.message()
        : fact instanceof TaskFact.Restarted restarted ? restarted.message() : "";
  }

  private static @Nullable TaskUsage usage(@Nullable String text) {
    try {
      return text == null ? null : TaskUsage.parse(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /**
   * Returns the JSON object as one line.
   *
   * @param report YARN's report; null if YARN no longer knows the application
   */
  String json(@Nullable ApplicationReport report) {
    if (job.isEmpty() && report != null) {
      Instant since = Instant.ofEpochMilli(report.getStartTime());
      job.waiting(report.getQueue(), report.getName(), since);
    }
    JobSummary logged = job.build();
    JobSummary summary = report == null ? logged : YarnFinalStatus.withFinalStatus(logged, report);
    boolean ended = summary.status() != JobSummary.Status.RUNNING;
    return SummaryJson.object(
        json -> {
          SummaryJson.write(summary, json);
          if (report != null) {
            json.writeStringField("yarnState", report.getYarnApplicationState().name());
            json.writeStringField("yarnFinalStatus", report.getFinalApplicationStatus().name());
            text(json, "trackingUrl", report.getTrackingUrl());
          }
          text(json, "tensorBoard", ended ? "" : tensorBoard);
          json.writeArrayFieldStart("taskStates");
          for (Map.Entry<TaskId, State> task : tasks.entrySet()) {
            write(json, task.getKey(), task.getValue());
          }
          json.writeEndArray();
        });
  }

  private static void write(JsonGenerator json, TaskId id, State task) throws IOException {
    json.writeStartObject();
    json.writeStringField("task", id.toString());
    text(json, "state", task.state);
    text(json, "since", task.since);
    text(json, "node", task.node);
    text(json, "container", task.container);
    text(json, "log", task.log);
    text(json, "message", task.message);
    if (task.usage != null && task.state.equals("started")) {
      json.writeNumberField("memoryMiB", task.usage.memoryMiB());
      json.writeNumberField("cores", task.usage.cores());
      if (task.usage.gpus() != null) {
        json.writeNumberField("gpuPercent", task.usage.gpus().percent());
        json.writeNumberField("gpuMemoryMiB", task.usage.gpus().memoryMiB());
      }
    }
    json.writeEndObject();
  }

  private static void text(JsonGenerator json, String name, @Nullable Object value)
      throws IOException {
    if (value != null && !value.toString().isEmpty()) {
      json.writeStringField(name, value.toString());
    }
  }
}
