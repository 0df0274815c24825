package io.tony.azkaban;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;
import java.util.Optional;

/**
 * The container in which Azkaban 4 runs one execution and no other ({@code FlowContainer}). Azkaban
 * starts it with these variables of the environment, which no job of the execution can change any
 * more.
 */
final class Pod {

  private static final String EXECUTION = "FLOW_EXECUTION_ID";
  private static final String AZKABAN_HOME = "AZ_HOME";

  private Pod() {}

  /** True where this JVM is Azkaban in such a container. */
  static boolean isPod(Map<String, String> environment) {
    return environment.getOrDefault(EXECUTION, "").matches("[0-9]{1,18}");
  }

  /** True where this JVM is Azkaban in the container of this execution. */
  static boolean isPodOf(String execution, Map<String, String> environment) {
    return isPod(environment) && environment.get(EXECUTION).equals(execution);
  }

  /**
   * The real path of the execution's folder, which Azkaban has made for it; empty where this is not
   * the container of this execution.
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
