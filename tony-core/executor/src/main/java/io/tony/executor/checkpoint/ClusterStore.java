package io.tony.executor.checkpoint;

import io.tony.checkpoint.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;

/** Uploads and downloads checkpoints in the cluster's file system. */
public interface ClusterStore {
  /** Thrown when a checkpoint is missing or damaged, so that trying again does not help. */
  final class UnusableCheckpointException extends IOException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param why what is wrong with the checkpoint, and what was done with it or what to do; shown
     *     to users
     */
    public UnusableCheckpointException(String why, Throwable cause) {
      super(why, cause);
    }
  }

  /**
   * Uploads a task's checkpoint. The upload is atomic: if this method returns, the checkpoint is
   * complete; if it throws an exception, there is no checkpoint.
   *
   * @param folder URI of the folder of all checkpoint sets
   * @param checkpointName name of the set's folder
   * @param manifest manifest of the checkpoint, with an empty list of files
   * @param files local files to copy; the keys are their paths in the manifest
   * @param check called when all files are copied; if it throws an exception, this method throws
   *     it, too, and nothing is saved
   * @return the manifest with its list of files; if the set already holds a checkpoint of this
   *     task, that checkpoint stays and its manifest is returned
   */
  Manifest upload(
      String folder,
      String checkpointName,
      Manifest manifest,
      Map<String, Path> files,
      Callable<Void> check)
      throws IOException, InterruptedException;

  /**
   * Downloads a task's checkpoint. If the checkpoint is damaged, renames its folder in the cluster,
   * so that no task resumes from it again.
   *
   * @param folder URI of the folder of all checkpoint sets
   * @param checkpointName name of the set's folder
   * @param task name of the task's folder in the set
   * @param target local folder that receives the checkpoint's file or folder, under its original
   *     name
   * @return the manifest of the downloaded checkpoint
   * @throws UnusableCheckpointException if the checkpoint is damaged or missing
   */
  Manifest download(String folder, String checkpointName, String task, Path target)
      throws IOException, InterruptedException;
}
