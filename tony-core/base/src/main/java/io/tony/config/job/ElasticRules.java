package io.tony.config.job;

import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.ElasticOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.config.option.ConfigOption;
import io.tony.model.DistributedMode;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import java.util.List;

/**
 * Reads the minimum number of tasks of each role, and reports errors if it cannot be combined with
 * the role's or the job's other settings.
 */
final class ElasticRules {
  private final CheckedValues values;
  private final Problems problems;

  ElasticRules(CheckedValues values, Problems problems) {
    this.values = values;
    this.problems = problems;
  }

  /**
   * Returns the roles with the minimum numbers of tasks that the configuration sets. Reports
   * invalid ones.
   */
  List<RoleSpec> apply(List<RoleSpec> roles) {
    return roles.stream().map(role -> apply(role, roles)).toList();
  }

  private RoleSpec apply(RoleSpec role, List<RoleSpec> roles) {
    ConfigOption<Integer> option = RoleOptions.MIN_INSTANCES.at(role.name());
    int minInstances = values.find(option).orElse(role.instances());
    if (minInstances > role.instances()) {
      reportError(
          option,
          "is more than tony." + role.name() + ".instances=" + role.instances() + ": lower it");
      return role;
    }
    if (minInstances == role.instances()) {
      return role;
    }
    if (values.get(JobOptions.DISTRIBUTED_MODE) != DistributedMode.GANG) {
      reportError(
          option,
          "needs a gang, and "
              + values.config().describe(JobOptions.DISTRIBUTED_MODE.key())
              + ": its tasks start as they come anyway. Leave it out");
    }
    boolean liveResize = values.get(ElasticOptions.LIVE_RESIZE);
    if (role.supervision() == Supervision.SIDECAR
        || (role.supervision() == Supervision.UNTRACKED && !liveResize)) {
      reportError(
          option,
          "is for roles that the job waits for, and " + role.name() + " is none: leave it out");
    }
    if (liveResize && roles.stream().anyMatch(other -> !other.dependsOn().isEmpty())) {
      reportError(
          option,
          "cannot go with "
              + values.config().describe(ElasticOptions.LIVE_RESIZE.key())
              + " in a job whose roles wait for each other: take one of them out");
    }
    if (role.maxTaskRetries() > 0) {
      reportError(
          option,
          "needs tasks that start again together: take out "
              + RoleOptions.RETRY_COUNT.at(role.name()).key());
    }
    if (roles.stream().anyMatch(other -> other.dependsOn().contains(role.name()))) {
      reportError(option, "is not for a role that others wait for: leave it out");
    }
    if (values.get(CheckpointOptions.ROLES).contains(role.name())) {
      reportError(
          option,
          "cannot go with "
              + values.config().describe(CheckpointOptions.ROLES.key())
              + ": checkpoints of all tasks fit one number of tasks only. Let the chief keep them");
    }
    return role.withMinInstances(minInstances);
  }

  private void reportError(ConfigOption<Integer> option, String reason) {
    problems.addError(values.config().describe(option.key()) + " " + reason);
  }
}
