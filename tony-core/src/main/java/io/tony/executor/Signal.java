package io.tony.executor;

import io.tony.executor.MasterLink.MasterLost;
import io.tony.executor.checkpoint.Keeper;
import io.tony.executor.rpc.Command;
import io.tony.executor.rpc.Kept;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What the owner of a {@link TaskCourse} is told by other threads. */
sealed interface Signal {
  /** By the owner's thread. */
  void takeUp(TaskCourse course) throws IOException, MasterLost, InterruptedException;

  /** The source folder is unpacked; {@code failure} is null, or says why it is not. */
  record Prepared(IOException failure) implements Signal {
    @Override
    public void takeUp(TaskCourse course) {
      course.prepared(failure);
    }
  }

  /** The ApplicationMaster wants something. */
  record Commanded(Command command) implements Signal {
    @Override
    public void takeUp(TaskCourse course) throws IOException, MasterLost, InterruptedException {
      course.commanded(command);
    }
  }

  /**
   * The checkpoint is there from which a start goes on; else {@code failure} says why not. {@code
   * bring} is which one this was: one that was given up may be told as well.
   */
  record Resumed(int bring, String latest, Exception failure) implements Signal {
    @Override
    public void takeUp(TaskCourse course) throws IOException {
      course.resumed(bring, latest, failure);
    }
  }

  /** Something became of a checkpoint that the program has named. */
  record CheckpointKept(Kept kept) implements Signal {
    @Override
    public void takeUp(TaskCourse course) {
      course.kept(kept);
    }
  }

  /** The program and its group are gone. */
  record ProgramEnded(int exitCode) implements Signal {
    @Override
    public void takeUp(TaskCourse course) {
      course.programEnded(exitCode);
    }
  }

  /** Nothing is left to keep of what that program has named. */
  record AllKept() implements Signal {
    @Override
    public void takeUp(TaskCourse course) throws IOException, MasterLost, InterruptedException {
      course.allKept();
    }
  }

  /** The program accepts connections at the port for TensorBoard. */
  record TensorBoardListens(ProgramRun run) implements Signal {
    @Override
    public void takeUp(TaskCourse course) {
      course.tensorBoardListens(run);
    }
  }

  /** A call of the ApplicationMaster failed for good. */
  record CallFailed(Throwable cause) implements Signal {
    @Override
    public void takeUp(TaskCourse course) {
      course.callFailedForGood(cause);
    }
  }

  /**
   * YARN ends this container; {@code gone} is to be completed when the program is gone, with who
   * still keeps its checkpoints, or null.
   */
  record Terminated(Duration grace, CompletableFuture<Keeper> gone) implements Signal {
    @Override
    public void takeUp(TaskCourse course) throws InterruptedException {
      course.terminated(grace, gone);
    }
  }
}
