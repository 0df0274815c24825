package io.tony.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds files of the repository and the artifacts of this build, for tests. The working directory
 * of tests is the folder of their module.
 */
public final class BuildArtifacts {
  private static final Path ROOT = root();

  private BuildArtifacts() {}

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(folder.resolve(".mvn"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException(
            "no folder above " + Path.of("").toAbsolutePath() + " is the repository's");
      }
    }
    return folder;
  }

  /**
   * Returns the absolute path of a file or folder of the repository.
   *
   * @param name the path in the repository, such as {@code sample-flows/nightly}
   * @throws IllegalStateException if the file does not exist
   */
  public static Path file(String name) {
    Path file = ROOT.resolve(name);
    if (!Files.exists(file)) {
      throw new IllegalStateException(file + " is missing; mvn package makes what a build makes");
    }
    return file;
  }

  /**
   * Returns the jar that the ApplicationMaster and the tasks of a job run from. The folder {@code
   * lib} beside the jar contains the jars that only the {@code tony} command needs.
   */
  public static Path coreJar() {
    return jar("tony-core");
  }

  static Path miniJar() {
    return jar("tony-mini");
  }

  /**
   * Returns the folder that contains Hadoop's jars and the other jars that Hadoop's daemons need.
   */
  public static Path hadoopJars() {
    return file("tony-mini/target/lib");
  }

  /** Returns the built folder of the Azkaban job type, which is ready to be installed. */
  public static Path jobType() {
    return file("azkaban-jobtype-tony/target/plugins/jobtypes/tony");
  }

  /** Returns the built folder of the Azkaban viewer plugin, which is ready to be installed. */
  public static Path viewer() {
    return file("azkaban-viewer-tony/target/plugins/viewer/tony");
  }

  /** Returns the archive with the whole release. */
  public static Path tarball() {
    return only("target", "tony-azkaban-", ".tar.gz");
  }

  private static Path jar(String module) {
    return only(module + "/target", module + "-", ".jar");
  }

  private static Path only(String folder, String prefix, String suffix) {
    try (Stream<Path> files = Files.list(file(folder))) {
      List<Path> found =
          files
              .filter(file -> file.getFileName().toString().startsWith(prefix))
              .filter(file -> file.getFileName().toString().endsWith(suffix))
              .toList();
      if (found.size() != 1) {
        throw new IllegalStateException(
            "one " + prefix + "*" + suffix + " is expected, not " + found + "; run mvn clean");
      }
      return found.get(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
