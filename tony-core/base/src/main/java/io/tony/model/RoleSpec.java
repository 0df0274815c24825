package io.tony.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One role of a job: how many tasks it has, the resources of each container, and the command.
 *
 * @param name letters, digits, {@code _} and {@code -}: worker, ps, chief, …
 * @param instances number of tasks; in the state of a running job, the current number for an
 *     elastic role
 * @param resource resources of each container
 * @param command user's command line, which bash runs unchanged in the task's working directory
 * @param env environment variables of the role's programs, in addition to the job's
 * @param files files of the role's tasks, in addition to the job's
 * @param docker null if the executor runs directly on the node
 * @param dependsOn roles whose tasks must all have ended before containers for this role are
 *     requested
 * @param stopsJob whether one failed task fails the job, even if {@link EndPolicy} tolerates failed
 *     tasks
 * @param maxTaskRetries how often each task may be restarted alone, with its index unchanged
 * @param memoryGrowth how much memory the containers get after one of them exceeded its memory
 * @param minInstances minimum number of tasks with which the gang runs
 * @param maxInstances preferred number of tasks
 */
public record RoleSpec(
    String name,
    int instances,
    ResourceSpec resource,
    String command,
    Map<String, String> env,
    List<FileSpec> files,
    Placement placement,
    @Nullable DockerSpec docker,
    Set<String> dependsOn,
    Supervision supervision,
    boolean stopsJob,
    int maxTaskRetries,
    MemoryGrowth memoryGrowth,
    int minInstances,
    int maxInstances) {

  public RoleSpec {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(command, "command");
    env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    files = List.copyOf(files);
    dependsOn = Set.copyOf(dependsOn);
  }

  /** Creates a role that is not elastic. */
  public RoleSpec(
      String name,
      int instances,
      ResourceSpec resource,
      String command,
      Map<String, String> env,
      List<FileSpec> files,
      Placement placement,
      @Nullable DockerSpec docker,
      Set<String> dependsOn,
      Supervision supervision,
      boolean stopsJob,
      int maxTaskRetries,
      MemoryGrowth memoryGrowth) {
    this(
        name,
        instances,
        resource,
        command,
        env,
        files,
        placement,
        docker,
        dependsOn,
        supervision,
        stopsJob,
        maxTaskRetries,
        memoryGrowth,
        instances,
        instances);
  }

  /** Returns true if the gang may run with fewer tasks of this role than preferred. */
  public boolean isElastic() {
    return minInstances < maxInstances;
  }

  /** Returns a copy of this role with this number of tasks. */
  public RoleSpec withInstances(int next) {
    return with(next, resource);
  }

  /** Returns a copy of this role with this minimum number of tasks. */
  public RoleSpec withMinInstances(int next) {
    return new RoleSpec(
        name,
        instances,
        resource,
        command,
        env,
        files,
        placement,
        docker,
        dependsOn,
        supervision,
        stopsJob,
        maxTaskRetries,
        memoryGrowth,
        next,
        maxInstances);
  }

  /** Returns a copy of this role whose containers have this memory, in MiB. */
  public RoleSpec withMemory(long memoryMiB) {
    return with(instances, new ResourceSpec(memoryMiB, resource.vcores(), resource.others()));
  }

  private RoleSpec with(int nextInstances, ResourceSpec nextResource) {
    return new RoleSpec(
        name,
        nextInstances,
        nextResource,
        command,
        env,
        files,
        placement,
        docker,
        dependsOn,
        supervision,
        stopsJob,
        maxTaskRetries,
        memoryGrowth,
        minInstances,
        maxInstances);
  }
}
