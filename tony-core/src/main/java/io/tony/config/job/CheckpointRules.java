package io.tony.config.job;

import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.CheckpointScope;
import io.tony.config.declared.JobOptions;
import io.tony.model.RoleSpec;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** Refuses what no checkpoint could be kept by. */
final class CheckpointRules {
  private final CheckedValues values;
  private final Problems problems;

  CheckpointRules(CheckedValues values, Problems problems) {
    this.values = values;
    this.problems = problems;
  }

  void check(List<RoleSpec> roles) {
    List<String> named = values.get(CheckpointOptions.ROLES);
    List<String> known = roles.stream().map(RoleSpec::name).toList();
    if (!CheckpointOptions.meanChief(named)) {
      named.stream().filter(role -> !known.contains(role)).forEach(role -> unknown(role, known));
    }
    checkScope();
    checkCopyTimeout();
  }

  /** A program that is started again registers when the one before has nothing left to copy. */
  private void checkCopyTimeout() {
    Duration registration = values.get(JobOptions.REGISTRATION_TIMEOUT);
    Duration copy = values.get(CheckpointOptions.COPY_TIMEOUT);
    if (values.config().isSet(CheckpointOptions.COPY_TIMEOUT)
        && registration.compareTo(Duration.ZERO) > 0
        && copy.compareTo(registration) >= 0) {
      problems.error(
          values.config().describe(CheckpointOptions.COPY_TIMEOUT.key())
              + " is not shorter than the "
              + registration.toSeconds()
              + " s of "
              + JobOptions.REGISTRATION_TIMEOUT.key()
              + ", and tasks that are started again register only after it: lower the first or"
              + " raise the second");
    }
  }

  private void unknown(String role, List<String> known) {
    problems.error(
        values.config().describe(CheckpointOptions.ROLES.key())
            + " names the role "
            + role
            + ", which the job does not have: name some of "
            + String.join(", ", known)
            + ", or `chief` alone");
  }

  private void checkScope() {
    boolean named = values.text(JobOptions.CHECKPOINT_DIR).isPresent();
    String missing =
        AzkabanOptions.step().stream()
            .filter(option -> values.text(option).isEmpty())
            .map(option -> option.key())
            .collect(Collectors.joining(", "));
    if (values.get(CheckpointOptions.SCOPE) == CheckpointScope.STEP
        && !named
        && !missing.isEmpty()) {
      problems.error(
          values.config().describe(CheckpointOptions.SCOPE.key())
              + " needs the step of an Azkaban flow; not set: "
              + missing
              + ". Outside Azkaban, set "
              + JobOptions.CHECKPOINT_DIR.key());
    }
  }
}
