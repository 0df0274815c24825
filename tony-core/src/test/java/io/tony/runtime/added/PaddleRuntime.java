package io.tony.runtime.added;

import io.tony.model.TaskId;
import io.tony.runtime.FrameworkRuntime;
import io.tony.runtime.Gang;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What {@code paddle.distributed.init_parallel_env} reads (PaddlePaddle's API reference). */
public final class PaddleRuntime implements FrameworkRuntime {
  @Override
  public String name() {
    return "paddle";
  }

  @Override
  public Map<String, String> environment(Gang gang, TaskId task) {
    List<TaskId> trainers = gang.ranked();
    if (!trainers.contains(task)) {
      return Map.of();
    }
    return Map.of(
        "PADDLE_TRAINER_ID", Integer.toString(trainers.indexOf(task)),
        "PADDLE_TRAINERS_NUM", Integer.toString(trainers.size()),
        "PADDLE_CURRENT_ENDPOINT", gang.endpoint(task).toString(),
        "PADDLE_TRAINER_ENDPOINTS",
            trainers.stream()
                .map(trainer -> gang.endpoint(trainer).toString())
                .collect(Collectors.joining(",")));
  }
}
