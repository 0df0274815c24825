package io.tony.executor;

import io.tony.checkpoint.Manifest;
import io.tony.executor.checkpoint.ClusterStore;
import io.tony.executor.checkpoint.FreshFolder;
import io.tony.executor.checkpoint.Keeper;
import io.tony.executor.checkpoint.LocalFolders;
import io.tony.executor.rpc.Checkpoints;
import io.tony.executor.rpc.Kept;
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
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** How often at most one is brought back: HDFS, or the network, may fail for a moment. */
  private static final int MOST_TRIES = 3;

  private final Path workingDirectory;
  private final ClusterStore store;
  private final Spawner spawner;
  private final Duration pause;
  private LocalFolders folders; // of the last program; null before the first
  private Thread bringing; // null before the first

  TaskCheckpoints(Path workingDirectory, ClusterStore store, Spawner spawner) {
    this(workingDirectory, store, spawner, PAUSE);
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
  void bring(Checkpoints from, BiConsumer<String, Exception> done) {
    try {
      bringing = spawner.thread("resume", () -> bringNow(from, done));
    } catch (IOException e) {
      done.accept(null, e);
    }
  }

  private void bringNow(Checkpoints from, BiConsumer<String, Exception> done) {
    try {
      done.accept(brought(from.folder(), from.resume()), null);
    } catch (IOException | RuntimeException e) {
      done.accept(null, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it was given up
    }
  }

  /** One that was given up before may write yet, into a folder of its own. */
  private String brought(String folder, Checkpoints.Resume from)
      throws IOException, InterruptedException {
    Path fresh = FreshFolder.in(workingDirectory.resolve(".tony/checkpoint"));
    FreshFolder.deleteOlder(fresh); // before there are two: they may be large
    Path into = Files.createDirectories(fresh.resolve(from.set()));
    for (int tried = 1; ; tried++) {
      try {
        Manifest manifest = store.bring(folder, from.set(), from.task(), into);
        return into + "/" + manifest.name();
      } catch (IOException e) {
        if (e instanceof ClusterStore.Unusable || tried == MOST_TRIES) {
          throw e;
        }
        Thread.sleep(tried * pause.toMillis());
        LOG.warn("the checkpoint is brought back again, as that has failed: " + e);
      }
    }
  }

  /** What is being brought back is not wanted any more. */
  void giveUp() {
    if (bringing != null) {
      bringing.interrupt();
    }
  }

  /**
   * Makes place for those of the program that is about to start.
   *
   * @param latest local path of what it goes on from; null where it begins anew
   * @return what it is told
   */
  Map<String, String> begin(Checkpoints checkpoints, String latest) throws IOException {
    folders = LocalFolders.begin(workingDirectory, spawner);
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("TONY_CHECKPOINT_LOCAL", folders.written().toString());
    if (checkpoints.keeping() != null) {
      environment.put("TONY_CHECKPOINT_FILE", folders.named().toString());
    }
    if (latest != null) {
      environment.put("TONY_CHECKPOINT_LATEST", latest);
      environment.put("TONY_CHECKPOINT_STEP", Long.toString(checkpoints.resume().number()));
    }
    return environment;
  }

  /**
   * Keeps what that program names.
   *
   * @param task whose program it is
   * @param told gets what became of each, on another thread
   * @return null where the task keeps none
   */
  Keeper keep(TaskId task, Checkpoints checkpoints, Consumer<Kept> told) throws IOException {
    return checkpoints.keeping() == null
        ? null
        : Keeper.begin(checkpoints, task, folders, store, told, spawner);
  }
}
