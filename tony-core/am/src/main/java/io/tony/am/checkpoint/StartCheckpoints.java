package io.tony.am.checkpoint;

import io.tony.am.machine.Action.StartTask;
import io.tony.checkpoint.CheckpointName;
import io.tony.model.TaskId;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import java.util.Optional;
import java.util.OptionalInt;

/** Provides the checkpoint instructions of executors whose tasks are to start. */
public interface StartCheckpoints {
  /** Implementation without checkpoints, for tests. */
  StartCheckpoints NONE =
      new StartCheckpoints() {
        @Override
        public Optional<Checkpoints> prepareStart(StartTask start) {
          return Optional.empty();
        }

        @Override
        public int ownerCount() {
          return 0;
        }

        @Override
        public Optional<String> recordSaved(TaskId task, CheckpointName set, String name) {
          return Optional.empty();
        }

        @Override
        public OptionalInt attempt(TaskId task) {
          return OptionalInt.empty();
        }
      };

  /**
   * Returns where the task saves checkpoints and which one it resumes from; empty for a task that
   * does neither. May block, because it may access the file system.
   */
  Optional<Checkpoints> prepareStart(StartTask start);

  /** Returns the number of tasks that save checkpoints. */
  int ownerCount();

  /**
   * Records an executor's report of a saved checkpoint. Checkpoints of the task's next start get
   * higher numbers.
   *
   * @param name name of the file or folder that the user's program named as its checkpoint; empty
   *     if it is unknown: the URI is then that of the folder that contains the copied files
   * @return the checkpoint's URI in the cluster's file system; empty if the report cannot be true:
   *     the task saves no checkpoints, or the set does not belong to a start of this job
   */
  Optional<String> recordSaved(TaskId task, CheckpointName set, String name);

  /**
   * Returns the number of the task's newest attempt for which {@link #prepareStart} was called; 0
   * if there is none. Empty if the task saves no checkpoints or does not exist.
   */
  OptionalInt attempt(TaskId task);
}
