package io.tony.executor.checkpoint;

import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What one start of a program has for its checkpoints in the task's working directory. It is all
 * its own: a copy for the program before may have been given up, and still read its links.
 */
public final class LocalFolders {
  private final Path workingDirectory;
  private final Path own;

  private LocalFolders(Path workingDirectory, Path own) {
    this.workingDirectory = workingDirectory;
    this.own = own;
  }

  /** For the program that is about to start. What an earlier one wrote is deleted meanwhile. */
  public static LocalFolders begin(Path workingDirectory, Spawner spawner) throws IOException {
    Path own = FreshFolder.in(workingDirectory.resolve(".tony/checkpoints"));
    LocalFolders folders = new LocalFolders(workingDirectory, own);
    Files.createDirectory(folders.written());
    try {
      spawner.thread("checkpoints-delete", () -> FreshFolder.deleteOlder(own));
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
  public Path written() {
    return own.resolve("local");
  }

  /** The file in which the program names those that it has written. */
  public Path named() {
    return own.resolve("named");
  }

  /** For the links to one that waits for its copy. */
  Path links(long number) {
    return own.resolve("links").resolve(Long.toString(number));
  }
}
