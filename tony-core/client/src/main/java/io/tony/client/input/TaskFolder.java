package io.tony.client.input;

import io.tony.container.Staging;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Collects the names of the files in a task's working directory, each with the option from which it
 * comes, to find clashes. If two files had the same name, YARN or tar would replace one of them
 * without a message.
 */
final class TaskFolder {
  private static final String YARN = "YARN";
  private static final String TONY = "TonY";

  private final Map<String, String> owners = new LinkedHashMap<>();
  private final List<String> clashes = new ArrayList<>();

  TaskFolder() {
    owners.put(Staging.JAR, TONY);
    owners.put(Staging.SOURCE_IN_TASK, TONY);
    owners.put(Staging.JAVA, TONY);
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

  /** Returns a copy with the names added so far, but without their clashes. */
  TaskFolder copy() {
    return new TaskFolder(this);
  }

  /**
   * Adds a name.
   *
   * @param owner what the name comes from, for messages: the option and the file that it names
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

  /** Returns a message for each name that was added more than once. */
  List<String> clashes() {
    return List.copyOf(clashes);
  }
}
