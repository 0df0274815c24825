package io.tony.executor.checkpoint;

import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Checkpoint folders of one start of a program, in the task's working directory. Each start has its
 * own, because a copy that was given up may still read the links of an earlier start.
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
      // The next start deletes them.
    }
    return folders;
  }

  /** Returns the folder against which the program's relative paths are resolved. */
  Path workingDirectory() {
    return workingDirectory;
  }

  /** Returns the folder into which the program may write checkpoints. */
  public Path localFolder() {
    return root.resolve("local");
  }

  /** Returns the file in which the program names the checkpoints that it has written. */
  public Path namesFile() {
    return root.resolve("named");
  }

  /** Returns the folder for the hard links of a checkpoint that waits to be copied. */
  Path links(long number) {
    return root.resolve("links").resolve(Long.toString(number));
  }
}
