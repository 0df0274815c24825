package io.tony.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeSet;

/**
 * A validated job: all settings on which the ApplicationMaster bases its decisions. Created from
 * the options at submission; immutable.
 *
 * @param framework name of the framework whose runtime creates the tasks' environment
 * @param roles in the order of their declaration; names are unique
 * @param env environment variables of every program; values are not expanded
 * @param files files that are placed into the working directory of every task
 * @param maxErrorLines maximum number of lines of a failed task's stderr that are reported
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

  /** Name of the role whose task 0 gets a port for TensorBoard. */
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

  /** Returns a copy of this job in which {@code next} replaces the role of the same name. */
  public JobSpec with(RoleSpec next) {
    List<RoleSpec> all =
        roles.stream().map(role -> role.name().equals(next.name()) ? next : role).toList();
    return new JobSpec(name, framework, mode, all, env, files, endPolicy, maxErrorLines, limits);
  }

  /** Returns a copy of this job with these limits. */
  public JobSpec with(JobLimits next) {
    return new JobSpec(name, framework, mode, roles, env, files, endPolicy, maxErrorLines, next);
  }

  /** Returns true if a role of this job may run with fewer tasks than preferred. */
  public boolean isElastic() {
    return roles.stream().anyMatch(RoleSpec::isElastic);
  }

  public int taskCount() {
    return roles.stream().mapToInt(RoleSpec::instances).sum();
  }

  /** Returns the number of tracked tasks, for whose end the job waits. */
  public int trackedTaskCount() {
    return roles.stream()
        .filter(role -> role.supervision() == Supervision.TRACKED)
        .mapToInt(RoleSpec::instances)
        .sum();
  }

  /** Returns the names of the roles for whose end other roles wait. */
  public Set<String> dependencyRoles() {
    Set<String> dependencies = new TreeSet<>();
    roles.forEach(role -> dependencies.addAll(role.dependsOn()));
    return dependencies;
  }

  /**
   * Returns the task that frameworks treat as the leader: {@code chief:0} or {@code master:0} if
   * the job has such a role, else {@code worker:0}, else the first tracked task.
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
   * Returns the task that gets a port for TensorBoard: {@code tensorboard:0} if the job has such a
   * role, else the chief.
   */
  public TaskId tensorBoardHost() {
    boolean own = roles.stream().anyMatch(role -> role.name().equals(TENSORBOARD));
    return own ? new TaskId(TENSORBOARD, 0) : chief();
  }
}
