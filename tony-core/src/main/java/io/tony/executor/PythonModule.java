package io.tony.executor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The Python module {@code tony}, which every program may import: it writes the lines that this
 * executor reads (docs/tony-py.md). A {@code tony.py} beside the user's script comes before it.
 */
final class PythonModule {
  /** Of the folders in which Python looks for modules, after that of the script. */
  static final String PATH = "PYTHONPATH";

  private static final String FILE = "tony.py";

  private PythonModule() {}

  /** Writes it anew, since a program may have tidied up; returns its folder, where it is alone. */
  static Path write(Path workingDirectory) throws IOException {
    Path folder = Files.createDirectories(workingDirectory.resolve(".tony/python"));
    try (InputStream in = PythonModule.class.getResourceAsStream(FILE)) {
      Files.write(folder.resolve(FILE), in.readAllBytes());
    }
    return folder;
  }

  /** The user's path, null where there is none, and this folder after it. */
  static String pathWith(String users, Path folder) {
    return users == null || users.isEmpty() ? folder.toString() : users + ":" + folder;
  }
}
