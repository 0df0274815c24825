package io.tony.container;

import io.tony.config.declared.PlacementOptions;
import io.tony.model.DockerSpec;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a container asks its NodeManager for Docker: by variables of its environment, which YARN's
 * document "Launching Applications Using Docker Containers" defines. They reach a shell script in
 * double quotes; the configuration's reader lets nothing pass that a shell would act upon.
 */
public final class DockerRuntime {
  private static final String TYPE = "YARN_CONTAINER_RUNTIME_TYPE";
  private static final String IMAGE = "YARN_CONTAINER_RUNTIME_DOCKER_IMAGE";
  private static final String MOUNTS = "YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS";

  private DockerRuntime() {}

  /** Empty for a container without Docker, which {@code null} stands for. */
  public static Map<String, String> environment(DockerSpec docker) {
    Map<String, String> environment = new LinkedHashMap<>();
    if (docker != null) {
      environment.put(TYPE, "docker");
      environment.put(IMAGE, docker.image());
      if (!docker.mounts().isEmpty()) {
        environment.put(MOUNTS, String.join(",", docker.mounts()));
      }
    }
    return environment;
  }

  /**
   * Fails outside Docker in a container that has asked for it. Of the NodeManager's executors only
   * LinuxContainerExecutor knows of Docker; others run the container on the bare node, and say
   * nothing.
   *
   * @param environment of a process of the container
   * @param insideDocker whether that process is in Docker
   */
  public static void requireDocker(Map<String, String> environment, boolean insideDocker)
      throws IOException {
    String image = environment.get(IMAGE);
    if (image != null && !insideDocker) {
      throw new IOException(
          "its node runs it outside Docker, without the image "
              + image
              + ": is the NodeManager's yarn.nodemanager.container-executor.class"
              + " LinuxContainerExecutor? Ask the administrator, or remove "
              + PlacementOptions.DOCKER_ENABLED.key());
    }
  }
}
