package io.tony.azkaban;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Creates and verifies folders that belong to this process's user alone. Other users except root
 * cannot read such a folder, write to it or replace it, so the files in it can be trusted.
 */
final class OwnFolder {

  private static final int WRITABLE_BY_OTHERS = 0022;
  private static final int OPEN_TO_OTHERS = 0077;

  /**
   * The sticky bit, as on {@code /tmp}: in a folder with it, users cannot rename or delete other
   * users' files.
   */
  private static final int STICKY = 01000;

  private static final int ROOT = 0;

  private OwnFolder() {}

  /**
   * Creates the folder and its parents if the folder does not exist, verifies it, and returns its
   * real path.
   *
   * @throws IOException if the folder is not owned by this user, another user has any access to it,
   *     or a user other than root could replace it
   */
  static Path make(Path folder) throws IOException {
    Path absolute = folder.toAbsolutePath();
    if (!Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectories(
          absolute,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    return verify(absolute);
  }

  /**
   * Verifies an existing folder and returns its real path.
   *
   * @throws IOException if the folder does not fulfil the conditions of {@link #make}
   */
  static Path verify(Path folder) throws IOException {
    Path real = folder.toRealPath();
    int self = user();
    if (number(real, "uid") != self || (number(real, "mode") & OPEN_TO_OTHERS) != 0) {
      throw new IOException(real + " is not this user's alone");
    }
    for (Path above = real.getParent(); above != null; above = above.getParent()) {
      int owner = number(above, "uid");
      int mode = number(above, "mode");
      boolean shared = (mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0;
      if (shared || (owner != self && owner != ROOT)) {
        throw new IOException("others can write to " + above);
      }
    }
    return real;
  }

  /** Returns the numeric id of the user that this process runs as. */
  static int user() throws IOException {
    return number(Paths.get("/proc/self"), "uid");
  }

  private static int number(Path file, String attribute) throws IOException {
    return (int) Files.getAttribute(file, "unix:" + attribute);
  }
}
