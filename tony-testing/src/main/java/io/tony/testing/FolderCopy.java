package io.tony.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Copies a folder with its content. */
public final class FolderCopy {
  private FolderCopy() {}

  /**
   * Copies a folder with its content.
   *
   * @param target the path of the copy; must not exist, missing parents are created
   */
  public static void copy(Path source, Path target) throws IOException {
    Files.createDirectories(target.toAbsolutePath().getParent());
    try (Stream<Path> paths = Files.walk(source)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        Files.copy(path, target.resolve(source.relativize(path).toString()));
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
