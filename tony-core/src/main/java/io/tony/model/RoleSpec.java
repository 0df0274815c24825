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
 * @param nodeLabel YARN node label expression; empty for the queue's default
 */
public record RoleSpec(
    String name,
    int instances,
    ResourceSpec resource,
    String command,
    Map<String, String> env,
    List<FileSpec> files,
    String nodeLabel,
    Set<String> dependsOn,
    Supervision supervision) {

  public RoleSpec {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(command, "command");
    env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    files = List.copyOf(files);
    dependsOn = Set.copyOf(dependsOn);
  }
}
