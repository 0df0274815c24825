package io.tony;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The working tree that is built, for tests that read documents, scripts or sources. */
public final class Repository {
  /** A file that only the top folder has. */
  private static final String MARK = "mvnw";

  private static final Path TOP = top();

  private Repository() {}

  /** Surefire gives the module's folder as {@code basedir}. */
  private static Path top() {
    Path folder = Path.of(System.getProperty("basedir", "")).toAbsolutePath().normalize();
    while (!Files.exists(folder.resolve(MARK))) {
      folder = folder.getParent();
    }
    return folder;
  }

  /** Returns the absolute path of a file or folder, given from the top of the repository. */
  public static Path path(String file) {
    return TOP.resolve(file);
  }

  /** Returns a path from the top of the repository; a path outside it unchanged. */
  static Path name(Path file) {
    return file.startsWith(TOP) ? TOP.relativize(file) : file;
  }

  /** Returns the folders of all modules. */
  static List<Path> modules() throws IOException {
    List<Path> modules = new ArrayList<>();
    for (Path parent : List.of(TOP, path("tony-core"))) {
      try (Stream<Path> folders = Files.list(parent)) {
        folders.filter(folder -> Files.exists(folder.resolve("pom.xml"))).forEach(modules::add);
      }
    }
    return modules;
  }

  /**
   * Returns the files below one folder of each module.
   *
   * @param folder such as {@code src/main}; a module may lack it
   */
  public static List<Path> files(String folder, String suffix) throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path module : modules()) {
      Path top = module.resolve(folder);
      if (Files.isDirectory(top)) {
        try (Stream<Path> files = Files.walk(top)) {
          files
              .filter(file -> file.toString().endsWith(suffix) && Files.isRegularFile(file))
              .forEach(found::add);
        }
      }
    }
    return found;
  }
}
