package io.tony.client.check.project;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Lists those files of a project that Azkaban reads. Azkaban ignores files whose names begin with a
 * dot.
 */
final class ProjectFiles {
  private ProjectFiles() {}

  /** Returns the files of one folder whose names end with {@code suffix}, sorted by name. */
  static List<Path> withSuffix(Path folder, String suffix) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> name(file).endsWith(suffix) && !name(file).startsWith("."))
          .sorted()
          .toList();
    }
  }

  static List<Path> folders(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(Files::isDirectory).sorted().toList();
    }
  }

  /**
   * Returns a file in this folder or in a folder below it whose name ends with {@code .project},
   * which only Flow 2.0 projects have; empty if there is none.
   */
  static Optional<Path> flow20Marker(Path folder) throws IOException {
    List<Path> found = withSuffix(folder, ".project");
    if (!found.isEmpty()) {
      return Optional.of(found.get(0));
    }
    for (Path child : folders(folder)) {
      Optional<Path> below = flow20Marker(child);
      if (below.isPresent()) {
        return below;
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the file's name without its last suffix, such as {@code train} for {@code train.job}.
   */
  static String stem(Path file) {
    return name(file).substring(0, name(file).lastIndexOf('.'));
  }

  private static String name(Path file) {
    return file.getFileName().toString();
  }
}
