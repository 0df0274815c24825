package io.tony.executor;

import io.tony.executor.rpc.ExecutorCommand;

/**
 * State of a {@link TaskStateMachine}. In every state, losing the ApplicationMaster leads to {@link
 * Idle#FINISHED}, after the program has ended and its remaining checkpoints are copied.
 */
sealed interface ExecutorState {
  /** Returns the run of the program; null in states without one. */
  default ProgramSession session() {
    return null;
  }

  /** States in which no program and no download is on its way. */
  enum Idle implements ExecutorState {
    /**
     * Registered; the user's source folder is being unpacked. Next: {@link #WAITING}, or {@link
     * #ENDED} if unpacking failed.
     */
    PREPARING,
    /**
     * Waiting for the start command. Next: {@link Running}, or {@link Resuming} if there is a
     * checkpoint to resume from; {@link #ENDED} if the program cannot be run; {@link #WAITING}
     * again on a restart; {@link #FINISHED} on a stop.
     */
    WAITING,
    /**
     * The program's exit was reported. Next: {@link #WAITING} on a restart, {@link #FINISHED} on a
     * stop.
     */
    ENDED,
    /** Final state. */
    FINISHED
  }

  /**
   * Downloading the checkpoint to resume from. Next: like {@link Idle#WAITING}.
   *
   * @param restoreNumber number of this download in the life of the executor
   * @param request a request for a checkpoint that came before the program runs; null if none
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
   * The program runs, or is ending after a stop or restart. Next: {@link Uploading} when all
   * processes of its group have ended.
   */
  record Running(ProgramSession session) implements ExecutorState {
    @Override
    public String toString() {
      return "RUNNING";
    }
  }

  /**
   * The program has ended; its remaining checkpoints are being copied. If the program failed, its
   * container may be held so that users can inspect it. Next, when both are done or timed out:
   * {@link Idle#WAITING} as a new attempt if a restart was received (the exit is then reported only
   * if the program ended by itself). Otherwise the exit is reported; next is {@link Idle#FINISHED}
   * if a stop was received, else {@link Idle#ENDED}.
   */
  record Uploading(ProgramSession session) implements ExecutorState {
    @Override
    public String toString() {
      return "UPLOADING";
    }
  }
}
