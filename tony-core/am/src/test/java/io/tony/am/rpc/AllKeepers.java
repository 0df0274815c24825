package io.tony.am.rpc;

import io.tony.am.checkpoint.StartCheckpoints;
import io.tony.am.machine.Action.StartTask;
import io.tony.checkpoint.CheckpointName;
import io.tony.model.TaskId;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import java.util.Optional;
import java.util.OptionalInt;

/** All tasks keep checkpoints, and have kept none. */
final class AllKeepers implements StartCheckpoints {
  @Override
  public Optional<Checkpoints> prepareStart(StartTask start) {
    return Optional.empty();
  }

  @Override
  public int ownerCount() {
    return 1;
  }

  @Override
  public Optional<String> recordSaved(TaskId task, CheckpointName set, String name) {
    return Optional.empty();
  }

  @Override
  public OptionalInt attempt(TaskId task) {
    return OptionalInt.of(0);
  }
}
