package io.tony.am.rpc;

import io.tony.am.checkpoint.TaskCheckpoints;
import io.tony.am.machine.Action.StartTask;
import io.tony.checkpoint.SetName;
import io.tony.model.TaskId;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import java.util.Optional;
import java.util.OptionalInt;

/** All tasks keep checkpoints, and have kept none. */
final class AllKeepers implements TaskCheckpoints {
  @Override
  public Optional<Checkpoints> of(StartTask start) {
    return Optional.empty();
  }

  @Override
  public int keepers() {
    return 1;
  }

  @Override
  public Optional<String> kept(TaskId task, SetName set, String name) {
    return Optional.empty();
  }

  @Override
  public OptionalInt attempt(TaskId task) {
    return OptionalInt.of(0);
  }
}
