package io.tony.am.machine;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.Map;

/** Puts a fact for the event log together. */
final class Facts {
  private final Event cause;
  private final JobEvent.Type type;
  private final int session;
  private final TaskId task;
  private final Map<String, String> details = new LinkedHashMap<>();

  private Facts(Event cause, JobEvent.Type type, int session, TaskId task) {
    this.cause = cause;
    this.type = type;
    this.session = session;
    this.task = task;
  }

  static Facts job(JobState state, Event cause, JobEvent.Type type) {
    return new Facts(cause, type, state.session(), null);
  }

  static Facts task(JobState state, Event cause, JobEvent.Type type, Task task) {
    return new Facts(cause, type, state.session(), task.id());
  }

  Facts with(String name, Object value) {
    details.put(name, String.valueOf(value));
    return this;
  }

  Facts withOutputs(Map<String, String> outputs) {
    outputs.forEach((key, value) -> details.put("output." + key, value));
    return this;
  }

  JobEvent event() {
    return new JobEvent(cause.at(), type, session, task, details);
  }
}
