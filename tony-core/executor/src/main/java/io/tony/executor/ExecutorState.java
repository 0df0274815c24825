package io.tony.executor;

import io.tony.executor.rpc.ExecutorCommand;
import org.jspecify.annotations.Nullable;

/**
 * State of a {@link TaskStateMachine}. In every state, if the ApplicationMaster is lost, the
 * program is ended and its remaining checkpoints are uploaded; the state then becomes {@link
 * Idle#FINISHED}.
 */
sealed interface ExecutorState {
  /**
   * Returns the current run of the program if the state is {@link Running} or {@link Uploading};
   * null in all other states.
   */
  default @Nullable ProgramSession session() {
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
     * No program runs, and the exit of the attempt was reported. Next: {@link #WAITING} on a
     * restart command, {@link #FINISHED} on a stop command.
     */
    ENDED,
    /** Final state: the executor can end. */
    FINISHED
  }

  /**
   * Downloading the checkpoint from which the program is to resume. Next: as from {@link
   * Idle#WAITING}.
   *
   * @param start the start command, carried out when the download has succeeded
   * @param restoreNumber how many downloads this executor has begun, including this one
   * @param request last checkpoint request that came during the download, to be passed to the
   *     program when it runs; null if none came
   */
  record Resuming(
      ExecutorCommand.Start start,
      int restoreNumber,
      ExecutorCommand.@Nullable AskForCheckpoint request)
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
   * The program runs, or is being ended by a stop or restart command or at a time limit. Next:
   * {@link Uploading} when all processes of its process group have ended.
   */
  record Running(ProgramSession session) implements ExecutorState {
    @Override
    public String toString() {
      return "RUNNING";
    }
  }

  /**
   * The program has ended, and its remaining checkpoints are being copied to the cluster. If the
   * program failed, the container may also be held so that users can inspect it. When both have
   * ended, at the latest at their time limits, one of three things follows. After a stop command:
   * the exit is reported, and the state becomes {@link Idle#FINISHED}. After a restart command: the
   * exit is reported only if the program ended by itself, the next attempt is registered, and the
   * state becomes {@link Idle#WAITING}. Otherwise: the exit is reported, and the state becomes
   * {@link Idle#ENDED}.
   */
  record Uploading(ProgramSession session) implements ExecutorState {
    @Override
    public String toString() {
      return "UPLOADING";
    }
  }
}
