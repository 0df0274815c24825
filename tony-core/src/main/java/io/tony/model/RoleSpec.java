package io.tony.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * One role of a job: how many tasks, what each container has, and what runs in it.
 *
 * @param name any name of letters, digits, {@code _} and {@code -}: worker, ps, chief, …
 * @param instances how many tasks it has; where it is elastic, from the state of a job, how many
 *     now
 * @param command the user's command line, run by bash in the task's working directory as written
 * @param env environment of the user's process, on top of the job's
 * @param files what is shipped to this role, on top of the job's
 * @param docker null where the nodes run the executor directly
 * @param dependsOn roles whose tasks must all have ended before this one's are asked for
 * @param stopsJob one failed task fails the job, whatever {@link EndPolicy} says of others
 * @param maxTaskRetries how often each of its tasks may be started again alone, keeping its index
 * @param memoryGrowth what becomes of its containers when one of them had too little memory
 * @param minInstances with how many tasks the gang goes on where it cannot have more
 * @param maxInstances with how many it would rather
 */
public record RoleSpec(
    String name,
    int instances,
    ResourceSpec resource,
    String command,
    Map<String, String> env,
    List<FileSpec> files,
    Placement placement,
    DockerSpec docker,
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

  /** A role with so many tasks, whatever happens. */
  public RoleSpec(
      String name,
      int instances,
      ResourceSpec resource,
      String command,
      Map<String, String> env,
      List<FileSpec> files,
      Placement placement,
      DockerSpec docker,
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

  /** Whether the gang goes on with fewer tasks of it where it cannot have all. */
  public boolean isElastic() {
    return minInstances < maxInstances;
  }

  /** The role with so many tasks now. */
  public RoleSpec withInstances(int next) {
    return with(next, resource);
  }

  /** The role, of which the gang goes on with so few tasks. */
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

  /** The role with containers of so much memory. */
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
