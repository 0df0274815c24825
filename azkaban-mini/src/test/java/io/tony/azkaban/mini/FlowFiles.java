package io.tony.azkaban.mini;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes a flow folder for a test. */
record FlowFiles(Path folder) {

  static FlowFiles in(Path folder) throws IOException {
    return new FlowFiles(Files.createDirectories(folder));
  }

  /**
   * Writes {@code name.job}.
   *
   * @param name may lie in a subfolder
   */
  FlowFiles job(String name, String... lines) {
    return file(name + ".job", lines);
  }

  FlowFiles file(String name, String... lines) {
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
