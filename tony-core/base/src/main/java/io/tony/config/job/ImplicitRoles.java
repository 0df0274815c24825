package io.tony.config.job;

import io.tony.config.declared.JobOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.config.option.RoleOption;
import io.tony.model.MemoryGrowth;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Adds the role that a job has without declaring it: a preprocessing that runs before the other
 * tasks, or the program of a job without roles. LinkedIn's TonY runs these programs in the
 * ApplicationMaster's container. Here each is a task in its own container, with the size that is
 * configured for the ApplicationMaster: a program that shares the ApplicationMaster's container
 * could use up its memory and so end the job.
 */
final class ImplicitRoles {
  private static final String PREPROCESS = "preprocess";
  private static final String SINGLE_NODE = "worker";
  private static final int INSTANCES = 1;

  /**
   * Role options that a job may set for the preprocessing role without declaring it. The role's
   * size is not among them: it is the one that is configured for the ApplicationMaster.
   */
  private static final Set<RoleOption<?>> OWN_OPTIONS =
      Set.of(
          RoleOptions.DOCKER_IMAGE,
          RoleOptions.NODE_LABEL,
          RoleOptions.PLACEMENT_SPEC,
          RoleOptions.ALLOCATION_TAGS);

  private final CheckedValues values;
  private final Problems problems;
  private final RoleContainers containers;

  ImplicitRoles(CheckedValues values, Problems problems, RoleContainers containers) {
    this.values = values;
    this.problems = problems;
    this.containers = containers;
  }

  /**
   * Returns true if {@code role} is the preprocessing role and {@code option} applies to it
   * although no key declares the role.
   */
  static boolean reads(RoleOption<?> option, String role) {
    return role.equals(PREPROCESS) && OWN_OPTIONS.contains(option);
  }

  /** Returns the given roles, with the undeclared role added if the job has one. */
  List<RoleSpec> addTo(List<RoleSpec> roles) {
    if (roles.isEmpty()) {
      RoleSpec single = role(SINGLE_NODE, Map.of());
      problems.addWarning(
          "no role has an instance: the job runs its command once, in a container of the"
              + " ApplicationMaster's size ("
              + single.resource()
              + ", tony.am.*). For more, set tony.worker.instances");
      return List.of(single);
    }
    if (!values.get(JobOptions.ENABLE_PREPROCESS)) {
      return roles;
    }
    if (values.config().roles().contains(PREPROCESS)) {
      problems.addError(
          values.config().describe(JobOptions.ENABLE_PREPROCESS.key())
              + " adds the role "
              + PREPROCESS
              + ", which the job has already: rename it");
      return roles;
    }
    List<RoleSpec> all = new ArrayList<>();
    all.add(role(PREPROCESS, Map.of("PREPROCESSING_JOB", "true", "TONY_PREPROCESS", "1")));
    roles.forEach(role -> all.add(afterPreprocess(role)));
    return all;
  }

  private RoleSpec role(String name, Map<String, String> env) {
    Optional<String> command = CommandLine.ofProgram(values);
    if (command.isEmpty()) {
      problems.addError("the job has no command: set executes (tony.application.executes)");
    }
    return new RoleSpec(
        name,
        INSTANCES,
        containers.masterResource(),
        command.orElse(""),
        env,
        List.of(),
        containers.placement(name),
        containers.docker(name, INSTANCES),
        Set.of(),
        Supervision.TRACKED,
        false,
        0,
        MemoryGrowth.NONE);
  }

  private static RoleSpec afterPreprocess(RoleSpec role) {
    Set<String> dependsOn = new HashSet<>(role.dependsOn());
    dependsOn.add(PREPROCESS);
    return new RoleSpec(
        role.name(),
        role.instances(),
        role.resource(),
        role.command(),
        role.env(),
        role.files(),
        role.placement(),
        role.docker(),
        dependsOn,
        role.supervision(),
        role.stopsJob(),
        role.maxTaskRetries(),
        role.memoryGrowth());
  }
}
