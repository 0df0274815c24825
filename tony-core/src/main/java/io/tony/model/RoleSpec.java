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
 * @param command the user's command line, run by bash in the task's working directory as written
 * @param env environment of the user's process, on top of the job's
 * @param files what is shipped to this role, on top of the job's
 * @param docker null where the nodes run the executor directly
 * @param dependsOn roles whose tasks must all have ended before this one's are asked for
 * @param stopsJob one failed task fails the job, whatever {@link EndPolicy} says of others
 * @param retries how often each of its tasks may be started again alone, keeping its index
 * @param growth what becomes of its containers when one of them had too little memory
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
    int retries,
    MemoryGrowth growth) {

  public RoleSpec {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(command, "command");
    env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    files = List.copyOf(files);
    dependsOn = Set.copyOf(dependsOn);
  }

  /** The role with containers of so much memory. */
  public RoleSpec withMemory(long memoryMiB) {
    return new RoleSpec(
        name,
        instances,
        new ResourceSpec(memoryMiB, resource.vcores(), resource.others()),
        command,
        env,
        files,
        placement,
        docker,
        dependsOn,
        supervision,
        stopsJob,
        retries,
        growth);
  }
}
