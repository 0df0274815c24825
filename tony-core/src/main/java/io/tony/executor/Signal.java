package io.tony.executor;

import io.tony.executor.MasterLink.MasterLost;
import io.tony.executor.rpc.Command;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** What the owner of a {@link TaskLife} is told by other threads. */
sealed interface Signal {
  /** By the owner's thread. */
  void takeUp(TaskLife life) throws IOException, MasterLost, InterruptedException;

  /** The source folder is unpacked; {@code failure} is null, or says why it is not. */
  record Prepared(IOException failure) implements Signal {
    @Override
    public void takeUp(TaskLife life) {
      life.prepared(failure);
    }
  }

  /** The ApplicationMaster wants something. */
  record Commanded(Command command) implements Signal {
    @Override
    public void takeUp(TaskLife life) throws IOException, MasterLost, InterruptedException {
      life.commanded(command);
    }
  }

  /** The program and its group are gone. */
  record ProgramEnded(int exitCode) implements Signal {
    @Override
    public void takeUp(TaskLife life) throws IOException, MasterLost, InterruptedException {
      life.programEnded(exitCode);
    }
  }

  /** The program accepts connections at the port for TensorBoard. */
  record TensorBoardListens(ProgramRun run) implements Signal {
    @Override
    public void takeUp(TaskLife life) {
      life.tensorBoardListens(run);
    }
  }

  /** A call of the ApplicationMaster failed for good. */
  record CallFailed(Exception cause) implements Signal {
    @Override
    public void takeUp(TaskLife life) {
      life.callFailedForGood(cause);
    }
  }

  /** YARN ends this container; {@code done} is to be counted down when the program is gone. */
  record Terminated(Duration grace, CountDownLatch done) implements Signal {
    @Override
    public void takeUp(TaskLife life) throws InterruptedException {
      life.terminated(grace, done);
    }
  }
}
