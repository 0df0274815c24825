package io.tony.executor.checkpoint;

import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Folders and files for the checkpoints of one start of the program, below the task's working
 * directory. Each start has its own, because an upload of an earlier start that was given up may
 * still be reading the hard links there.
 */
public final class CheckpointWorkFolders {
  private final Path workingDirectory;
  private final Path root;

  private CheckpointWorkFolders(Path workingDirectory, Path root) {
    this.workingDirectory = workingDirectory;
    this.root = root;
  }

  /**
   * Creates the folders for the program that is about to start. A background thread deletes those
   * of earlier starts.
   */
  public static CheckpointWorkFolders create(Path workingDirectory, Spawner spawner)
      throws IOException {
    Path root = FreshFolder.create(workingDirectory.resolve(".tony/checkpoints"));
    CheckpointWorkFolders folders = new CheckpointWorkFolders(workingDirectory, root);
    Files.createDirectory(folders.localFolder());
    try {
      spawner.startThread("checkpoints-delete", () -> FreshFolder.deleteOlder(root));
    } catch (IOException e) {
      // Ignored: the next start of a program tries again to delete the older folders.
    }
    return folders;
  }

  /** Returns the task's working directory; relative paths of checkpoints are relative to it. */
  Path workingDirectory() {
    return workingDirectory;
  }

  /**
   * Returns the folder in which the program may write checkpoints ({@code TONY_CHECKPOINT_LOCAL}).
   */
  public Path localFolder() {
    return root.resolve("local");
  }

  /**
   * Returns the file in which the program names finished checkpoints ({@code
   * TONY_CHECKPOINT_FILE}).
   */
  public Path namesFile() {
    return root.resolve("named");
  }

  /** Returns the folder for the hard links of the snapshot with this number. */
  Path links(long number) {
    return root.resolve("links").resolve(Long.toString(number));
  }
}
