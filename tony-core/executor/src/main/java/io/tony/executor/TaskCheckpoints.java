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
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Prepares and saves the checkpoints of the programs that run in this container: downloads the
 * checkpoint to resume from, creates the checkpoint folders of each program and starts the upload
 * of the checkpoints that the program names. Used only by the thread that runs the state machine.
 */
final class TaskCheckpoints {
  private static final ExecutorLog LOG = new ExecutorLog(TaskCheckpoints.class);
  private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);

  /** How often to try to download one checkpoint: HDFS or the network may fail for a moment. */
  private static final int MAX_TRIES = 3;

  /** Receives the result of {@link #restore}. */
  interface RestoreListener {
    /**
     * Called when the download has succeeded or failed.
     *
     * @param checkpointPath local path of the checkpoint; null if the download failed
     * @param failure why the download failed; null on success
     */
    void onRestored(@Nullable String checkpointPath, @Nullable Exception failure);
  }

  private final Path workingDirectory;
  private final ClusterStore store;
  private final Spawner spawner;
  private final Duration pause;
  // checkpoint folders of the last program for which prepare was called; null before the first call
  private @Nullable CheckpointWorkFolders folders;
  private @Nullable Thread restoreThread; // thread of the last download; null before the first

  TaskCheckpoints(Path workingDirectory, ClusterStore store, Spawner spawner) {
    this(workingDirectory, store, spawner, RETRY_PAUSE);
  }

  /**
   * Creates an instance.
   *
   * @param pause time before the second try of a download; twice as long before the third
   */
  TaskCheckpoints(Path workingDirectory, ClusterStore store, Spawner spawner, Duration pause) {
    this.spawner = spawner;
    this.workingDirectory = workingDirectory;
    this.store = store;
    this.pause = pause;
  }

  /**
   * Downloads the checkpoint to resume from, on a new thread.
   *
   * @param folder URI of the folder that holds all checkpoint sets
   * @param from tells which checkpoint to download
   * @param listener called on the new thread, or on the calling thread if no thread can be started;
   *     not called if the download is cancelled
   */
  void restore(String folder, CheckpointPlan.Resume from, RestoreListener listener) {
    try {
      restoreThread = spawner.startThread("resume", () -> restoreNow(folder, from, listener));
    } catch (IOException e) {
      listener.onRestored(null, e);
    }
  }

  private void restoreNow(String folder, CheckpointPlan.Resume from, RestoreListener listener) {
    try {
      listener.onRestored(restoreWithRetries(folder, from), null);
    } catch (IOException | RuntimeException e) {
      listener.onRestored(null, e);
    } catch (InterruptedException e) {
      // cancelRestore has cancelled the download, so listener is not called.
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Downloads the checkpoint and returns its local path. Uses a new folder each time, because an
   * earlier download that was cancelled may still be writing into its folder.
   */
  private String restoreWithRetries(String folder, CheckpointPlan.Resume from)
      throws IOException, InterruptedException {
    Path fresh = FreshFolder.create(workingDirectory.resolve(".tony/checkpoint"));
    FreshFolder.deleteOlder(
        fresh); // before the download: the disk may have no room for two checkpoints
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

  /** Cancels the download in progress, if there is one, without waiting for its end. */
  void cancelRestore() {
    if (restoreThread != null) {
      restoreThread.interrupt();
    }
  }

  /**
   * Creates the checkpoint folders of the program that is about to start. Returns the environment
   * variables that tell the program these folders and the checkpoint to resume from.
   *
   * @param checkpointPath local path of the checkpoint to resume from; null to start from scratch
   */
  Map<String, String> prepare(CheckpointPlan checkpoints, @Nullable String checkpointPath)
      throws IOException {
    CheckpointWorkFolders created = CheckpointWorkFolders.create(workingDirectory, spawner);
    folders = created;
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("TONY_CHECKPOINT_LOCAL", created.localFolder().toString());
    if (checkpoints.upload() != null) {
      environment.put("TONY_CHECKPOINT_FILE", created.namesFile().toString());
    }
    if (checkpointPath != null) {
      environment.put("TONY_CHECKPOINT_LATEST", checkpointPath);
      CheckpointPlan.Resume resume = Objects.requireNonNull(checkpoints.resume());
      environment.put("TONY_CHECKPOINT_STEP", Long.toString(resume.number()));
    }
    return environment;
  }

  /**
   * Starts uploading the checkpoints of the program for which {@link #prepare} was called last.
   * Returns null if the task saves no checkpoints.
   *
   * @param task the program's task
   * @param outcomes receives the outcome of each checkpoint; called on another thread
   */
  @Nullable CheckpointUploader startUploader(
      TaskId task, CheckpointPlan checkpoints, Consumer<CheckpointOutcome> outcomes)
      throws IOException {
    return checkpoints.upload() == null
        ? null
        : CheckpointUploader.start(
            checkpoints, task, Objects.requireNonNull(folders), store, outcomes, spawner);
  }
}
