package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import io.tony.config.option.ConfigOption.SetBy;
import io.tony.config.option.RoleOption;
import java.util.List;
import java.util.Map;

/**
 * Options that exist for each role. The name of a role consists of letters, digits, {@code _} and
 * {@code -}, begins with a letter, and is not a word with another meaning in keys ({@code am},
 * {@code task}, …).
 */
public final class RoleOptions {
  /**
   * Minimum memory of a container in MiB, because the executor and the program need at least this
   * much. Also rejects a "2" that was meant as "2g".
   */
  static final long MIN_MEMORY_MIB = 64;

  public static final RoleOption<Integer> INSTANCES =
      RoleOption.of(
          ConfigOption.key("tony.{role}.instances")
              .integer(0)
              .defaultTo("0")
              .doc(
                  "How many tasks the role has. A job of which no role has any runs `executes`"
                      + " once, in one container of the ApplicationMaster's size (`tony.am.memory`,"
                      + " `tony.am.vcores`, `tony.am.gpus`)."));

  public static final RoleOption<Integer> MIN_INSTANCES =
      RoleOption.of(
          ConfigOption.key("tony.{role}.min-instances")
              .integer(1)
              .whenUnset("all of `instances`")
              .doc(
                  "With how many tasks the gang goes on where it cannot have all of"
                      + " `tony.{role}.instances` (elastic.md)."));

  public static final RoleOption<Integer> RETRY_COUNT =
      RoleOption.of(
          ConfigOption.key("tony.{role}.retry-count")
              .integer(0)
              .defaultTo("0")
              .doc(
                  "How often each task of the role may be started again by itself, while the others"
                      + " go on. It is for roles whose tasks do not need each other, such as the"
                      + " workers of an asynchronous training. Where they need each other, the"
                      + " whole gang must start again: `tony.gang.max-restarts`."));

  public static final RoleOption<Integer> MAX_INSTANCES =
      RoleOption.of(
          ConfigOption.key("tony.{role}.max-instances")
              .integer(-1)
              .defaultTo("-1")
              .setBy(SetBy.PLATFORM)
              .doc("How many tasks of this role a job may ask for; -1: any number."));

  public static final RoleOption<Long> MEMORY =
      RoleOption.of(
          ConfigOption.key("tony.{role}.memory")
              .size(MIN_MEMORY_MIB)
              .defaultTo("2g")
              .doc("Memory of each task's container."));

  public static final RoleOption<Double> MEMORY_GROWTH =
      RoleOption.of(
          ConfigOption.key("tony.{role}.memory-growth")
              .decimal(1)
              .defaultTo("1")
              .doc(
                  "When a task is ended for its memory, its next container is this many times as"
                      + " large: `1.5`, for example; at most 10. `1`: as large as before. From then"
                      + " on, all containers of the role are asked for in the new size. It needs a"
                      + " retry: `tony.gang.max-restarts` or `tony.{role}.retry-count`"
                      + " (failures.md)."));

  public static final RoleOption<Long> MAX_MEMORY =
      RoleOption.of(
          ConfigOption.key("tony.{role}.max-memory")
              .size(MIN_MEMORY_MIB)
              .whenUnset("the cluster's largest container")
              .doc("The largest container that `tony.{role}.memory-growth` may ask for."));

  public static final RoleOption<Integer> VCORES =
      RoleOption.of(
          ConfigOption.key("tony.{role}.vcores")
              .integer(1)
              .defaultTo("1")
              .doc("Virtual cores of each task's container."));

  public static final RoleOption<Integer> GPUS =
      RoleOption.of(
          ConfigOption.key("tony.{role}.gpus")
              .integer(0)
              .defaultTo("0")
              .doc("GPUs of each task's container (YARN's resource `yarn.io/gpu`)."));

  public static final RoleOption<Map<String, String>> RESOURCE_TYPES =
      RoleOption.of(
          ConfigOption.key("tony.{role}.resource-types")
              .map()
              .defaultTo("")
              .doc(
                  "Further YARN resources of each container, such as `yarn.io/fpga=1`: any that the"
                      + " cluster has, in whole numbers of YARN's unit for it."));

  public static final RoleOption<String> COMMAND =
      RoleOption.of(
          ConfigOption.key("tony.{role}.command")
              .string()
              .whenUnset("`tony.containers.command`, then `executes`")
              .doc(
                  "The command line of the role's tasks. The shell of the task's container runs it"
                      + " exactly as written."));

  public static final RoleOption<List<String>> FILES =
      RoleOption.of(
          ConfigOption.key("tony.{role}.resources")
              .list()
              .defaultTo("")
              .doc(
                  "Files for the role's tasks, on top of `tony.containers.resources` and written"
                      + " like those."));

  public static final RoleOption<Map<String, String>> ENVS =
      RoleOption.of(
          ConfigOption.key("tony.{role}.env")
              .map()
              .defaultTo("")
              .doc("Environment of the role's programs, on top of the job's."));

  public static final RoleOption<String> ENV =
      RoleOption.of(
          ConfigOption.key("tony.{role}.env.{NAME}")
              .variable()
              .secret()
              .doc(
                  "One variable of the environment of the role's programs. The value arrives"
                      + " exactly as written, whatever it holds."));

  public static final RoleOption<String> NODE_LABEL =
      RoleOption.of(
          ConfigOption.key("tony.{role}.node-label")
              .name()
              .whenUnset("`tony.application.node-label`")
              .doc("YARN node label of the role's containers."));

  public static final RoleOption<List<String>> DEPENDS_ON =
      RoleOption.of(
          ConfigOption.key("tony.{role}.depends-on")
              .list()
              .defaultTo("")
              .doc(
                  "Roles whose tasks must have ended before containers of this role are asked for."
                      + " Roles that are asked for together start together and see each other."));

  public static final RoleOption<String> PLACEMENT_SPEC =
      RoleOption.of(
          ConfigOption.key("tony.{role}.placement-spec")
              .name()
              .whenUnset("`tony.containers.placement-spec`")
              .doc(
                  "YARN placement constraint of the role's containers. `notin,node,worker`: never"
                      + " beside a container with the tag worker. `in,rack,ps`: always on the rack"
                      + " of one. `cardinality,node,worker,0,1`: beside one at most. `and(…:…)` and"
                      + " `or(…:…)` join several. The cluster must allow it"
                      + " (`yarn.resourcemanager.placement-constraints.handler`)."));

  public static final RoleOption<List<String>> ALLOCATION_TAGS =
      RoleOption.of(
          ConfigOption.key("tony.{role}.allocation-tags")
              .list()
              .whenUnset("`tony.containers.allocation-tags`")
              .doc(
                  "YARN allocation tags of the role's containers, which placement constraints name."
                      + " In a job with constraints or tags, a role without tags has its name for"
                      + " one."));

  public static final RoleOption<String> DOCKER_IMAGE =
      RoleOption.of(
          ConfigOption.key("tony.docker.{role}.image")
              .name()
              .whenUnset("`tony.docker.containers.image`")
              .doc(
                  "Docker image of the role's containers. Read when `tony.docker.enabled` is"
                      + " true."));

  private RoleOptions() {}
}
