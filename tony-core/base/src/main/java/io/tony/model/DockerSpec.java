package io.tony.model;

import java.util.List;

/**
 * Docker container in which a task's executor and the user's program run.
 *
 * @param image name of the image with registry and tag, as the nodes' Docker resolves it
 * @param mounts mounts in the form {@code SOURCE:DESTINATION:MODE} of YARN's Docker runtime
 */
public record DockerSpec(String image, List<String> mounts) {
  public DockerSpec {
    mounts = List.copyOf(mounts);
  }
}
