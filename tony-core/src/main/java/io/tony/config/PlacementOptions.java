package io.tony.config;

import java.util.List;

/** Options of where all containers of a job run, and of Docker. */
public final class PlacementOptions {
  private static final String ANY_NODE =
      "remove it: YARN places the containers on any node of the queue";

  public static final ConfigOption<String> NODE_LABEL =
      ConfigOption.key("tony.application.node-label")
          .string()
          .notYet("set tony.{role}.node-label for each role")
          .doc("YARN node label of all containers that have none of their own.");

  public static final ConfigOption<String> APPLICATION_PLACEMENT_SPEC =
      ConfigOption.key("tony.application.placement-spec")
          .string()
          .notYet(ANY_NODE)
          .doc("YARN placement constraint of the application.");

  public static final ConfigOption<String> PLACEMENT_SPEC =
      ConfigOption.key("tony.containers.placement-spec")
          .string()
          .notYet(ANY_NODE)
          .doc("YARN placement constraint of the containers of every role without its own.");

  public static final ConfigOption<List<String>> ALLOCATION_TAGS =
      ConfigOption.key("tony.containers.allocation-tags")
          .list()
          .notYet("remove it together with the placement-spec keys that name the tags")
          .doc("YARN allocation tags of the containers of every role without its own.");

  public static final ConfigOption<Boolean> DOCKER_ENABLED =
      ConfigOption.key("tony.docker.enabled")
          .bool()
          .defaultTo("false")
          .alias("tony.application.docker.enabled")
          .notYet("ship the program's environment as python_venv instead")
          .doc("Runs the programs in Docker containers.");

  public static final ConfigOption<String> DOCKER_IMAGE =
      ConfigOption.key("tony.docker.containers.image")
          .string()
          .alias("tony.application.docker.image")
          .doc("Docker image of every role without its own; read when `tony.docker.enabled`.");

  public static final ConfigOption<List<String>> DOCKER_MOUNTS =
      ConfigOption.key("tony.docker.containers.mount")
          .list()
          .doc("What Docker mounts into the containers; read when `tony.docker.enabled`.");

  private PlacementOptions() {}
}
