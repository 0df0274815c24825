package io.tony.azkaban;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;
import java.util.Optional;

/**
 * The container in which Azkaban 4 runs a single execution ({@code FlowContainer}), called pod. It
 * is recognized by environment variables that Azkaban sets when it starts the container; a job
 * cannot change them.
 */
final class Pod {

  private static final String EXECUTION = "FLOW_EXECUTION_ID";
  private static final String AZKABAN_HOME = "AZ_HOME";

  private Pod() {}

  /**
   * Returns true if this JVM is Azkaban in a pod.
   *
   * @param environment of this JVM
   */
  static boolean isPod(Map<String, String> environment) {
    return environment.getOrDefault(EXECUTION, "").matches("[0-9]{1,18}");
  }

  /**
   * Returns true if this JVM is Azkaban in the pod of this execution.
   *
   * @param execution the execution's id
   * @param environment of this JVM
   */
  static boolean isPodOf(String execution, Map<String, String> environment) {
    return isPod(environment) && execution.equals(environment.get(EXECUTION));
  }

  /**
   * Returns the real path of the folder that Azkaban created for the execution; empty if this JVM
   * does not run in the execution's pod or if the folder does not exist.
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
