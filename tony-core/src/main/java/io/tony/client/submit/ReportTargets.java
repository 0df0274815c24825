package io.tony.client.submit;

import java.nio.file.Path;

/**
 * What the client reports besides its exit code, and where.
 *
 * @param statusFile file for the state of the job; null for none
 * @param outputFile file for the job's output properties; null for none
 * @param machineLines whether the log contains lines for programs
 * @param verbose whether the log contains details
 */
public record ReportTargets(
    Path statusFile, Path outputFile, boolean machineLines, boolean verbose) {
  /**
   * Returns whether another program, such as the job type, started this client and relies on it to
   * end the job. A person who follows an application only observes it.
   */
  public boolean hasParentProcess() {
    return statusFile != null;
  }
}
