package io.tony.config.job;

import io.tony.config.declared.RoleOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.config.option.ConfigOption;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * Checks the resources that the tasks of a job request together against the limits that the site
 * has set.
 */
final class RoleCaps {
  private final CheckedValues values;
  private final Problems problems;

  RoleCaps(CheckedValues values, Problems problems) {
    this.values = values;
    this.problems = problems;
  }

  void check(List<RoleSpec> roles) {
    for (RoleSpec role : roles) {
      checkInstances(role);
    }
    checkTotal(roles, TaskOptions.MAX_TOTAL_INSTANCES, "tasks", resource -> 1);
    checkTotal(
        roles.stream().map(this::withMaxMemory).toList(),
        TaskOptions.MAX_TOTAL_MEMORY,
        "MiB of memory",
        ResourceSpec::memoryMiB);
    for (String key : values.config().asMap().keySet()) {
      TaskOptions.MAX_TOTAL.names(key).ifPresent(names -> checkResource(roles, key, names.get(0)));
    }
  }

  /**
   * Returns a copy of the role in which each container has the maximum memory to which TonY may let
   * it grow.
   */
  private RoleSpec withMaxMemory(RoleSpec role) {
    long maxMiB = role.memoryGrowth().maxMiB();
    if (!role.memoryGrowth().isEnabled()) {
      return role;
    }
    if (maxMiB == 0 && values.get(TaskOptions.MAX_TOTAL_MEMORY) >= 0) {
      problems.addError(
          "the memory of role "
              + role.name()
              + " may grow without limit ("
              + RoleOptions.MEMORY_GROWTH.at(role.name()).key()
              + "), and that of the job has one"
              + limitOf(TaskOptions.MAX_TOTAL_MEMORY)
              + ": set "
              + RoleOptions.MAX_MEMORY.at(role.name()).key());
    }
    return role.withMemory(Math.max(maxMiB, role.resource().memoryMiB()));
  }

  private void checkResource(List<RoleSpec> roles, String key, String resource) {
    if (key.equals(TaskOptions.MAX_TOTAL_INSTANCES.key())
        || key.equals(TaskOptions.MAX_TOTAL_MEMORY.key())) {
      return;
    }
    ToLongFunction<ResourceSpec> amount =
        switch (resource) {
          case "vcores" -> ResourceSpec::vcores;
          case "gpus" -> spec -> spec.others().getOrDefault(ResourceSpec.GPU, 0L);
          default -> spec -> spec.others().getOrDefault(resource, 0L);
        };
    checkTotal(roles, TaskOptions.MAX_TOTAL.at(resource), resource, amount);
  }

  private void checkInstances(RoleSpec role) {
    ConfigOption<Integer> cap = RoleOptions.MAX_INSTANCES.at(role.name());
    int maxInstances = values.get(cap);
    if (maxInstances >= 0 && role.instances() > maxInstances) {
      problems.addError(
          "role "
              + role.name()
              + " asks for "
              + role.instances()
              + " tasks; the limit is "
              + maxInstances
              + limitOf(cap)
              + ": lower tony."
              + role.name()
              + ".instances");
    }
  }

  private void checkTotal(
      List<RoleSpec> roles,
      ConfigOption<? extends Number> cap,
      String unit,
      ToLongFunction<ResourceSpec> amount) {
    long limit = values.get(cap).longValue();
    Optional<Long> total = total(roles, amount);
    if (limit >= 0 && (total.isEmpty() || total.get() > limit)) {
      problems.addError(
          "the job's tasks ask for "
              + total.map(Object::toString).orElse("more than " + Long.MAX_VALUE)
              + " "
              + unit
              + " in all; the limit is "
              + limit
              + limitOf(cap)
              + ": lower what the roles ask for");
    }
  }

  private String limitOf(ConfigOption<?> cap) {
    return " (" + cap.key() + ", " + values.config().origin(cap.key()).orElse("default") + ")";
  }

  /**
   * Returns the sum of one resource over all tasks of the roles; empty if it exceeds the range of a
   * long.
   *
   * @param amount returns the amount of the resource that one task requests
   */
  private static Optional<Long> total(List<RoleSpec> roles, ToLongFunction<ResourceSpec> amount) {
    try {
      long sum = 0;
      for (RoleSpec role : roles) {
        sum =
            Math.addExact(
                sum, Math.multiplyExact(role.instances(), amount.applyAsLong(role.resource())));
      }
      return Optional.of(sum);
    } catch (ArithmeticException e) {
      return Optional.empty();
    }
  }
}
