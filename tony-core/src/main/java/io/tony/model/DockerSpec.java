package io.tony.model;

import java.util.List;

/**
 * The Docker container that a task's executor and program run in.
 *
 * @param image name that the nodes' Docker knows, with its registry and tag
 * @param mounts each {@code SOURCE:DESTINATION:MODE}, as YARN's Docker runtime takes them
 */
public record DockerSpec(String image, List<String> mounts) {
  public DockerSpec {
    mounts = List.copyOf(mounts);
  }
}
