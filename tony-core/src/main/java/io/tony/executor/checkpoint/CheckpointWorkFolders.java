package io.tony.executor.checkpoint;

import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What one start of a program has for its checkpoints in the task's working directory. It is all
 * its own: a copy for the program before may have been given up, and still read its links.
 */
public final class CheckpointWorkFolders {
  private final Path workingDirectory;
  private final Path root;

  private CheckpointWorkFolders(Path workingDirectory, Path root) {
    this.workingDirectory = workingDirectory;
    this.root = root;
  }

  /** For the program that is about to start. What an earlier one wrote is deleted meanwhile. */
  public static CheckpointWorkFolders create(Path workingDirectory, Spawner spawner)
      throws IOException {
    Path root = FreshFolder.create(workingDirectory.resolve(".tony/checkpoints"));
    CheckpointWorkFolders folders = new CheckpointWorkFolders(workingDirectory, root);
    Files.createDirectory(folders.localFolder());
    try {
      spawner.startThread("checkpoints-delete", () -> FreshFolder.deleteOlder(root));
    } catch (IOException e) {
      // The next start deletes that, too.
    }
    return folders;
  }

  /** From which a program's relative paths go on. */
  Path workingDirectory() {
    return workingDirectory;
  }

  /** Where the program may write them. */
  public Path localFolder() {
    return root.resolve("local");
  }

  /** The file in which the program names those that it has written. */
  public Path namesFile() {
    return root.resolve("named");
  }

  /** For the links to one that waits for its copy. */
  Path links(long number) {
    return root.resolve("links").resolve(Long.toString(number));
  }
}
