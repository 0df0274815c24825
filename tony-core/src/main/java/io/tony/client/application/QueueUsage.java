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

/**
 * What an application waits behind: how full its queue is, and who else is in it, as far as YARN
 * lets this user see.
 *
 * @param capacity the queue's, of that of its parent; 0 to 1, and below 0 where YARN does not tell
 * @param maxCapacity what it may grow to, as {@code capacity}
 * @param usedFraction of the queue's own capacity; above 1 where it has grown; below 0 if unknown
 * @param runningCount other applications that run in it
 * @param memoryMiB what those have
 * @param waitingBeforeCount other applications that wait, and were submitted before this one
 * @param hiddenCount applications of the queue that this user may not see
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
  /** Of the queue's capacity. */
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

  /** In a line, with what YARN itself says of the application, where it says something. */
  String describe(String diagnostics) {
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
