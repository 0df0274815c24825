package io.tony.azkaban;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;
import java.util.Optional;

/**
 * The container in which Azkaban 4 runs one single execution ({@code FlowContainer}). It is
 * recognized by environment variables with which Azkaban starts the container; a job cannot change
 * them.
 */
final class Pod {

  private static final String EXECUTION = "FLOW_EXECUTION_ID";
  private static final String AZKABAN_HOME = "AZ_HOME";

  private Pod() {}

  /** Returns true if this JVM is Azkaban in such a container. */
  static boolean isPod(Map<String, String> environment) {
    return environment.getOrDefault(EXECUTION, "").matches("[0-9]{1,18}");
  }

  /** Returns true if this JVM is Azkaban in the container of this execution. */
  static boolean isPodOf(String execution, Map<String, String> environment) {
    return isPod(environment) && environment.get(EXECUTION).equals(execution);
  }

  /**
   * Returns the real path of the folder that Azkaban created for the execution; empty if this is
   * not the execution's container.
   */
  static Optional<Path> executionFolder(String execution, Map<String, String> environment)
      throws IOException {
    Path folder =
        Paths.get(environment.getOrDefault(AZKABAN_HOME, "")).toAbsolutePath().resolve("project");
    return isPodOf(execution, environment) && Files.isDirectory(folder)
        ? Optional.of(folder.toRealPath())
        : Optional.empty();
  }
}
