package io.tony.container;

import io.tony.config.declared.PlacementOptions;
import io.tony.model.DockerSpec;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Creates the environment variables with which a container asks its NodeManager to run it in
 * Docker; YARN's document "Launching Applications Using Docker Containers" defines them. YARN
 * writes the values into a shell script in double quotes; the configuration's reader has already
 * rejected characters that a shell would interpret.
 */
public final class DockerRuntime {
  private static final String TYPE = "YARN_CONTAINER_RUNTIME_TYPE";
  private static final String IMAGE = "YARN_CONTAINER_RUNTIME_DOCKER_IMAGE";
  private static final String MOUNTS = "YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS";

  private DockerRuntime() {}

  /**
   * Returns the environment variables that request Docker for a container.
   *
   * @param docker image and mounts; null for a container without Docker, for which the result is
   *     empty
   */
  public static Map<String, String> environment(@Nullable DockerSpec docker) {
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
   * Checks that a container that requested Docker runs in Docker. Only YARN's
   * LinuxContainerExecutor supports Docker; YARN's other container executors ignore the request and
   * run the container directly on the node.
   *
   * @param environment environment of a process of the container
   * @param insideDocker whether that process runs in Docker
   * @throws IOException if the container requested Docker but runs outside it
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
