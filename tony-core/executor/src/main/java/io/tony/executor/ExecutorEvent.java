package io.tony.executor;

import io.tony.executor.checkpoint.CheckpointUploader;
import io.tony.executor.link.MasterLink.MasterLostException;
import io.tony.executor.program.ProgramProcess;
import io.tony.executor.rpc.CheckpointOutcome;
import io.tony.executor.rpc.ExecutorCommand;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An event that another thread queues for the thread that runs a {@link TaskStateMachine}. */
sealed interface ExecutorEvent {
  /**
   * Passes this event to the state machine. Called only by the thread that runs the state machine.
   */
  void applyTo(TaskStateMachine stateMachine)
      throws IOException, MasterLostException, InterruptedException;

  /**
   * The user's source folder was unpacked, or could not be unpacked.
   *
   * @param failure why unpacking failed; null on success
   */
  record SourceUnpacked(@Nullable IOException failure) implements ExecutorEvent {
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
   * The download of the checkpoint from which the program is to resume succeeded or failed.
   *
   * @param restoreNumber how many downloads this executor had begun when this one began; shows
   *     whether the event belongs to a download that was cancelled since
   * @param checkpointPath local path of the checkpoint; null if the download failed
   * @param failure why the download failed; null on success
   */
  record CheckpointRestored(
      int restoreNumber, @Nullable String checkpointPath, @Nullable Exception failure)
      implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) throws IOException {
      stateMachine.onCheckpointRestored(restoreNumber, checkpointPath, failure);
    }
  }

  /** The upload of one checkpoint that the program named succeeded or failed. */
  record CheckpointReported(CheckpointOutcome outcome) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) {
      stateMachine.onCheckpointReported(outcome);
    }
  }

  /** The program has ended, and no process of its process group is left. */
  record ProgramEnded(int exitCode) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) {
      stateMachine.onProgramEnded(exitCode);
    }
  }

  /**
   * After the program's end, every checkpoint that it named is uploaded or given up, and the
   * container is no longer held for inspection.
   */
  record UploadsFinished() implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine)
        throws IOException, MasterLostException, InterruptedException {
      stateMachine.onUploadsFinished();
    }
  }

  /**
   * The port that was reserved for TensorBoard has accepted a connection for the first time since
   * the program's start.
   *
   * @param program the program that ran when the port was tried
   */
  record TensorBoardListens(ProgramProcess program) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) {
      stateMachine.onTensorBoardListens(program);
    }
  }

  /**
   * A call to the ApplicationMaster failed and will not be retried.
   *
   * @param cause why the call failed: a {@link MasterLostException} if no ApplicationMaster of the
   *     job can be reached any more; anything else is a defect of the executor
   */
  record CallFailed(Throwable cause) implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) {
      stateMachine.onCallFailed(cause);
    }
  }

  /**
   * YARN sent SIGTERM to this executor, which therefore ends the program.
   *
   * @param grace time for the program to end by itself before it is killed
   * @param completion completed when the program has ended or was killed: with the uploader of its
   *     checkpoints, which may still be busy, if there is one
   */
  record TerminationRequested(
      Duration grace, CompletableFuture<Optional<CheckpointUploader>> completion)
      implements ExecutorEvent {
    @Override
    public void applyTo(TaskStateMachine stateMachine) throws InterruptedException {
      stateMachine.onTerminationRequested(grace, completion);
    }
  }
}
