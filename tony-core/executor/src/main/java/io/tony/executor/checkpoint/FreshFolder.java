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
 * Creates a new numbered folder for each start of the program, and deletes older ones. The folder
 * of the previous start is not reused, because a cancelled thread may still use it or it may not be
 * deletable.
 */
public final class FreshFolder {
  /**
   * Deletes as much of a folder as possible and ignores failures. Several threads may delete the
   * same folder at the same time.
   */
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
        // Ignored: the file does no harm, and YARN deletes it with the container.
      }
      return FileVisitResult.CONTINUE;
    }
  }

  private FreshFolder() {}

  /**
   * Creates an empty folder in {@code parent} and returns it. Its name is a number higher than
   * those of all other folders there. No number is used twice, because {@link #deleteOlder} keeps
   * the latest folder.
   *
   * @param parent folder in which to create the new one; created if missing
   */
  public static Path create(Path parent) throws IOException {
    Files.createDirectories(parent);
    for (int number = lastNumber(parent) + 1; ; number++) {
      try {
        return Files.createDirectory(parent.resolve(Integer.toString(number)));
      } catch (FileAlreadyExistsException e) {
        // created by another thread: try the next number
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

  /** Returns the folder's number; 0 if its name is not a number. */
  private static int number(Path folder) {
    String name = folder.getFileName().toString();
    return name.matches("[0-9]{1,9}") ? Integer.parseInt(name) : 0;
  }

  /**
   * Deletes the folders with lower numbers than {@code fresh}, as far as possible. May take long;
   * other threads may create newer folders meanwhile.
   */
  public static void deleteOlder(Path fresh) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(fresh.getParent())) {
      for (Path folder : all) {
        if (number(folder) < number(fresh)) {
          delete(folder);
        }
      }
    } catch (IOException | RuntimeException e) {
      // Ignored: the next start of a program tries again.
    }
  }

  /** Deletes a folder with its content, as far as possible. Does not follow links. */
  static void delete(Path folder) {
    try {
      Files.walkFileTree(folder, new Deletion());
    } catch (IOException e) {
      // Cannot happen: the visitor throws nothing.
    }
  }
}
