package io.tony.client.check;

import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.PlacementOptions;
import io.tony.container.MasterRequest;
import io.tony.container.PlacementSpec;
import io.tony.model.JobSpec;
import io.tony.model.Placement;
import io.tony.model.RoleSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.api.records.NodeLabel;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;

/** Checks where a job asks for its containers: node labels and placement constraints. */
final class PlacementLimits {
  private static final String ANY_LABEL = "*";

  private PlacementLimits() {}

  /**
   * Returns a problem for each placement constraint that YARN's parser refuses. Does not check
   * whether the cluster supports placement constraints, because only an ApplicationMaster can find
   * that out.
   */
  static List<String> constraintProblems(TonyConfig config, JobSpec job) {
    List<String> problems = new ArrayList<>();
    String label = MasterRequest.applicationLabel(config);
    String applicationSpec =
        config.find(PlacementOptions.APPLICATION_PLACEMENT_SPEC).map(String::strip).orElse("");
    check(
        PlacementOptions.APPLICATION_PLACEMENT_SPEC.key(),
        new Placement("", applicationSpec, Set.of()),
        label,
        problems);
    if (problems.isEmpty()) {
      // Check the roles only if the job's own constraint is valid: each role's constraint includes
      // it, so its problems would be repeated for each role.
      for (RoleSpec role : job.roles()) {
        String owner = "the placement-spec of role " + role.name();
        check(owner, role.placement(), label, problems);
      }
    }
    return problems;
  }

  private static void check(
      String owner, Placement placement, String applicationLabel, List<String> problems) {
    try {
      PlacementSpec.of(placement, applicationLabel);
    } catch (IllegalArgumentException e) {
      problems.add(
          owner
              + " is '"
              + placement.constraint()
              + "': "
              + e.getMessage()
              + "; "
              + PlacementSpec.EXAMPLES);
    }
  }

  /**
   * Returns a problem for each requested node label that does not exist in the cluster or that the
   * queue may not use.
   *
   * @param queue the job's queue; null if it does not exist, which another check reports
   */
  static List<String> labelProblems(
      YarnClient yarn, @Nullable QueueInfo queue, TonyConfig config, JobSpec job)
      throws IOException, YarnException {
    Map<String, String> requested = requestedLabels(config, job);
    if (requested.isEmpty()) {
      return List.of();
    }
    Set<String> clusterLabels =
        yarn.getClusterNodeLabels().stream()
            .map(NodeLabel::getName)
            .filter(name -> !name.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    List<String> problems = new ArrayList<>();
    requested.forEach(
        (key, label) -> {
          if (!clusterLabels.contains(label)) {
            problems.add(
                key
                    + " is "
                    + label
                    + "; "
                    + (clusterLabels.isEmpty()
                        ? "the cluster has no node labels: remove it"
                        : "the cluster has the node labels " + clusterLabels));
          } else if (queue != null && !mayUse(queue, label)) {
            problems.add(
                key
                    + " is "
                    + label
                    + "; queue "
                    + queue.getQueueName()
                    + " may use "
                    + labelsOf(queue)
                    + " only: choose another queue (tony.yarn.queue), or ask the administrator");
          }
        });
    return problems;
  }

  private static Map<String, String> requestedLabels(TonyConfig config, JobSpec job) {
    Map<String, String> requested = new LinkedHashMap<>();
    String all = MasterRequest.applicationLabel(config);
    requested.put(PlacementOptions.NODE_LABEL.key(), all);
    requested.put(AmOptions.NODE_LABEL.key(), MasterRequest.label(config));
    for (RoleSpec role : job.roles()) {
      String own = role.placement().nodeLabel();
      if (!own.equals(all)) {
        requested.put("tony." + role.name() + ".node-label", own);
      }
    }
    requested.values().removeIf(String::isEmpty);
    return requested;
  }

  private static boolean mayUse(QueueInfo queue, String label) {
    Set<String> labels = labelsOf(queue);
    return labels.contains(ANY_LABEL) || labels.contains(label);
  }

  private static Set<String> labelsOf(QueueInfo queue) {
    return queue.getAccessibleNodeLabels() == null
        ? Set.of()
        : new TreeSet<>(queue.getAccessibleNodeLabels());
  }
}
