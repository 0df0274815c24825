package io.tony.executor;

import io.tony.checkpoint.Manifest;
import io.tony.executor.checkpoint.CheckpointUploader;
import io.tony.executor.checkpoint.CheckpointWorkFolders;
import io.tony.executor.checkpoint.ClusterStore;
import io.tony.executor.checkpoint.FreshFolder;
import io.tony.executor.rpc.CheckpointOutcome;
import io.tony.executor.rpc.CheckpointPlan;
import io.tony.executor.settings.ExecutorLog;
import io.tony.model.TaskId;
import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The checkpoints of the programs of one container: what each goes on from, where it finds that,
 * and what it leaves. Used by the one thread that owns the task's life.
 */
final class TaskCheckpoints {
  private static final ExecutorLog LOG = new ExecutorLog(TaskCheckpoints.class);
  private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);

  /** How often at most one is brought back: HDFS, or the network, may fail for a moment. */
  private static final int MAX_TRIES = 3;

  private final Path workingDirectory;
  private final ClusterStore store;
  private final Spawner spawner;
  private final Duration pause;
  private CheckpointWorkFolders folders; // of the last program; null before the first
  private Thread restoreThread; // null before the first

  TaskCheckpoints(Path workingDirectory, ClusterStore store, Spawner spawner) {
    this(workingDirectory, store, spawner, RETRY_PAUSE);
  }

  /** {@code pause} is before the second time that one is brought back; twice that before more. */
  TaskCheckpoints(Path workingDirectory, ClusterStore store, Spawner spawner, Duration pause) {
    this.spawner = spawner;
    this.workingDirectory = workingDirectory;
    this.store = store;
    this.pause = pause;
  }

  /**
   * Brings back what a program is to go on from, on a thread of its own.
   *
   * @param done gets its local path and null, or null and why there is none
   */
  void restore(CheckpointPlan from, BiConsumer<String, Exception> done) {
    try {
      restoreThread = spawner.startThread("resume", () -> restoreNow(from, done));
    } catch (IOException e) {
      done.accept(null, e);
    }
  }

  private void restoreNow(CheckpointPlan from, BiConsumer<String, Exception> done) {
    try {
      done.accept(restoreWithRetries(from.folder(), from.resume()), null);
    } catch (IOException | RuntimeException e) {
      done.accept(null, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it was given up
    }
  }

  /** One that was given up before may write yet, into a folder of its own. */
  private String restoreWithRetries(String folder, CheckpointPlan.Resume from)
      throws IOException, InterruptedException {
    Path fresh = FreshFolder.create(workingDirectory.resolve(".tony/checkpoint"));
    FreshFolder.deleteOlder(fresh); // before there are two: they may be large
    Path target = Files.createDirectories(fresh.resolve(from.checkpointName()));
    for (int attempt = 1; ; attempt++) {
      try {
        Manifest manifest = store.download(folder, from.checkpointName(), from.task(), target);
        return target + "/" + manifest.name();
      } catch (IOException e) {
        if (e instanceof ClusterStore.UnusableCheckpointException || attempt == MAX_TRIES) {
          throw e;
        }
        Thread.sleep(attempt * pause.toMillis());
        LOG.warn("the checkpoint is brought back again, as that has failed: " + e);
      }
    }
  }

  /** What is being brought back is not wanted any more. */
  void cancelRestore() {
    if (restoreThread != null) {
      restoreThread.interrupt();
    }
  }

  /**
   * Makes place for those of the program that is about to start.
   *
   * @param checkpointPath local path of what it goes on from; null where it begins anew
   * @return what it is told
   */
  Map<String, String> prepare(CheckpointPlan checkpoints, String checkpointPath)
      throws IOException {
    folders = CheckpointWorkFolders.create(workingDirectory, spawner);
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("TONY_CHECKPOINT_LOCAL", folders.localFolder().toString());
    if (checkpoints.upload() != null) {
      environment.put("TONY_CHECKPOINT_FILE", folders.namesFile().toString());
    }
    if (checkpointPath != null) {
      environment.put("TONY_CHECKPOINT_LATEST", checkpointPath);
      environment.put("TONY_CHECKPOINT_STEP", Long.toString(checkpoints.resume().number()));
    }
    return environment;
  }

  /**
   * Keeps what that program names.
   *
   * @param task whose program it is
   * @param outcomes gets what became of each, on another thread
   * @return null where the task keeps none
   */
  CheckpointUploader startUploader(
      TaskId task, CheckpointPlan checkpoints, Consumer<CheckpointOutcome> outcomes)
      throws IOException {
    return checkpoints.upload() == null
        ? null
        : CheckpointUploader.start(checkpoints, task, folders, store, outcomes, spawner);
  }
}
