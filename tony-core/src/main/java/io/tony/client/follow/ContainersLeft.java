package io.tony.client.follow;

import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * What YARN says of the containers of an application that was to end: the receipt of a kill. Of one
 * that has ended, YARN knows what its scheduler still holds, and not what nodes still run: they end
 * the processes.
 */
final class ContainersLeft {
  /** YARN takes the containers of an application back a moment after it shows it as ended. */
  static final Duration PATIENCE = Duration.ofSeconds(2);

  private final YarnClient yarn;
  private final RunningApplication application;
  private final Duration patience;

  ContainersLeft(YarnClient yarn, RunningApplication application, Duration patience) {
    this.yarn = yarn;
    this.application = application;
    this.patience = patience;
  }

  /** In a line; of what YARN does not say, nothing is claimed. */
  String told() throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    try {
      ApplicationReport report = application.report();
      long left = left(report);
      while ((left > 0 || !RunningApplication.ended(report)) && System.nanoTime() < deadline) {
        Thread.sleep(RunningApplication.LOOK_EVERY.toMillis());
        report = application.report();
        left = left(report);
      }
      if (!RunningApplication.ended(report)) {
        return "YARN does not confirm the end of "
            + application.id()
            + ": it shows it as "
            + report.getYarnApplicationState();
      }
      return left == 0
          ? "containers left: 0, as YARN has it"
          : "containers left: " + left + ", as YARN has it; their nodes end the processes";
    } catch (IOException | YarnException | RuntimeException e) {
      return "how many containers are left is not known: " + Refusal.sentence(e);
    }
  }

  /** Containers that go from one ApplicationMaster to the next are with the last. */
  private long left(ApplicationReport report) throws IOException, YarnException {
    if (report.getCurrentApplicationAttemptId() == null) {
      return 0; // it never got as far as one
    }
    return yarn.getContainers(report.getCurrentApplicationAttemptId()).stream()
        .filter(container -> container.getContainerState() != ContainerState.COMPLETE)
        .count();
  }
}
