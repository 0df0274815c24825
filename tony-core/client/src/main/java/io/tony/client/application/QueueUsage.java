package io.tony.client.application;

import io.tony.text.Strings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationResourceUsageReport;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueStatistics;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.jspecify.annotations.Nullable;

/**
 * The usage of the queue in which an application waits: how full the queue is and which other
 * applications it contains, as far as YARN shows them to this user.
 *
 * @param queue name of the queue
 * @param capacity the queue's share of its parent queue's capacity, from 0 to 1; negative if
 *     unknown
 * @param maxCapacity maximum share of the parent queue's capacity that the queue may use, from 0 to
 *     1; negative if unknown
 * @param usedFraction used part of the queue's own capacity; above 1 if the queue uses more than
 *     its capacity, negative if unknown
 * @param runningCount number of other running applications in the queue
 * @param memoryMiB memory that those running applications use
 * @param vcores vcores that those running applications use
 * @param waitingBeforeCount number of other waiting applications in the queue that were submitted
 *     before this application
 * @param hiddenCount number of applications in the queue that this user may not see
 */
record QueueUsage(
    String queue,
    double capacity,
    double maxCapacity,
    double usedFraction,
    long runningCount,
    long memoryMiB,
    long vcores,
    long waitingBeforeCount,
    long hiddenCount) {
  /** Minimum change of {@code usedFraction} for which the usage is printed again. */
  private static final double SIGNIFICANT_CHANGE = 0.1;

  private static final int MAX_DIAGNOSTICS_CHARS = 400;

  static QueueUsage of(QueueInfo info, ApplicationReport own) {
    List<ApplicationReport> others =
        Optional.ofNullable(info.getApplications()).orElse(List.of()).stream()
            .filter(other -> !other.getApplicationId().equals(own.getApplicationId()))
            .filter(other -> !RunningApplication.hasEnded(other))
            .toList();
    long running = 0;
    long memoryMiB = 0;
    long vcores = 0;
    long before = 0;
    for (ApplicationReport other : others) {
      if (other.getYarnApplicationState() == YarnApplicationState.RUNNING) {
        running++;
        ApplicationResourceUsageReport usage = other.getApplicationResourceUsageReport();
        if (usage != null && usage.getUsedResources() != null) {
          memoryMiB += Math.max(0, usage.getUsedResources().getMemorySize());
          vcores += Math.max(0, usage.getUsedResources().getVirtualCores());
        }
      } else if (other.getStartTime() < own.getStartTime()) {
        before++;
      }
    }
    QueueStatistics statistics = info.getQueueStatistics();
    long totalCount =
        statistics == null
            ? 0
            : statistics.getNumAppsRunning() + statistics.getNumAppsPending() - 1;
    return new QueueUsage(
        info.getQueueName(),
        info.getCapacity(),
        info.getMaximumCapacity(),
        info.getCurrentCapacity(),
        running,
        memoryMiB,
        vcores,
        before,
        Math.max(0, totalCount - others.size()));
  }

  boolean isSimilarTo(QueueUsage other) {
    return Math.abs(usedFraction - other.usedFraction) < SIGNIFICANT_CHANGE
        && runningCount == other.runningCount
        && waitingBeforeCount == other.waitingBeforeCount;
  }

  /**
   * Returns the line that tells users how full the queue is and which applications it contains. The
   * line ends with YARN's diagnostics of this application, if there are any.
   *
   * @param diagnostics YARN's diagnostics; null or empty if there are none
   */
  String describe(@Nullable String diagnostics) {
    List<String> parts = new ArrayList<>();
    if (isKnown(usedFraction)) {
      parts.add(percent(usedFraction) + " of its capacity is used" + share());
    }
    parts.add(
        countText(runningCount)
            + (runningCount == 1 ? " runs" : " run")
            + " in it"
            + (runningCount == 0 ? "" : " with " + memoryMiB + " MiB, " + vcores + " vcores"));
    parts.add(
        countText(waitingBeforeCount)
            + (waitingBeforeCount == 1 ? " waits" : " wait")
            + " before this one");
    if (hiddenCount > 0) {
      parts.add(hiddenCount + " more cannot be seen by this user");
    }
    String diagnosticsLine = diagnostics == null ? "" : diagnostics.strip().replaceAll("\\s+", " ");
    if (!diagnosticsLine.isEmpty()) {
      parts.add("YARN says: " + Strings.truncate(diagnosticsLine, MAX_DIAGNOSTICS_CHARS));
    }
    return "queue " + queue + ": " + String.join("; ", parts);
  }

  private String share() {
    if (!isKnown(capacity)) {
      return "";
    }
    String limit = isKnown(maxCapacity) ? ", at most " + percent(maxCapacity) : "";
    return " (" + percent(capacity) + " of its parent's" + limit + ")";
  }

  private static boolean isKnown(double fraction) {
    return fraction >= 0 && Double.isFinite(fraction);
  }

  private static String percent(double fraction) {
    return Math.round(fraction * 100) + " %";
  }

  private static String countText(long applications) {
    return applications + (applications == 1 ? " other application" : " other applications");
  }
}
