package io.tony.executor.program;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Detects whether this process runs in a Docker container that YARN has started. In such a
 * container, process 1 is one of these: YARN's launch script, whose path contains the ID of the
 * YARN container; a process that replaced the script and leads session 1, to which this process
 * then belongs; or the image's entry point, with the script's path as an argument. Without Docker,
 * process 1 is the init process of the machine.
 */
final class DockerDetector {
  private static final Path INIT_COMMAND_FILE = Path.of("/proc/1/cmdline");

  private DockerDetector() {}

  /**
   * Returns true if this process runs in a Docker container.
   *
   * @param containerId ID of this process's YARN container; null if YARN did not start this process
   */
  static boolean isInContainer(@Nullable String containerId) {
    try {
      ProcessStat self = ProcessStat.of("self");
      if (self != null && self.session() == 1) {
        return true;
      }
      String initCommand = Files.readString(INIT_COMMAND_FILE, StandardCharsets.ISO_8859_1);
      return containerId != null && initCommand.contains(containerId);
    } catch (IOException e) {
      // Process 1 cannot be read, because the machine hides other users' processes. Assume that
      // this is not a Docker container.
      return false;
    }
  }
}
