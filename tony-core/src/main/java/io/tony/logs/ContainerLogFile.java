package io.tony.logs;

import java.util.Arrays;

/** What each task writes into its container's folder for logs. */
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
   * The one of this name.
   *
   * @throws IllegalArgumentException where there is none
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
