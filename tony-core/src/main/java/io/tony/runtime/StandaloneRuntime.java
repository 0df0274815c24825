package io.tony.runtime;

import io.tony.model.TaskId;
import java.util.Map;

/** Programs that need no framework's variables: each task has only what every task has. */
public final class StandaloneRuntime implements FrameworkRuntime {
  @Override
  public String name() {
    return "standalone";
  }

  @Override
  public boolean canJoin() {
    return true;
  }

  @Override
  public Map<String, String> environment(Gang gang, TaskId task) {
    return Map.of();
  }
}
