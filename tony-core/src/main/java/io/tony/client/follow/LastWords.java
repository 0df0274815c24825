package io.tony.client.follow;

import io.tony.fact.TaskFact;
import io.tony.model.Beginning;
import io.tony.model.TaskId;
import java.util.HashMap;
import java.util.Map;

/**
 * The last line of the stderr of programs that failed: in a word, why they start again. Each is
 * kept until it is told.
 */
final class LastWords {
  /** Characters of a line; the event log has all of it. */
  static final int MOST = 300;

  private final Map<TaskId, String> lines = new HashMap<>();

  void failed(TaskFact.Failed failure) {
    lines.put(failure.task(), lastOf(failure));
  }

  /** The line of this failure; empty when its program wrote none. */
  static String lastOf(TaskFact.Failed failure) {
    return lastOf(failure.stderr());
  }

  /** The last line of a program's stderr; empty when there is none. */
  static String lastOf(String stderr) {
    String line = stderr.lines().filter(text -> !text.isBlank()).reduce("", (one, next) -> next);
    return shortened(line.strip());
  }

  private static String shortened(String line) {
    return line.length() <= MOST ? line : Beginning.of(line, MOST) + "…";
  }

  /** Of the task's failure; empty when it wrote nothing. */
  String takeOf(TaskId task) {
    String line = lines.remove(task);
    return line == null ? "" : line;
  }

  void forget() {
    lines.clear();
  }
}
