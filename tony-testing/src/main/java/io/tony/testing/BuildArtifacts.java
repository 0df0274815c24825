package io.tony.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The repository and what this build has made in it, for tests, which run in a module's folder. */
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

  /** A file or folder of the repository, such as {@code sample-flows/nightly}. */
  public static Path file(String name) {
    Path file = ROOT.resolve(name);
    if (!Files.exists(file)) {
      throw new IllegalStateException(file + " is missing; mvn package makes what a build makes");
    }
    return file;
  }

  /** The one jar that jobs run on; beside it, {@code lib} has what only the command needs. */
  public static Path coreJar() {
    return jar("tony-core");
  }

  static Path miniJar() {
    return jar("tony-mini");
  }

  /** Hadoop's jars, and what else its daemons run on. */
  public static Path hadoopJars() {
    return file("tony-mini/target/lib");
  }

  /** The folder of the job type as it is to be copied. */
  public static Path jobType() {
    return file("azkaban-jobtype-tony/target/plugins/jobtypes/tony");
  }

  /** The folder of the viewer as it is to be copied. */
  public static Path viewer() {
    return file("azkaban-viewer-tony/target/plugins/viewer/tony");
  }

  /** The release. */
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
