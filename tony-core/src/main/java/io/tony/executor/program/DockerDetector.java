package io.tony.executor.program;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Detects whether this process runs in a Docker container that YARN has started. Such a container
 * has its own process IDs, and process 1 is YARN's launch script (whose path contains the
 * container's ID), a process that the script has become, or the image's entry point with the script
 * as its argument. On a bare node, process 1 is the machine's first process.
 */
final class DockerDetector {
  private static final Path INIT_COMMAND_FILE = Path.of("/proc/1/cmdline");

  private DockerDetector() {}

  /**
   * Returns true if this process runs in the Docker container with this ID. {@code containerId} is
   * null outside YARN.
   */
  static boolean isInContainer(String containerId) {
    try {
      ProcessStat self = ProcessStat.of("self");
      if (self != null && self.session() == 1) {
        return true;
      }
      String initCommand = Files.readString(INIT_COMMAND_FILE, StandardCharsets.ISO_8859_1);
      return containerId != null && initCommand.contains(containerId);
    } catch (IOException e) {
      return false; // the machine hides processes of other users
    }
  }
}
