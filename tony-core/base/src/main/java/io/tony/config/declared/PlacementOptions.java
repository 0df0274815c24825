package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import java.util.List;

/** Options that decide on which nodes containers run, and options of Docker. */
public final class PlacementOptions {
  public static final ConfigOption<String> NODE_LABEL =
      ConfigOption.key("tony.application.node-label")
          .name()
          .whenUnset("the queue's own")
          .doc(
              "YARN node label of all containers, the ApplicationMaster's among them, unless their"
                  + " role has its own.");

  public static final ConfigOption<String> APPLICATION_PLACEMENT_SPEC =
      ConfigOption.key("tony.application.placement-spec")
          .name()
          .doc(
              "YARN placement constraint of all containers of the tasks, on top of their roles'"
                  + " own; written like those.");

  public static final ConfigOption<String> PLACEMENT_SPEC =
      ConfigOption.key("tony.containers.placement-spec")
          .name()
          .doc("YARN placement constraint of the containers of every role without its own.");

  public static final ConfigOption<List<String>> ALLOCATION_TAGS =
      ConfigOption.key("tony.containers.allocation-tags")
          .list()
          .doc("YARN allocation tags of the containers of every role without its own.");

  public static final ConfigOption<Boolean> DOCKER_ENABLED =
      ConfigOption.key("tony.docker.enabled")
          .bool()
          .defaultTo("false")
          .oldName("tony.application.docker.enabled")
          .doc(
              "Runs the tasks in Docker containers, by YARN's Docker runtime, which the nodes must"
                  + " allow. The image needs Java 17 (`tony.java.home` or `tony.java.archive`) and the cluster's Hadoop,"
                  + " or mounts of both: the TonY executor of the task runs in it, too. It also"
                  + " needs bash, setsid and grep; and tar and gzip where the job has a source"
                  + " folder. The job's user must have a name there: mount `/etc/passwd` and"
                  + " `/etc/group` where the administrator does not.");

  public static final ConfigOption<String> DOCKER_IMAGE =
      ConfigOption.key("tony.docker.containers.image")
          .name()
          .oldName("tony.application.docker.image")
          .doc(
              "Docker image of every role without its own, of the preprocessing, and of the"
                  + " TensorBoard of `tony.application.tensorboard-log-dir`. Read when"
                  + " `tony.docker.enabled` is true: then every role that runs needs an image.");

  public static final ConfigOption<List<String>> DOCKER_MOUNTS =
      ConfigOption.key("tony.docker.containers.mount")
          .list()
          .defaultTo("")
          .doc(
              "What Docker mounts into the containers: `SOURCE:DESTINATION:ro` or"
                  + " `SOURCE:DESTINATION:rw`, separated by commas, of folders that the"
                  + " administrator allows. Read when `tony.docker.enabled` is true.");

  private PlacementOptions() {}
}
