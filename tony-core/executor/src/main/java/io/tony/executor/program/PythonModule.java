package io.tony.executor.program;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * TonY's Python modules. A program may import {@code tony}, which writes the progress, output and
 * checkpoint lines that the executor reads (docs/tony-py.md). {@code tony_notebook.py} is the
 * program of {@code tony notebook}. A {@code tony.py} in the folder of the user's script takes
 * precedence over TonY's.
 */
final class PythonModule {
  /**
   * Environment variable with the folders in which Python looks for modules, after the script's own
   * folder.
   */
  static final String PATH = "PYTHONPATH";

  private static final List<String> FILES = List.of("tony.py", "tony_notebook.py");

  private PythonModule() {}

  /**
   * Writes the modules and returns their folder. Called before each program, because an earlier one
   * may have deleted them.
   */
  static Path write(Path workingDirectory) throws IOException {
    Path folder = Files.createDirectories(workingDirectory.resolve(".tony/python"));
    for (String file : FILES) {
      try (InputStream in = PythonModule.class.getResourceAsStream(file)) {
        Files.write(folder.resolve(file), in.readAllBytes());
      }
    }
    return folder;
  }

  /**
   * Returns the value of {@link #PATH} with the folder appended.
   *
   * @param users value that the user has set; null if none
   */
  static String pathWith(@Nullable String users, Path folder) {
    return users == null || users.isEmpty() ? folder.toString() : users + ":" + folder;
  }
}
