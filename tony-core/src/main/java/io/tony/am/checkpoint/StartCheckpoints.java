package io.tony.am.checkpoint;

import io.tony.am.machine.Action.StartTask;
import io.tony.checkpoint.CheckpointName;
import io.tony.model.TaskId;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import java.util.Optional;
import java.util.OptionalInt;

/** What executors are told of checkpoints when their programs are to start. */
public interface StartCheckpoints {
  /** Of a job that keeps none. */
  StartCheckpoints NONE =
      new StartCheckpoints() {
        @Override
        public Optional<Checkpoints> of(StartTask start) {
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
   * Where the task's checkpoints go to, and which one it goes on from; nothing for a task that has
   * to do with none. It may take a while: the file system is asked.
   */
  Optional<Checkpoints> of(StartTask start);

  /** How many tasks keep checkpoints. */
  int ownerCount();

  /**
   * Where in the cluster's file system the task's checkpoint of this name is, which an executor
   * says to have kept; nothing where it cannot have: the task keeps none, or no start of this job
   * had such a set. Without a name: the folder that it is in. The task's next start counts on from
   * there.
   */
  Optional<String> recordSaved(TaskId task, CheckpointName set, String name);

  /**
   * The task's newest attempt that has asked above; 0 where none has, and nothing where the task
   * keeps no checkpoints, or the job has no such task.
   */
  OptionalInt attempt(TaskId task);
}
