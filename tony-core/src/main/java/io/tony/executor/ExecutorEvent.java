package io.tony.executor;

import io.tony.executor.checkpoint.CheckpointUploader;
import io.tony.executor.link.MasterLink.MasterLostException;
import io.tony.executor.program.ProgramProcess;
import io.tony.executor.rpc.CheckpointOutcome;
import io.tony.executor.rpc.ExecutorCommand;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** An event that another thread queues for the thread that runs a {@link TaskStateMachine}. */
sealed interface ExecutorEvent {
  /**
   * Passes this event to the state machine. Called only by the thread that runs the state machine.
   */
  void applyTo(TaskStateMachine stateMachine)
      throws IOException, MasterLostException, InterruptedException;

  /** The source folder was unpacked, or failed to unpack. {@code failure} is null on success. */
  record SourceUnpacked(IOException failure) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) {
      stateMachine.onSourceUnpacked(failure);
    }
  }

  /** The ApplicationMaster sent a command. */
  record CommandReceived(ExecutorCommand command) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine)
        throws IOException, MasterLostException, InterruptedException {
      stateMachine.onCommand(command);
    }
  }

  /**
   * A checkpoint was restored, or could not be restored.
   *
   * @param restoreNumber which restore this is; the event of a cancelled restore may still arrive
   * @param checkpointPath local path of the checkpoint; null if the restore failed
   * @param failure why the restore failed; null on success
   */
  record CheckpointRestored(int restoreNumber, String checkpointPath, Exception failure)
      implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) throws IOException {
      stateMachine.onCheckpointRestored(restoreNumber, checkpointPath, failure);
    }
  }

  /** The upload of a checkpoint that the program named succeeded or failed. */
  record CheckpointReported(CheckpointOutcome outcome) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) {
      stateMachine.onCheckpointReported(outcome);
    }
  }

  /** The program and all processes of its group have ended. */
  record ProgramEnded(int exitCode) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) {
      stateMachine.onProgramEnded(exitCode);
    }
  }

  /**
   * Every checkpoint that the ended program named is uploaded or given up, and its container is no
   * longer held.
   */
  record UploadsFinished() implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine)
        throws IOException, MasterLostException, InterruptedException {
      stateMachine.onUploadsFinished();
    }
  }

  /** The program accepts connections at TensorBoard's port. */
  record TensorBoardListens(ProgramProcess program) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) {
      stateMachine.onTensorBoardListens(program);
    }
  }

  /** A call to the ApplicationMaster failed and will not be retried. */
  record CallFailed(Throwable cause) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) {
      stateMachine.onCallFailed(cause);
    }
  }

  /**
   * YARN sent SIGTERM to this container.
   *
   * @param grace time for the program to end by itself
   * @param completion completed once the program has ended: with the uploader of its checkpoints,
   *     or null if there is none
   */
  record TerminationRequested(Duration grace, CompletableFuture<CheckpointUploader> completion)
      implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) throws InterruptedException {
      stateMachine.onTerminationRequested(grace, completion);
    }
  }
}
