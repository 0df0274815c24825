package io.tony.executor;

import io.tony.executor.rpc.ExecutorCommand;

/**
 * State of a {@link TaskStateMachine}. From every state, the loss of the ApplicationMaster leads to
 * {@link Idle#FINISHED}, once the program has ended and its remaining checkpoints are copied.
 */
sealed interface ExecutorState {
  /** Returns the current run of the program; null in states without a program. */
  default ProgramSession session() {
    return null;
  }

  /** States in which no program runs, no checkpoint is downloaded and none is uploaded. */
  enum Idle implements ExecutorState {
    /**
     * The task is registered, and the user's source folder is being unpacked. Next: {@link
     * #WAITING}, or {@link #ENDED} if unpacking failed.
     */
    PREPARING,
    /**
     * Waiting for the start command. Next: {@link Running}, or {@link Resuming} if there is a
     * checkpoint to resume from; {@link #ENDED} if the program cannot be started; {@link #WAITING}
     * again if a restart command comes first; {@link #FINISHED} on a stop command.
     */
    WAITING,
    /**
     * The exit of the attempt was reported. Next: {@link #WAITING} on a restart command, {@link
     * #FINISHED} on a stop command.
     */
    ENDED,
    /** Final state. */
    FINISHED
  }

  /**
   * Downloading the checkpoint to resume from. Next: as from {@link Idle#WAITING}.
   *
   * @param start command to run once the download has succeeded
   * @param restoreNumber number of this download in the life of the executor
   * @param request a checkpoint request that came during the download, to be passed to the program;
   *     null if none
   */
  record Resuming(
      ExecutorCommand.Start start, int restoreNumber, ExecutorCommand.AskForCheckpoint request)
      implements ExecutorState {
    Resuming withRequest(ExecutorCommand.AskForCheckpoint newRequest) {
      return new Resuming(start, restoreNumber, newRequest);
    }

    @Override
    public String toString() {
      return "RESUMING";
    }
  }

  /**
   * The program runs, or is ending after a stop or restart command. Next: {@link Uploading} when
   * all processes of its process group have ended.
   */
  record Running(ProgramSession session) implements ExecutorState {
    @Override
    public String toString() {
      return "RUNNING";
    }
  }

  /**
   * The program has ended, and its remaining checkpoints are being copied to the cluster. If the
   * program failed, the container may also be held so that users can inspect it. When both are done
   * or timed out: after a restart command, the next attempt is registered and the state becomes
   * {@link Idle#WAITING} (the exit is then reported only if the program ended by itself). Otherwise
   * the exit is reported, and the state becomes {@link Idle#FINISHED} after a stop command, else
   * {@link Idle#ENDED}.
   */
  record Uploading(ProgramSession session) implements ExecutorState {
    @Override
    public String toString() {
      return "UPLOADING";
    }
  }
}
