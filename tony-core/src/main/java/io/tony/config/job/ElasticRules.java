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

/** Which roles a gang may have fewer tasks of, and where that cannot be. */
final class ElasticRules {
  private final CheckedValues values;
  private final Problems problems;

  ElasticRules(CheckedValues values, Problems problems) {
    this.values = values;
    this.problems = problems;
  }

  /** The roles with what is said of their least numbers. */
  List<RoleSpec> applied(List<RoleSpec> roles) {
    return roles.stream().map(role -> applied(role, roles)).toList();
  }

  private RoleSpec applied(RoleSpec role, List<RoleSpec> roles) {
    ConfigOption<Integer> option = RoleOptions.MIN_INSTANCES.at(role.name());
    int least = values.find(option).orElse(role.instances());
    if (least > role.instances()) {
      wrong(
          option,
          "is more than tony." + role.name() + ".instances=" + role.instances() + ": lower it");
      return role;
    }
    if (least == role.instances()) {
      return role;
    }
    if (values.get(JobOptions.DISTRIBUTED_MODE) != DistributedMode.GANG) {
      wrong(
          option,
          "needs a gang, and "
              + values.config().describe(JobOptions.DISTRIBUTED_MODE.key())
              + ": its tasks start as they come anyway. Leave it out");
    }
    boolean joins = values.get(ElasticOptions.JOIN);
    if (role.supervision() == Supervision.SIDECAR
        || (role.supervision() == Supervision.UNTRACKED && !joins)) {
      wrong(
          option,
          "is for roles that the job waits for, and " + role.name() + " is none: leave it out");
    }
    if (joins && roles.stream().anyMatch(other -> !other.dependsOn().isEmpty())) {
      wrong(
          option,
          "cannot go with "
              + values.config().describe(ElasticOptions.JOIN.key())
              + " in a job whose roles wait for each other: take one of them out");
    }
    if (role.retries() > 0) {
      wrong(
          option,
          "needs tasks that start again together: take out "
              + RoleOptions.RETRY_COUNT.at(role.name()).key());
    }
    if (roles.stream().anyMatch(other -> other.dependsOn().contains(role.name()))) {
      wrong(option, "is not for a role that others wait for: leave it out");
    }
    if (values.get(CheckpointOptions.ROLES).contains(role.name())) {
      wrong(
          option,
          "cannot go with "
              + values.config().describe(CheckpointOptions.ROLES.key())
              + ": checkpoints of all tasks fit one number of tasks only. Let the chief keep them");
    }
    return role.withLeast(least);
  }

  private void wrong(ConfigOption<Integer> option, String why) {
    problems.error(values.config().describe(option.key()) + " " + why);
  }
}
