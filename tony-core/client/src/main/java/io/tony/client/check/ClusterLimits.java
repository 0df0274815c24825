package io.tony.client.check;

import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import io.tony.container.MasterRequest;
import io.tony.container.YarnResources;
import io.tony.model.DistributedMode;
import io.tony.model.JobSpec;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.api.records.QueueUserACLInfo;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceInformation;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a job fits the limits of the cluster: its resource types, its largest container,
 * its queues and its node labels.
 */
public final class ClusterLimits {
  private static final String MEMORY = "MiB of memory";

  private ClusterLimits() {}

  /**
   * Asks YARN for the cluster's resource types, and registers them with Hadoop's classes in this
   * JVM. Returns the size of the largest container that YARN allocates.
   */
  public static Resource loadLargestContainer(YarnClient yarn) throws IOException, YarnException {
    YarnResources.registerTypes(yarn.getResourceTypeInfo());
    return yarn.createApplication().getNewApplicationResponse().getMaximumResourceCapability();
  }

  static List<String> problems(YarnClient yarn, Resource largest, TonyConfig config, JobSpec job)
      throws IOException, YarnException {
    List<String> problems = taskProblems(largest, job);
    QueueInfo queue = queue(yarn, config.get(JobOptions.QUEUE), problems);
    problems.addAll(PlacementLimits.constraintProblems(config, job));
    problems.addAll(PlacementLimits.labelProblems(yarn, queue, config, job));
    return problems;
  }

  /**
   * Returns a warning if the nodes that are running now are together too small for the whole gang;
   * it is no error, because nodes may join. Does not compare vcores, because many schedulers ignore
   * them.
   */
  static List<String> warnings(YarnClient yarn, JobSpec job) throws IOException, YarnException {
    if (job.mode() != DistributedMode.GANG) {
      return List.of();
    }
    List<NodeReport> nodes = yarn.getNodeReports(NodeState.RUNNING);
    Map<String, Long> available = new TreeMap<>();
    for (NodeReport node : nodes) {
      add(available, YarnResources.spec(node.getCapability()), 1);
    }
    Map<String, Long> requested = new TreeMap<>();
    job.roles().forEach(role -> add(requested, role.resource(), role.minInstances()));
    List<String> warnings = new ArrayList<>();
    requested.forEach(
        (name, amount) -> {
          long limit = available.getOrDefault(name, 0L);
          if (amount > limit) {
            warnings.add(
                "the gang asks for "
                    + amount
                    + " "
                    + name
                    + " in all, and the cluster's "
                    + nodes.size()
                    + " running nodes have "
                    + limit
                    + ": it waits until more nodes join, or for as long as"
                    + " tony.container.allocation.timeout allows");
          }
        });
    return warnings;
  }

  private static void add(Map<String, Long> sums, ResourceSpec resource, int times) {
    sums.merge(MEMORY, resource.memoryMiB() * times, Long::sum);
    resource.others().forEach((name, amount) -> sums.merge(name, amount * times, Long::sum));
  }

  /** Returns a problem for each role whose tasks are larger than the largest container. */
  public static List<String> taskProblems(Resource largest, JobSpec job) {
    List<String> problems = new ArrayList<>();
    for (RoleSpec role : job.roles()) {
      check(role.name(), role.resource(), largest, problems);
    }
    return problems;
  }

  /** Returns a problem if the ApplicationMaster is larger than the largest container. */
  public static List<String> masterProblems(Resource largest, TonyConfig config) {
    List<String> problems = new ArrayList<>();
    check("am", MasterRequest.resource(config), largest, problems);
    return problems;
  }

  private static void check(
      String who, ResourceSpec requested, Resource largest, List<String> problems) {
    String owner = who.equals("am") ? "the ApplicationMaster" : "each " + who;
    if (requested.memoryMiB() > largest.getMemorySize()) {
      problems.add(
          owner
              + " asks for "
              + requested.memoryMiB()
              + " MiB; the cluster's largest container has "
              + largest.getMemorySize()
              + " MiB (yarn.scheduler.maximum-allocation-mb). Lower tony."
              + who
              + ".memory or ask the administrator for a larger limit");
    }
    if (requested.vcores() > largest.getVirtualCores()) {
      problems.add(
          owner
              + " asks for "
              + requested.vcores()
              + " vcores; the cluster's largest container has "
              + largest.getVirtualCores()
              + " (yarn.scheduler.maximum-allocation-vcores). Lower tony."
              + who
              + ".vcores");
    }
    requested.others().forEach((name, amount) -> check(who, name, amount, largest, problems));
  }

  private static void check(
      String who, String name, long amount, Resource largest, List<String> problems) {
    String asks = (who.equals("am") ? "the ApplicationMaster" : "each " + who) + " asks for ";
    String key = "tony." + who + (name.equals(ResourceSpec.GPU) ? ".gpus" : ".resource-types");
    Map<String, Long> limits = limits(largest);
    if (!limits.containsKey(name)) {
      problems.add(
          asks
              + amount
              + " "
              + name
              + "; the cluster has no such resource type, only "
              + limits.keySet()
              + ". Correct or remove "
              + key);
    } else if (amount > limits.get(name)) {
      problems.add(
          asks
              + amount
              + " "
              + name
              + "; the cluster's largest container has "
              + limits.get(name)
              + ". Lower "
              + key
              + " or ask the administrator which nodes offer it");
    }
  }

  private static Map<String, Long> limits(Resource largest) {
    Map<String, Long> limits = new TreeMap<>();
    for (ResourceInformation information : largest.getResources()) {
      limits.put(information.getName(), information.getValue());
    }
    return limits;
  }

  /**
   * Returns the queue with this name; null if it does not exist. Adds a problem if it does not
   * exist or is not running, or if the current user may not submit to it.
   */
  public static @Nullable QueueInfo queue(YarnClient yarn, String name, List<String> problems)
      throws IOException, YarnException {
    QueueInfo queue = null;
    try {
      queue = yarn.getQueueInfo(name);
    } catch (YarnException e) {
      // Some schedulers throw an exception for an unknown queue, others return null.
    }
    if (queue == null) {
      String queueNames =
          yarn.getAllQueues().stream()
              .filter(child -> child.getChildQueues() == null || child.getChildQueues().isEmpty())
              .map(QueueInfo::getQueueName)
              .collect(Collectors.toCollection(TreeSet::new))
              .toString();
      problems.add(
          "queue " + name + " does not exist; set tony.yarn.queue to one of " + queueNames);
    } else if (queue.getQueueState() != QueueState.RUNNING) {
      String state = queue.getQueueState().name().toLowerCase(Locale.ROOT);
      problems.add(
          "queue " + name + " is " + state + "; set tony.yarn.queue to one that is running");
    } else if (!maySubmit(yarn, queue)) {
      problems.add(
          UserGroupInformation.getCurrentUser().getShortUserName()
              + " may not submit to queue "
              + name
              + "; set tony.yarn.queue to another one, or ask the administrator for the right to"
              + " (acl_submit_applications)");
    }
    return queue;
  }

  private static boolean maySubmit(YarnClient yarn, QueueInfo queue)
      throws IOException, YarnException {
    List<QueueUserACLInfo> acls =
        yarn.getQueueAclsInfo().stream().filter(acl -> appliesTo(acl, queue)).toList();
    // If the scheduler lists no ACLs for the queue, the user's rights are unknown, so the job is
    // not refused. The right to administer a queue includes the right to submit to it.
    return acls.isEmpty() || acls.stream().anyMatch(acl -> !acl.getUserAcls().isEmpty());
  }

  /**
   * Returns true if the ACL is for this queue. Depending on Hadoop's version, each of the two names
   * is the queue's full path from the root or only the last part of it.
   */
  private static boolean appliesTo(QueueUserACLInfo acl, QueueInfo queue) {
    String aclName = acl.getQueueName();
    String queueName = queue.getQueueName();
    return aclName.equals(queueName)
        || aclName.endsWith("." + queueName)
        || queueName.endsWith("." + aclName);
  }
}
