package io.tony.client.submit;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What the client writes besides its exit code and its normal log lines.
 *
 * @param statusFile file for the state of the job; null for none
 * @param outputFile file for the outputs of the user's programs; null for none
 * @param machineLines whether the log also contains events as machine-readable lines
 * @param verbose whether the log contains more details
 */
public record ReportTargets(
    @Nullable Path statusFile, @Nullable Path outputFile, boolean machineLines, boolean verbose) {
  /**
   * Returns whether another process, such as TonY's job type, started this client and relies on it
   * to end the job. Without such a process, a person who follows another client's application only
   * observes it.
   */
  public boolean hasParentProcess() {
    return statusFile != null;
  }
}
