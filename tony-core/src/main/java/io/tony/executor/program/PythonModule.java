package io.tony.executor.program;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The Python modules that TonY brings: {@code tony}, which every program may import, writes the
 * lines that this executor reads (docs/tony-py.md); {@code tony_notebook.py} is the program of
 * {@code tony notebook}. A {@code tony.py} beside the user's script comes before this one.
 */
final class PythonModule {
  /** Of the folders in which Python looks for modules, after that of the script. */
  static final String PATH = "PYTHONPATH";

  private static final List<String> FILES = List.of("tony.py", "tony_notebook.py");

  private PythonModule() {}

  /** Writes them anew, since a program may have tidied up; returns their folder. */
  static Path write(Path workingDirectory) throws IOException {
    Path folder = Files.createDirectories(workingDirectory.resolve(".tony/python"));
    for (String file : FILES) {
      try (InputStream in = PythonModule.class.getResourceAsStream(file)) {
        Files.write(folder.resolve(file), in.readAllBytes());
      }
    }
    return folder;
  }

  /** The user's path, null where there is none, and this folder after it. */
  static String pathWith(String users, Path folder) {
    return users == null || users.isEmpty() ? folder.toString() : users + ":" + folder;
  }
}
