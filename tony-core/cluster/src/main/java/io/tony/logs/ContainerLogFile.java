package io.tony.logs;

import java.util.Arrays;

/** The files that each task writes to the log folder of its container. */
public enum ContainerLogFile {
  STDOUT("stdout"),
  STDERR("stderr"),
  EXECUTOR("executor.log");

  private final String fileName;

  ContainerLogFile(String fileName) {
    this.fileName = fileName;
  }

  public String fileName() {
    return fileName;
  }

  /**
   * Returns the constant whose file is called {@code name}.
   *
   * @throws IllegalArgumentException if there is none
   */
  static ContainerLogFile named(String name) {
    return Arrays.stream(values())
        .filter(file -> file.fileName.equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "file is stdout, stderr or executor.log, not '" + name + "'"));
  }
}
