package io.tony.config.job;

import io.tony.config.declared.JobOptions;
import io.tony.config.declared.TaskOptions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reports errors for settings of the preflight, which checks a container before its task registers,
 * with which no container could pass.
 */
final class PreflightRules {
  /** Names of the checks that TonY provides. */
  private static final List<String> CHECKS = List.of("disk", "gpu", "network");

  private final CheckedValues values;
  private final Problems problems;

  PreflightRules(CheckedValues values, Problems problems) {
    this.values = values;
    this.problems = problems;
  }

  void check() {
    String preflight = values.find(TaskOptions.PREFLIGHT).orElse("");
    if (!preflight.isEmpty()) {
      checkNames(preflight);
      checkTimeout();
    }
  }

  /**
   * Reports an error if the preflight is a list that contains an unknown name. A single unknown
   * word is allowed, because it may be a program on the nodes.
   */
  private void checkNames(String preflight) {
    List<String> parts = Stream.of(preflight.split(",", -1)).map(String::strip).toList();
    boolean startsWithCheck = CHECKS.contains(preflight.strip().split("[,\\s]+", -1)[0]);
    boolean listsChecks =
        startsWithCheck
            || (parts.size() > 1 && parts.stream().allMatch(part -> part.matches("\\w+")));
    List<String> unknown =
        listsChecks
            ? parts.stream().filter(part -> !CHECKS.contains(part)).distinct().toList()
            : List.of();
    if (!unknown.isEmpty()) {
      problems.addError(
          values.config().describe(TaskOptions.PREFLIGHT.key())
              + " names "
              + String.join(", ", unknown)
              + "; the checks that can be joined with commas are "
              + String.join(", ", CHECKS)
              + "; a command stands alone, and is run as it is");
    }
  }

  /**
   * Reports an error if the preflight's timeout is not shorter than the time that a task has to
   * register: tasks register only after their preflight.
   */
  private void checkTimeout() {
    Duration registration = values.get(JobOptions.REGISTRATION_TIMEOUT);
    Duration limit = values.get(TaskOptions.PREFLIGHT_TIMEOUT);
    if (registration.compareTo(Duration.ZERO) > 0 && limit.compareTo(registration) >= 0) {
      problems.addError(
          values.config().describe(TaskOptions.PREFLIGHT_TIMEOUT.key())
              + " is not shorter than the "
              + registration.toSeconds()
              + " s of "
              + JobOptions.REGISTRATION_TIMEOUT.key()
              + ", and tasks register only after their preflight: lower the first or raise the"
              + " second");
    }
  }
}
