package io.tony.azkaban;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Deletes the files that killed Azkaban executors left behind, because they contain properties of
 * jobs, possibly passwords. A folder is deleted only if it is not a link, belongs to this user, is
 * closed to other users, and no live JVM holds its {@link AttemptLock}.
 */
final class DeadAttempts {

  private static final int OPEN_TO_OTHERS = 0077;

  private DeadAttempts() {}

  /**
   * Deletes the folders of dead attempts in {@code parent}. Skips folders that cannot be deleted or
   * that another process deletes concurrently.
   *
   * @param glob matches the names of attempts' folders
   */
  static void delete(Path parent, String glob) {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, glob)) {
      for (Path folder : folders) {
        deleteIfDead(folder);
      }
    } catch (IOException | DirectoryIteratorException e) {
      // The next attempt of any job will try again to delete the folders.
    }
  }

  private static void deleteIfDead(Path folder) {
    try {
      if (!isOwn(folder)) {
        return;
      }
      Optional<AttemptLock> lock = AttemptLock.takeOver(folder);
      if (lock.isPresent()) {
        try {
          AttemptFiles.deleteFolder(folder);
        } finally {
          lock.get().close();
        }
      }
    } catch (IOException | RuntimeException e) {
      // Either another process is deleting the folder, or the deletion failed and the next attempt
      // of any job will try it again.
    }
  }

  private static boolean isOwn(Path folder) throws IOException {
    Map<String, Object> found =
        Files.readAttributes(folder, "unix:uid,mode,isDirectory", LinkOption.NOFOLLOW_LINKS);
    int mode = (int) Objects.requireNonNull(found.get("mode"));
    return Boolean.TRUE.equals(found.get("isDirectory"))
        && Files.getAttribute(Paths.get("/proc/self"), "unix:uid").equals(found.get("uid"))
        && (mode & OPEN_TO_OTHERS) == 0;
  }
}
