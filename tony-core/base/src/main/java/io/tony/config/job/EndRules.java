package io.tony.config.job;

import io.tony.config.declared.JobOptions;
import io.tony.config.declared.SuccessPolicy;
import io.tony.model.EndPolicy;
import io.tony.model.EndPolicy.GroupTimeout;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the options that determine when a job ends, and reports errors for rules that could never
 * take effect.
 */
final class EndRules {
  private final CheckedValues values;
  private final Problems problems;
  private final RoleReferences references;
  private final List<RoleSpec> roles;

  /**
   * Creates a reader.
   *
   * @param roles roles with at least one task
   */
  EndRules(
      CheckedValues values, Problems problems, RoleReferences references, List<RoleSpec> roles) {
    this.values = values;
    this.problems = problems;
    this.references = references;
    this.roles = roles;
  }

  EndPolicy read() {
    List<GroupTimeout> timeouts = new ArrayList<>();
    for (String key : values.config().asMap().keySet()) {
      JobOptions.GROUP_TIMEOUT
          .names(key)
          .flatMap(names -> timeout(key, names.get(0), names.get(1)))
          .ifPresent(timeouts::add);
    }
    boolean chiefDecides = values.get(JobOptions.SUCCESS_POLICY) == SuccessPolicy.CHIEF;
    return new EndPolicy(values.get(JobOptions.FAIL_ON_ANY_TASK), chiefDecides, timeouts);
  }

  /**
   * Reports an error if the chief's success ends the job but the job does not wait for the chief.
   */
  void checkChief(String chief) {
    boolean tracked =
        roles.stream()
            .anyMatch(
                role -> role.name().equals(chief) && role.supervision() == Supervision.TRACKED);
    if (values.get(JobOptions.SUCCESS_POLICY) == SuccessPolicy.CHIEF && !tracked) {
      problems.addError(
          values.config().describe(JobOptions.SUCCESS_POLICY.key())
              + " waits for the chief, but the job does not wait for "
              + chief
              + ": take it out of "
              + JobOptions.UNTRACKED_ROLES.key()
              + " and "
              + JobOptions.SIDECAR_ROLES.key());
    }
  }

  /**
   * Reports an error if {@code end} lets the job continue without the only role for which it waits,
   * or without the chief that decides about its success.
   */
  void checkIgnored(EndPolicy end, String chief) {
    List<String> tracked =
        roles.stream()
            .filter(role -> role.supervision() == Supervision.TRACKED)
            .map(RoleSpec::name)
            .toList();
    for (GroupTimeout rule : end.timeouts()) {
      if (rule.ignored() && tracked.equals(List.of(rule.role()))) {
        reportIgnored(rule, ", the only role that it waits for: remove the key");
      } else if (rule.ignored() && end.chiefDecides() && rule.role().equals(chief)) {
        reportIgnored(
            rule,
            ", its chief, for which "
                + values.config().describe(JobOptions.SUCCESS_POLICY.key())
                + " waits: remove one of the two");
      }
    }
  }

  private void reportIgnored(GroupTimeout rule, String reason) {
    String key = JobOptions.GROUP_TIMEOUT_IGNORED.at(rule.role(), rule.group()).key();
    problems.addError(
        values.config().describe(key) + " lets the job succeed without " + rule.role() + reason);
  }

  private Optional<GroupTimeout> timeout(String key, String role, String group) {
    Optional<Duration> given = values.find(JobOptions.GROUP_TIMEOUT.at(role, group));
    if (given.isEmpty()) {
      return Optional.empty(); // CheckedValues has already reported a malformed duration.
    }
    Duration limit = given.get();
    Set<String> members =
        new LinkedHashSet<>(values.find(JobOptions.GROUP.at(group)).orElse(List.of()));
    boolean absent =
        references.reportIfAbsent(values.config().describe(key), role, values.config().roles())
            || !isPresent(role);
    Optional<String> problem = absent ? Optional.empty() : problem(role, group, members, limit);
    if (problem.isPresent()) {
      problems.addError(values.config().describe(key) + problem.get());
      return Optional.empty();
    }
    List<String> free =
        values.config().roles().stream().filter(other -> !members.contains(other)).toList();
    String described = values.config().describe(groupKey(group));
    members.removeIf(
        member -> references.reportIfAbsent(described, member, free) || !isPresent(member));
    boolean ignored = values.get(JobOptions.GROUP_TIMEOUT_IGNORED.at(role, group));
    return absent || members.isEmpty()
        ? Optional.empty()
        : Optional.of(new GroupTimeout(role, group, members, limit, ignored));
  }

  /**
   * Returns why the limit for a role is invalid, as the end of an error message; empty if it is
   * valid. Does not check whether the job has the roles.
   */
  private static Optional<String> problem(
      String role, String group, Set<String> members, Duration limit) {
    if (members.isEmpty()) {
      return Optional.of(
          " names the group " + group + ", which is not there: set " + groupKey(group));
    }
    if (members.contains(role)) {
      return Optional.of(
          " waits for the group "
              + group
              + ", of which "
              + role
              + " is a member: take it out of "
              + groupKey(group));
    }
    return limit.isZero()
        ? Optional.of(" is no limit: set it to more than 0, or remove the key")
        : Optional.empty();
  }

  private static String groupKey(String group) {
    return JobOptions.GROUP.at(group).key();
  }

  private boolean isPresent(String role) {
    return roles.stream().anyMatch(spec -> spec.name().equals(role));
  }
}
