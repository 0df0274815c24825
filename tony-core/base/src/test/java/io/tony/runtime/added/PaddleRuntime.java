package io.tony.runtime.added;

import io.tony.model.TaskId;
import io.tony.runtime.FrameworkRuntime;
import io.tony.runtime.Gang;
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
    int rank = gang.rank(task);
    if (rank < 0) {
      return Map.of();
    }
    return Map.of(
        "PADDLE_TRAINER_ID", Integer.toString(rank),
        "PADDLE_TRAINERS_NUM", Integer.toString(gang.world()),
        "PADDLE_CURRENT_ENDPOINT", gang.endpoint(task).toString(),
        "PADDLE_TRAINER_ENDPOINTS", gang.once("paddle.endpoints", () -> endpoints(gang)));
  }

  private static String endpoints(Gang gang) {
    return gang.ranked().stream()
        .map(trainer -> gang.endpoint(trainer).toString())
        .collect(Collectors.joining(","));
  }
}
