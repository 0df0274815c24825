package io.tony.config.job;

import io.tony.checkpoint.CopyDeadline;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.CheckpointScope;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.model.RoleSpec;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** Reports errors for settings with which TonY could not save the job's checkpoints. */
final class CheckpointRules {
  private final CheckedValues values;
  private final Problems problems;

  CheckpointRules(CheckedValues values, Problems problems) {
    this.values = values;
    this.problems = problems;
  }

  void check(List<RoleSpec> roles) {
    List<String> named = values.get(CheckpointOptions.ROLES);
    List<String> declared = roles.stream().map(RoleSpec::name).toList();
    if (!CheckpointOptions.isChiefOnly(named)) {
      named.stream()
          .filter(role -> !declared.contains(role))
          .forEach(role -> reportUnknownRole(role, declared));
    }
    checkScope();
    checkCopyTimeout();
  }

  /**
   * Reports an error if {@code tony.checkpoint.copy-timeout} leaves a restarted task too little
   * time to register. Such a task registers only after its previous program has ended, which may
   * take the stop grace, and after that program's checkpoints have been copied.
   */
  private void checkCopyTimeout() {
    Duration registration = values.get(JobOptions.REGISTRATION_TIMEOUT);
    Duration copy = values.get(CheckpointOptions.COPY_TIMEOUT);
    Duration grace = values.get(TaskOptions.STOP_GRACE);
    if (values.config().isSet(CheckpointOptions.COPY_TIMEOUT)
        && registration.compareTo(Duration.ZERO) > 0
        && copy.plus(grace).plus(CopyDeadline.SLACK).compareTo(registration) >= 0) {
      problems.addError(
          values.config().describe(CheckpointOptions.COPY_TIMEOUT.key())
              + ", with the "
              + grace.toMillis()
              + " ms of "
              + TaskOptions.STOP_GRACE.key()
              + " and "
              + CopyDeadline.SLACK.toSeconds()
              + " s more, is not shorter than the "
              + registration.toSeconds()
              + " s of "
              + JobOptions.REGISTRATION_TIMEOUT.key()
              + ", and tasks that are started again register only after it: lower the first or"
              + " raise the last");
    }
  }

  private void reportUnknownRole(String role, List<String> known) {
    problems.addError(
        values.config().describe(CheckpointOptions.ROLES.key())
            + " names the role "
            + role
            + ", which the job does not have: name some of "
            + String.join(", ", known)
            + ", or `chief` alone");
  }

  private void checkScope() {
    boolean named = values.find(JobOptions.CHECKPOINT_DIR).isPresent();
    String missing =
        AzkabanOptions.step().stream()
            .filter(option -> values.find(option).isEmpty())
            .map(option -> option.key())
            .collect(Collectors.joining(", "));
    if (values.get(CheckpointOptions.SCOPE) == CheckpointScope.STEP
        && !named
        && !missing.isEmpty()) {
      problems.addError(
          values.config().describe(CheckpointOptions.SCOPE.key())
              + " needs the step of an Azkaban flow; not set: "
              + missing
              + ". Outside Azkaban, set "
              + JobOptions.CHECKPOINT_DIR.key());
    }
  }
}
