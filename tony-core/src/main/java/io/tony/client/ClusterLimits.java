package io.tony.client;

import io.tony.config.JobOptions;
import io.tony.config.TonyConfig;
import io.tony.model.JobSpec;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceInformation;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** Checks a job against what the cluster can give: its queues and its largest container. */
final class ClusterLimits {
  private ClusterLimits() {}

  static List<String> problems(YarnClient yarn, Resource largest, TonyConfig config, JobSpec job)
      throws IOException, YarnException {
    List<String> problems = new ArrayList<>();
    for (RoleSpec role : job.roles()) {
      check(role.name(), role.resource(), largest, problems);
    }
    queue(yarn, config.get(JobOptions.QUEUE), problems);
    return problems;
  }

  /** The same for the ApplicationMaster's own container. */
  static List<String> masterProblems(Resource largest, TonyConfig config) {
    List<String> problems = new ArrayList<>();
    check("am", ApplicationRequest.masterResource(config), largest, problems);
    return problems;
  }

  private static void check(
      String who, ResourceSpec asked, Resource largest, List<String> problems) {
    String owner = who.equals("am") ? "the ApplicationMaster" : "each " + who;
    if (asked.memoryMiB() > largest.getMemorySize()) {
      problems.add(
          owner
              + " asks for "
              + asked.memoryMiB()
              + " MiB; the cluster's largest container has "
              + largest.getMemorySize()
              + " MiB (yarn.scheduler.maximum-allocation-mb). Lower tony."
              + who
              + ".memory or ask the administrator for a larger limit");
    }
    if (asked.vcores() > largest.getVirtualCores()) {
      problems.add(
          owner
              + " asks for "
              + asked.vcores()
              + " vcores; the cluster's largest container has "
              + largest.getVirtualCores()
              + " (yarn.scheduler.maximum-allocation-vcores). Lower tony."
              + who
              + ".vcores");
    }
    asked
        .others()
        .forEach(
            (name, amount) -> {
              long limit = limit(largest, name);
              if (amount > limit) {
                problems.add(
                    owner
                        + " asks for "
                        + amount
                        + " "
                        + name
                        + "; the cluster's largest container has "
                        + limit
                        + ". Lower "
                        + (name.equals(ResourceSpec.GPU) ? "tony." + who + ".gpus" : name)
                        + " or ask the administrator which nodes offer it");
              }
            });
  }

  private static long limit(Resource largest, String name) {
    for (ResourceInformation information : largest.getResources()) {
      if (information.getName().equals(name)) {
        return information.getValue();
      }
    }
    return 0;
  }

  private static void queue(YarnClient yarn, String name, List<String> problems)
      throws IOException, YarnException {
    QueueInfo queue = null;
    try {
      queue = yarn.getQueueInfo(name);
    } catch (YarnException e) {
      // Some schedulers answer an unknown queue with null, some with an exception.
    }
    if (queue == null) {
      String known =
          yarn.getAllQueues().stream()
              .filter(child -> child.getChildQueues() == null || child.getChildQueues().isEmpty())
              .map(QueueInfo::getQueueName)
              .collect(Collectors.toCollection(TreeSet::new))
              .toString();
      problems.add("queue " + name + " does not exist; set tony.yarn.queue to one of " + known);
    } else if (queue.getQueueState() == QueueState.STOPPED) {
      problems.add("queue " + name + " is stopped; set tony.yarn.queue to one that is running");
    }
  }
}
