package io.tony.client.narrate;

import io.tony.event.TaskFact;
import io.tony.model.TaskId;
import io.tony.text.Strings;
import java.util.HashMap;
import java.util.Map;

/**
 * The last line of the stderr of programs that failed: in a word, why they start again. Each is
 * kept until it is told.
 */
final class StderrTail {
  /** Characters of a line; the event log has all of it. */
  static final int MAX_CHARS = 300;

  private final Map<TaskId, String> lines = new HashMap<>();

  void record(TaskFact.Failed failure) {
    lines.put(failure.task(), lastLine(failure));
  }

  /** The line of this failure; empty when its program wrote none. */
  static String lastLine(TaskFact.Failed failure) {
    return lastLine(failure.stderr());
  }

  /** The last line of a program's stderr; empty when there is none. */
  static String lastLine(String stderr) {
    String line = stderr.lines().filter(text -> !text.isBlank()).reduce("", (one, next) -> next);
    return truncate(line.strip());
  }

  private static String truncate(String line) {
    return line.length() <= MAX_CHARS ? line : Strings.truncate(line, MAX_CHARS) + "…";
  }

  /** Of the task's failure; empty when it wrote nothing. */
  String take(TaskId task) {
    String line = lines.remove(task);
    return line == null ? "" : line;
  }

  void clear() {
    lines.clear();
  }
}
