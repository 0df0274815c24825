package io.tony.executor.checkpoint;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.FileVisitor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Folders of which each start has its own. The one before may still be read or written by a thread
 * that was given up, or hold what cannot be deleted: a start waits for neither.
 */
public final class FreshFolder {
  /** Deletes as much as it can. Others may delete the same at the same time. */
  private static final class Deletion implements FileVisitor<Path> {
    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      return tryDelete(file);
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) {
      return tryDelete(file);
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, IOException failure) {
      return tryDelete(folder);
    }

    private static FileVisitResult tryDelete(Path file) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        // It is in nobody's way, and goes with the container.
      }
      return FileVisitResult.CONTINUE;
    }
  }

  private FreshFolder() {}

  /**
   * Makes an empty one. Its name is a number that grows from one to the next, so that no name comes
   * again: the last one is there when the next is made.
   *
   * @param parent in which it is to be
   */
  public static Path create(Path parent) throws IOException {
    Files.createDirectories(parent);
    for (int number = lastNumber(parent) + 1; ; number++) {
      try {
        return Files.createDirectory(parent.resolve(Integer.toString(number)));
      } catch (FileAlreadyExistsException e) {
        // another thread's, which is given up: the next number
      }
    }
  }

  private static int lastNumber(Path parent) throws IOException {
    int last = 0;
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent)) {
      for (Path folder : folders) {
        last = Math.max(last, number(folder));
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return last;
  }

  /** Zero where it is none of these. */
  private static int number(Path folder) {
    String name = folder.getFileName().toString();
    return name.matches("[0-9]{1,9}") ? Integer.parseInt(name) : 0;
  }

  /** Deletes those before it, as far as that goes. May take long: there may be newer ones then. */
  public static void deleteOlder(Path fresh) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(fresh.getParent())) {
      for (Path folder : all) {
        if (number(folder) < number(fresh)) {
          delete(folder);
        }
      }
    } catch (IOException | RuntimeException e) {
      // The next start tries again.
    }
  }

  /** With all that is in it, as far as that goes; links are not followed. */
  static void delete(Path folder) {
    try {
      Files.walkFileTree(folder, new Deletion());
    } catch (IOException e) {
      // The visitor throws nothing.
    }
  }
}
