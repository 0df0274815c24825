package io.tony.executor.program;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether this process is in a Docker container that YARN has started. Such a container has process
 * numbers of its own, and process 1 is what YARN has it run: the launch script, whose path holds
 * the container's id, or what the script has become; or the image's entry point with the script as
 * its argument. On a bare node it is the machine's first process.
 */
final class DockerDetector {
  private static final Path INIT_COMMAND_FILE = Path.of("/proc/1/cmdline");

  private DockerDetector() {}

  /** For a container's id; null stands for none, outside YARN. */
  static boolean isInContainer(String containerId) {
    try {
      ProcessStat self = ProcessStat.of("self");
      if (self != null && self.session() == 1) {
        return true;
      }
      String initCommand = Files.readString(INIT_COMMAND_FILE, StandardCharsets.ISO_8859_1);
      return containerId != null && initCommand.contains(containerId);
    } catch (IOException e) {
      return false; // a machine that hides others' processes
    }
  }
}
