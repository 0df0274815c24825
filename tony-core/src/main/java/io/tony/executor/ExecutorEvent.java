package io.tony.executor;

import io.tony.executor.checkpoint.CheckpointUploader;
import io.tony.executor.link.MasterLink.MasterLostException;
import io.tony.executor.program.ProgramProcess;
import io.tony.executor.rpc.CheckpointOutcome;
import io.tony.executor.rpc.ExecutorCommand;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What the owner of a {@link TaskStateMachine} is told by other threads. */
sealed interface ExecutorEvent {
  /** By the owner's thread. */
  void applyTo(TaskStateMachine stateMachine)
      throws IOException, MasterLostException, InterruptedException;

  /** The source folder is unpacked; {@code failure} is null, or says why it is not. */
  record SourceUnpacked(IOException failure) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) {
      stateMachine.onSourceUnpacked(failure);
    }
  }

  /** The ApplicationMaster wants something. */
  record CommandReceived(ExecutorCommand command) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine)
        throws IOException, MasterLostException, InterruptedException {
      stateMachine.onCommand(command);
    }
  }

  /**
   * The checkpoint is there from which a start goes on; else {@code failure} says why not. {@code
   * bring} is which one this was: one that was given up may be told as well.
   */
  record CheckpointRestored(int restoreNumber, String checkpointPath, Exception failure)
      implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) throws IOException {
      stateMachine.onCheckpointRestored(restoreNumber, checkpointPath, failure);
    }
  }

  /** Something became of a checkpoint that the program has named. */
  record CheckpointReported(CheckpointOutcome outcome) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) {
      stateMachine.onCheckpointReported(outcome);
    }
  }

  /** The program and its group are gone. */
  record ProgramEnded(int exitCode) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) {
      stateMachine.onProgramEnded(exitCode);
    }
  }

  /** Nothing is left to keep of what that program has named. */
  record UploadsFinished() implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine)
        throws IOException, MasterLostException, InterruptedException {
      stateMachine.onUploadsFinished();
    }
  }

  /** The program accepts connections at the port for TensorBoard. */
  record TensorBoardListens(ProgramProcess program) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) {
      stateMachine.onTensorBoardListens(program);
    }
  }

  /** A call of the ApplicationMaster failed for good. */
  record CallFailed(Throwable cause) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) {
      stateMachine.onCallFailed(cause);
    }
  }

  /**
   * YARN ends this container; {@code gone} is to be completed when the program is gone, with who
   * still keeps its checkpoints, or null.
   */
  record TerminationRequested(Duration grace, CompletableFuture<CheckpointUploader> completion)
      implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) throws InterruptedException {
      stateMachine.onTerminationRequested(grace, completion);
    }
  }
}
