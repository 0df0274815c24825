package io.tony.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the files of a flow folder for a test.
 *
 * @param folder the flow folder
 */
public record FlowFolder(Path folder) {

  /** Returns the flow folder at this path; creates the folder if it does not exist. */
  public static FlowFolder in(Path folder) throws IOException {
    return new FlowFolder(Files.createDirectories(folder));
  }

  /**
   * Returns the lines of a {@code .job} file of type {@code tony}: options for small containers,
   * then the given lines, which may override them.
   */
  public static String[] tony(String... lines) {
    List<String> all =
        new ArrayList<>(List.of("type=tony", "tony.am.memory=256m", "tony.worker.memory=128m"));
    all.addAll(List.of(lines));
    return all.toArray(String[]::new);
  }

  /**
   * Writes the file {@code NAME.job}.
   *
   * @param name the job's name; may contain a subfolder
   */
  public FlowFolder job(String name, String... lines) {
    return file(name + ".job", lines);
  }

  /**
   * Writes a file into the folder, in UTF-8.
   *
   * @param name may contain a subfolder
   */
  public FlowFolder file(String name, String... lines) {
    try {
      Path file = folder.resolve(name);
      Files.createDirectories(file.getParent());
      Files.write(file, List.of(lines));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
