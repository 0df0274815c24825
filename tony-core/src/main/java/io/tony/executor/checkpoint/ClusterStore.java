package io.tony.executor.checkpoint;

import io.tony.checkpoint.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;

/** Uploads and downloads checkpoints in the cluster's file system. */
public interface ClusterStore {
  /** Thrown when a checkpoint is missing or damaged, so that retrying does not help. */
  final class UnusableCheckpointException extends IOException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param why the reason, and what to do or what was done with the checkpoint; shown to users
     */
    public UnusableCheckpointException(String why, Throwable cause) {
      super(why, cause);
    }
  }

  /**
   * Uploads a task's checkpoint. The upload is atomic: the checkpoint is complete when this method
   * returns, and absent if this method fails.
   *
   * @param folder URI of the folder of all checkpoint sets
   * @param checkpointName name of the set's folder
   * @param manifest manifest of the checkpoint, without files
   * @param files local files to copy, by their paths in the manifest
   * @param check called after the copy; if it throws an exception, the exception is rethrown and
   *     nothing is saved
   * @return the manifest with its files; if the set already holds a checkpoint of this task, that
   *     checkpoint stays and its manifest is returned
   */
  Manifest upload(
      String folder,
      String checkpointName,
      Manifest manifest,
      Map<String, Path> files,
      Callable<Void> check)
      throws IOException, InterruptedException;

  /**
   * Downloads a task's checkpoint. If it is damaged, its folder in the cluster is renamed, so that
   * no task resumes from it again.
   *
   * @param folder URI of the folder of all checkpoint sets
   * @param checkpointName name of the set's folder
   * @param task name of the task's folder in the set
   * @param target local folder; receives the checkpoint's file or folder, under that file's or
   *     folder's own name
   * @return the manifest of the downloaded checkpoint
   * @throws UnusableCheckpointException if the checkpoint is damaged or missing
   */
  Manifest download(String folder, String checkpointName, String task, Path target)
      throws IOException, InterruptedException;
}
