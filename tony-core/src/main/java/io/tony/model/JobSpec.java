package io.tony.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeSet;

/**
 * A job as the user asked for it, read from the options and checked: everything the
 * ApplicationMaster decides upon. It never changes while the job runs.
 *
 * @param framework name of the runtime that writes the tasks' environment
 * @param roles in the order in which they are declared; names are unique
 * @param env environment of every user's process (exact values)
 * @param files shipped to every task
 * @param maxErrorLines how many last lines of a failed task's stderr are reported
 */
public record JobSpec(
    String name,
    String framework,
    DistributedMode mode,
    List<RoleSpec> roles,
    Map<String, String> env,
    List<FileSpec> files,
    EndPolicy endPolicy,
    int maxErrorLines,
    JobLimits limits) {

  /** The role that has a port for TensorBoard by its name. */
  public static final String TENSORBOARD = "tensorboard";

  public JobSpec {
    roles = List.copyOf(roles);
    env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    files = List.copyOf(files);
  }

  public RoleSpec role(String name) {
    return roles.stream()
        .filter(role -> role.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new NoSuchElementException("no role " + name + " in job " + this.name));
  }

  /** The job with another role of the same name. */
  public JobSpec with(RoleSpec next) {
    List<RoleSpec> all =
        roles.stream().map(role -> role.name().equals(next.name()) ? next : role).toList();
    return new JobSpec(name, framework, mode, all, env, files, endPolicy, maxErrorLines, limits);
  }

  /** The job with other limits. */
  public JobSpec with(JobLimits next) {
    return new JobSpec(name, framework, mode, roles, env, files, endPolicy, maxErrorLines, next);
  }

  /** Whether its gang goes on with fewer tasks where it cannot have all. */
  public boolean isElastic() {
    return roles.stream().anyMatch(RoleSpec::isElastic);
  }

  public int taskCount() {
    return roles.stream().mapToInt(RoleSpec::instances).sum();
  }

  /** How many tasks the job waits for. */
  public int trackedTaskCount() {
    return roles.stream()
        .filter(role -> role.supervision() == Supervision.TRACKED)
        .mapToInt(RoleSpec::instances)
        .sum();
  }

  /** The roles whose end others wait for, by name. */
  public Set<String> dependencyRoles() {
    Set<String> dependencies = new TreeSet<>();
    roles.forEach(role -> dependencies.addAll(role.dependsOn()));
    return dependencies;
  }

  /**
   * The task that frameworks treat as the first among equals: {@code chief:0} or {@code master:0}
   * where the job has such a role, else {@code worker:0}, else the first tracked task.
   */
  public TaskId chief() {
    for (String name : List.of("chief", "master", "worker")) {
      for (RoleSpec role : roles) {
        if (role.name().equals(name)) {
          return new TaskId(name, 0);
        }
      }
    }
    return roles.stream()
        .filter(role -> role.supervision() == Supervision.TRACKED)
        .findFirst()
        .map(role -> new TaskId(role.name(), 0))
        .orElseGet(() -> new TaskId(roles.get(0).name(), 0));
  }

  /**
   * The task that is given a port for TensorBoard: {@code tensorboard:0} where the job has such a
   * role, else the chief.
   */
  public TaskId tensorBoardHost() {
    boolean own = roles.stream().anyMatch(role -> role.name().equals(TENSORBOARD));
    return own ? new TaskId(TENSORBOARD, 0) : chief();
  }
}
