package io.tony.executor.checkpoint;

import io.tony.checkpoint.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;

/** The folder of all checkpoint sets, in the cluster's file system. */
public interface ClusterStore {
  /** The checkpoint is missing or damaged; retrying does not help. */
  final class UnusableCheckpointException extends IOException {
    private static final long serialVersionUID = 1;

    /** Creates an exception. {@code why} names the reason and what happens to the checkpoint. */
    public UnusableCheckpointException(String why, Throwable cause) {
      super(why, cause);
    }
  }

  /**
   * Uploads a task's checkpoint. The upload is atomic: the checkpoint is complete when this method
   * returns, and absent if it fails.
   *
   * @param folder URI of the folder of all sets
   * @param checkpointName name of the set's folder
   * @param manifest manifest without files
   * @param files local files to copy, by their paths in the manifest
   * @param check called after the copy; if it throws, the exception is rethrown and nothing is kept
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
   * Downloads a task's checkpoint. A damaged checkpoint is renamed in the cluster, so that no other
   * task tries it.
   *
   * @param folder URI of the folder of all sets
   * @param checkpointName name of the set's folder
   * @param task name of the task's folder in the set
   * @param target local folder; receives the checkpoint's file or folder under its own name
   * @return the manifest of the downloaded checkpoint
   * @throws UnusableCheckpointException if the checkpoint is damaged or missing
   */
  Manifest download(String folder, String checkpointName, String task, Path target)
      throws IOException, InterruptedException;
}
