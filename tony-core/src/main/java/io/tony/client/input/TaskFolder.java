package io.tony.client.input;

import io.tony.container.Staging;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The names in the working directory of a task, each with what has it there. Two things of one name
 * cannot both be there: YARN or tar would replace one by the other without a word.
 */
final class TaskFolder {
  private static final String YARN = "YARN";
  private static final String TONY = "TonY";

  private final Map<String, String> owners = new LinkedHashMap<>();
  private final List<String> clashes = new ArrayList<>();

  TaskFolder() {
    owners.put(Staging.JAR, TONY);
    owners.put(Staging.SOURCE_IN_TASK, TONY);
    owners.put(".tony", TONY);
    owners.put("launch_container.sh", YARN);
    owners.put("container_tokens", YARN);
    owners.put("default_container_executor.sh", YARN);
    owners.put("default_container_executor_session.sh", YARN);
    owners.put("tmp", YARN);
  }

  private TaskFolder(TaskFolder other) {
    owners.putAll(other.owners);
  }

  /** The same names, to which others can be added. */
  TaskFolder copy() {
    return new TaskFolder(this);
  }

  /**
   * Adds what has a name there.
   *
   * @param owner as messages call it: the option, and what it names
   */
  void add(String name, String owner) {
    String other = owners.putIfAbsent(name, owner);
    if (other == null) {
      return;
    }
    String where = " in the task's working directory";
    clashes.add(
        other.equals(TONY) || other.equals(YARN)
            ? owner + " would be " + name + where + ", which " + other + " keeps there: rename it"
            : other
                + " and "
                + owner
                + " would both be "
                + name
                + where
                + ": rename one of them; a resource by SOURCE::NAME");
  }

  /** What was added under a name that was taken. */
  List<String> clashes() {
    return List.copyOf(clashes);
  }
}
