package io.tony.client.narrate;

import io.tony.event.TaskFact;
import io.tony.model.TaskId;
import io.tony.text.Strings;
import java.util.HashMap;
import java.util.Map;

/**
 * Remembers the last line of stderr of each failed task, until the line is printed as the reason of
 * the task's restart.
 */
final class StderrTail {
  /** Maximum number of characters of a printed line; the event log contains more. */
  static final int MAX_CHARS = 300;

  private final Map<TaskId, String> lines = new HashMap<>();

  void record(TaskFact.Failed failure) {
    lines.put(failure.task(), lastLine(failure));
  }

  /**
   * Returns the last line of the failed program's stderr that is not blank, cut to {@link
   * #MAX_CHARS}; empty if there is none.
   */
  static String lastLine(TaskFact.Failed failure) {
    return lastLine(failure.stderr());
  }

  /**
   * Returns the last line of a program's stderr that is not blank, cut to {@link #MAX_CHARS}; empty
   * if there is none.
   */
  static String lastLine(String stderr) {
    String line = stderr.lines().filter(text -> !text.isBlank()).reduce("", (one, next) -> next);
    return truncate(line.strip());
  }

  private static String truncate(String line) {
    return line.length() <= MAX_CHARS ? line : Strings.truncate(line, MAX_CHARS) + "…";
  }

  /** Returns the remembered line of the task and forgets it; empty if there is none. */
  String take(TaskId task) {
    String line = lines.remove(task);
    return line == null ? "" : line;
  }

  void clear() {
    lines.clear();
  }
}
