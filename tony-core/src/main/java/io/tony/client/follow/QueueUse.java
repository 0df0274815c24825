package io.tony.client.follow;

import io.tony.model.Beginning;
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
 * @param most what it may grow to, as {@code capacity}
 * @param used of the queue's own capacity; above 1 where it has grown; below 0 if unknown
 * @param running other applications that run in it
 * @param memoryMiB what those have
 * @param before other applications that wait, and were submitted before this one
 * @param hidden applications of the queue that this user may not see
 */
record QueueUse(
    String queue,
    double capacity,
    double most,
    double used,
    long running,
    long memoryMiB,
    long vcores,
    long before,
    long hidden) {
  /** Of the queue's capacity. */
  private static final double MUCH = 0.1;

  private static final int MOST_SAID = 400;

  static QueueUse of(QueueInfo info, ApplicationReport own) {
    List<ApplicationReport> others =
        Optional.ofNullable(info.getApplications()).orElse(List.of()).stream()
            .filter(other -> !other.getApplicationId().equals(own.getApplicationId()))
            .filter(other -> !RunningApplication.ended(other))
            .toList();
    long running = 0;
    long memoryMiB = 0;
    long vcores = 0;
    long before = 0;
    for (ApplicationReport other : others) {
      if (other.getYarnApplicationState() == YarnApplicationState.RUNNING) {
        running++;
        ApplicationResourceUsageReport use = other.getApplicationResourceUsageReport();
        if (use != null && use.getUsedResources() != null) {
          memoryMiB += Math.max(0, use.getUsedResources().getMemorySize());
          vcores += Math.max(0, use.getUsedResources().getVirtualCores());
        }
      } else if (other.getStartTime() < own.getStartTime()) {
        before++;
      }
    }
    QueueStatistics all = info.getQueueStatistics();
    long known = all == null ? 0 : all.getNumAppsRunning() + all.getNumAppsPending() - 1;
    return new QueueUse(
        info.getQueueName(),
        info.getCapacity(),
        info.getMaximumCapacity(),
        info.getCurrentCapacity(),
        running,
        memoryMiB,
        vcores,
        before,
        Math.max(0, known - others.size()));
  }

  boolean isMuchLike(QueueUse other) {
    return Math.abs(used - other.used) < MUCH && running == other.running && before == other.before;
  }

  /** In a line, with what YARN itself says of the application, where it says something. */
  String told(String yarnSays) {
    List<String> parts = new ArrayList<>();
    if (isTold(used)) {
      parts.add(percent(used) + " of its capacity is used" + share());
    }
    parts.add(
        counted(running)
            + (running == 1 ? " runs" : " run")
            + " in it"
            + (running == 0 ? "" : " with " + memoryMiB + " MiB, " + vcores + " vcores"));
    parts.add(counted(before) + (before == 1 ? " waits" : " wait") + " before this one");
    if (hidden > 0) {
      parts.add(hidden + " more cannot be seen by this user");
    }
    String said = yarnSays == null ? "" : yarnSays.strip().replaceAll("\\s+", " ");
    if (!said.isEmpty()) {
      parts.add("YARN says: " + Beginning.of(said, MOST_SAID));
    }
    return "queue " + queue + ": " + String.join("; ", parts);
  }

  private String share() {
    if (!isTold(capacity)) {
      return "";
    }
    String limit = isTold(most) ? ", at most " + percent(most) : "";
    return " (" + percent(capacity) + " of its parent's" + limit + ")";
  }

  private static boolean isTold(double fraction) {
    return fraction >= 0 && Double.isFinite(fraction);
  }

  private static String percent(double fraction) {
    return Math.round(fraction * 100) + " %";
  }

  private static String counted(long applications) {
    return applications + (applications == 1 ? " other application" : " other applications");
  }
}
