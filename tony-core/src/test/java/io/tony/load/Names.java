package io.tony.load;

import io.tony.model.TaskId;
import io.tony.model.TaskKey;

/** A task's key in one word. */
final class Names {
  private Names() {}

  static String of(TaskKey key) {
    return key.task() + "/" + key.attempt() + "/" + key.container();
  }

  static TaskKey key(String name) {
    String[] parts = name.split("/", -1);
    return new TaskKey(TaskId.parse(parts[0]), Integer.parseInt(parts[1]), parts[2]);
  }
}
