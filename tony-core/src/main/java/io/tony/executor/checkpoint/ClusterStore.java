package io.tony.executor.checkpoint;

import io.tony.checkpoint.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;

/** The folder of all sets of checkpoints, in the cluster's file system. */
public interface ClusterStore {
  /** What is there cannot be brought back, however often that is tried. */
  final class UnusableCheckpointException extends IOException {
    private static final long serialVersionUID = 1;

    /** Says why, and what becomes of it. */
    public UnusableCheckpointException(String why, Throwable cause) {
      super(why, cause);
    }
  }

  /**
   * Copies a task's checkpoint into it. It is there as a whole when this returns, or not at all.
   *
   * @param folder URI of the folder
   * @param checkpointName name of the set's folder in it
   * @param manifest without files
   * @param files to copy, by their paths as the manifest is to name them
   * @param check called when they are copied: what it throws is thrown, and nothing is kept
   * @return the manifest with the files; where the set has one of this task already, which stays,
   *     that one's, made at another time
   */
  Manifest upload(
      String folder,
      String checkpointName,
      Manifest manifest,
      Map<String, Path> files,
      Callable<Void> check)
      throws IOException, InterruptedException;

  /**
   * Copies a task's checkpoint from it. What is damaged is set aside there: nobody tries it again.
   *
   * @param task name of the task's folder in that of the set
   * @param target local folder for the file or folder, under its name
   * @return of what was copied
   * @throws UnusableCheckpointException where it is damaged, or not there any more
   */
  Manifest download(String folder, String checkpointName, String task, Path target)
      throws IOException, InterruptedException;
}
