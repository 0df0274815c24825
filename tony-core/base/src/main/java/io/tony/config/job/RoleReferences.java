package io.tony.config.job;

import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.Registry;
import io.tony.config.declared.RoleOptions;
import io.tony.config.option.ConfigOption;
import io.tony.config.option.RoleNames;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads the options whose values are names of roles: from them, how each role is supervised and
 * which roles it waits for. Reports names that are not roles of the job.
 */
final class RoleReferences {
  private final CheckedValues values;
  private final Problems problems;
  private final List<String> declared;

  RoleReferences(CheckedValues values, Problems problems) {
    this.values = values;
    this.problems = problems;
    this.declared = values.config().roles();
  }

  /** Reports names that are not declared roles, for all options whose values are lists of roles. */
  void checkNames() {
    checkNames(JobOptions.UNTRACKED_ROLES);
    checkNames(JobOptions.SIDECAR_ROLES);
    checkNames(JobOptions.STOP_ON_FAILURE_ROLES);
    checkNames(JobOptions.PREPARE_STAGE);
    checkNames(JobOptions.TRAINING_STAGE);
    for (String role : distinct(JobOptions.PREPARE_STAGE)) {
      if (values.get(JobOptions.TRAINING_STAGE).contains(role)) {
        problems.addError(
            config().describe(JobOptions.PREPARE_STAGE.key())
                + " and "
                + JobOptions.TRAINING_STAGE.key()
                + " both name "
                + role
                + ": leave it in one of them");
      }
    }
    for (String role : declared) {
      String dependsOn = config().describe(RoleOptions.DEPENDS_ON.at(role).key());
      for (String other : distinct(RoleOptions.DEPENDS_ON.at(role))) {
        if (!declared.contains(other)) {
          problems.addError(
              dependsOn
                  + " names the role "
                  + other
                  + ", which the job does not have: "
                  + remedy(other));
        }
      }
    }
  }

  /**
   * Reports names in one option that are not declared roles. A name that resembles a declared role
   * is an error, because the role that the user meant would get the wrong supervision. Any other
   * name, which may come from a site's default, causes only a warning.
   */
  private void checkNames(ConfigOption<List<String>> option) {
    if (!config().isSet(option)) {
      return;
    }
    Set<String> named = distinct(option);
    // Describe the setting here, once for all names, because its value may be long.
    String described = config().describe(option.key());
    List<String> candidates = declared.stream().filter(role -> !named.contains(role)).toList();
    named.forEach(name -> reportIfAbsent(described, name, candidates));
  }

  /**
   * Reports {@code name} if it is not a role of the job: as an error if it resembles one of {@code
   * candidates} and is not a customary role name; else as a warning, because platform teams list
   * the roles of all jobs.
   *
   * @param described the setting that contains the name, as in {@code key=value (source)}; begins
   *     the message
   * @param candidates roles that the user may have meant
   * @return true if the job has no role of this name
   */
  boolean reportIfAbsent(String described, String name, List<String> candidates) {
    if (declared.contains(name) || SidecarTensorBoard.isImplied(name, values)) {
      return false;
    }
    String message = described + " names the role " + name + ", which the job does not have: ";
    if (RoleNames.isCustomary(name) || Registry.nearest(name, candidates, 2).isEmpty()) {
      problems.addWarning(message + "it has no effect");
    } else {
      problems.addError(message + remedy(name));
    }
    return true;
  }

  private Set<String> distinct(ConfigOption<List<String>> option) {
    return new LinkedHashSet<>(values.get(option));
  }

  private String remedy(String name) {
    return Registry.nearest(name, declared, 2)
        .map(role -> "did you mean " + role + "?")
        .orElse("declare it with tony." + name + ".instances, or remove the name");
  }

  /** Returns the supervision of a role: what the job sets, else the default for the role's name. */
  Supervision supervision(String role) {
    boolean untracked = values.get(JobOptions.UNTRACKED_ROLES).contains(role);
    boolean sidecar =
        values.get(JobOptions.SIDECAR_ROLES).contains(role)
            || SidecarTensorBoard.showsFolder(role, values);
    if (untracked && sidecar) {
      boolean onlyUntrackedIsSet =
          config().isSet(JobOptions.UNTRACKED_ROLES) && !config().isSet(JobOptions.SIDECAR_ROLES);
      return onlyUntrackedIsSet ? Supervision.UNTRACKED : Supervision.SIDECAR;
    }
    if (sidecar) {
      return Supervision.SIDECAR;
    }
    return untracked ? Supervision.UNTRACKED : Supervision.TRACKED;
  }

  /**
   * Returns the roles that must end before this role starts. Leaves out roles without tasks. Does
   * not check for cycles; see {@link #checkCycles}.
   */
  Set<String> dependsOn(String role) {
    Set<String> others = new LinkedHashSet<>(values.get(RoleOptions.DEPENDS_ON.at(role)));
    if (stage(JobOptions.TRAINING_STAGE, JobOptions.PREPARE_STAGE).contains(role)) {
      others.addAll(stage(JobOptions.PREPARE_STAGE, JobOptions.TRAINING_STAGE));
      others.remove(role);
    }
    others.removeIf(
        other -> !declared.contains(other) || values.get(RoleOptions.INSTANCES.at(other)) == 0);
    return others;
  }

  /**
   * Returns the roles of one of the two stages of a job. If {@code stage} is not set but {@code
   * otherStage} is, the stage consists of all roles that are not in {@code otherStage}.
   */
  private List<String> stage(
      ConfigOption<List<String>> stage, ConfigOption<List<String>> otherStage) {
    List<String> named = values.get(stage);
    List<String> others = values.get(otherStage);
    return !named.isEmpty() || others.isEmpty()
        ? named
        : declared.stream().filter(role -> !others.contains(role)).toList();
  }

  /**
   * Reports an error if a role waits for the end of an untracked role or a sidecar, which may never
   * end.
   */
  void checkWaits(List<RoleSpec> roles) {
    for (RoleSpec role : roles) {
      for (RoleSpec other : roles) {
        if (role.dependsOn().contains(other.name()) && other.supervision() != Supervision.TRACKED) {
          problems.addError(
              "role "
                  + role.name()
                  + " waits for the end of "
                  + other.name()
                  + ", which is "
                  + other.supervision().name().toLowerCase(Locale.ROOT)
                  + " and may never end: take it out of "
                  + (other.supervision() == Supervision.SIDECAR
                      ? JobOptions.SIDECAR_ROLES.key()
                      : JobOptions.UNTRACKED_ROLES.key())
                  + ", or do not wait for it");
        }
      }
    }
  }

  /** Reports an error for each cycle of roles that wait for each other, once per cycle. */
  void checkCycles() {
    Map<String, Set<String>> dependencies = new LinkedHashMap<>();
    declared.forEach(role -> dependencies.put(role, dependsOn(role)));
    Set<Set<String>> reported = new LinkedHashSet<>();
    for (String role : declared) {
      cycleThrough(role, dependencies)
          .filter(cycle -> reported.add(new TreeSet<>(cycle)))
          .ifPresent(
              cycle ->
                  problems.addError(
                      "the roles "
                          + String.join(" -> ", cycle)
                          + " wait for each other: remove one of their depends-on"));
    }
  }

  /**
   * Returns the shortest cycle of roles that wait for each other through {@code role}, with {@code
   * role} as its first and last element; empty if there is none.
   */
  private static Optional<List<String>> cycleThrough(
      String role, Map<String, Set<String>> dependencies) {
    Deque<List<String>> paths = new ArrayDeque<>(List.of(List.of(role)));
    Set<String> seen = new LinkedHashSet<>();
    while (!paths.isEmpty()) {
      List<String> path = paths.remove();
      for (String next : Objects.requireNonNull(dependencies.get(path.get(path.size() - 1)))) {
        List<String> longer = new ArrayList<>(path);
        longer.add(next);
        if (next.equals(role)) {
          return Optional.of(longer);
        }
        if (seen.add(next)) {
          paths.add(longer);
        }
      }
    }
    return Optional.empty();
  }

  private TonyConfig config() {
    return values.config();
  }
}
