package io.tony.client;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Events for tests, told in a line. */
final class Told {
  static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private Told() {}

  /** A fact about a task, or about the job when {@code task} is empty. */
  static JobEvent event(int second, JobEvent.Type type, String task, String... details) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < details.length; i += 2) {
      map.put(details[i], details[i + 1]);
    }
    TaskId id = task.isEmpty() ? null : TaskId.parse(task);
    return new JobEvent(START.plusSeconds(second), type, 0, id, map);
  }
}
