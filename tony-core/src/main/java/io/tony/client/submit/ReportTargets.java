package io.tony.client.submit;

import java.nio.file.Path;

/** What whoever started this client wants besides its exit code; each path may be null. */
public record ReportTargets(
    Path statusFile, Path outputFile, boolean machineLines, boolean verbose) {
  /**
   * Whether a program has started this client and answers for the job, as the job type does: a
   * person who follows an application only looks on.
   */
  public boolean hasParentProcess() {
    return statusFile != null;
  }
}
