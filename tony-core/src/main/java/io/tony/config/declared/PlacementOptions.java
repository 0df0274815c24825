package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import java.util.List;

/** Options of where all containers of a job run, and of Docker. */
public final class PlacementOptions {
  public static final ConfigOption<String> NODE_LABEL =
      ConfigOption.key("tony.application.node-label")
          .string()
          .doc(
              "YARN node label of all containers that have none of their own, the"
                  + " ApplicationMaster's among them.");

  public static final ConfigOption<String> APPLICATION_PLACEMENT_SPEC =
      ConfigOption.key("tony.application.placement-spec")
          .string()
          .doc(
              "YARN placement constraint of all containers of the tasks, on top of their roles' own;"
                  + " written like those.");

  public static final ConfigOption<String> PLACEMENT_SPEC =
      ConfigOption.key("tony.containers.placement-spec")
          .string()
          .doc("YARN placement constraint of the containers of every role without its own.");

  public static final ConfigOption<List<String>> ALLOCATION_TAGS =
      ConfigOption.key("tony.containers.allocation-tags")
          .list()
          .doc("YARN allocation tags of the containers of every role without its own.");

  public static final ConfigOption<Boolean> DOCKER_ENABLED =
      ConfigOption.key("tony.docker.enabled")
          .bool()
          .defaultTo("false")
          .alias("tony.application.docker.enabled")
          .doc(
              "Runs the tasks in Docker containers, by YARN's Docker runtime, which the nodes must"
                  + " allow. The image needs a Java 17 (`tony.java.home`) and the cluster's Hadoop, or"
                  + " mounts of both, for the task's executor runs in it too; bash, setsid and grep;"
                  + " and tar and gzip where the job has a source folder. The job's user must have a"
                  + " name there: mount `/etc/passwd` and `/etc/group` where the administrator does"
                  + " not.");

  public static final ConfigOption<String> DOCKER_IMAGE =
      ConfigOption.key("tony.docker.containers.image")
          .string()
          .alias("tony.application.docker.image")
          .doc(
              "Docker image of every role without its own, the preprocessing and an implied"
                  + " TensorBoard among them; read when `tony.docker.enabled`. Every role"
                  + " that runs needs one of the two.");

  public static final ConfigOption<List<String>> DOCKER_MOUNTS =
      ConfigOption.key("tony.docker.containers.mount")
          .list()
          .defaultTo("")
          .doc(
              "What Docker mounts into the containers: `SOURCE:DESTINATION:ro` or `…:rw`, separated"
                  + " by commas, of folders that the administrator allows; read when"
                  + " `tony.docker.enabled`.");

  private PlacementOptions() {}
}
