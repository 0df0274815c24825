package io.tony.am.yarn;

import io.tony.am.machine.Event.ContainerEnd;
import io.tony.config.Secrets;
import io.tony.config.declared.PlacementOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.model.DockerSpec;
import io.tony.model.FailureKind;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.records.ContainerStatus;

/**
 * Containers that their node could not start in Docker, by the words of YARN's container-executor
 * and of Docker itself, which YARN passes on among others. Another node may be able to; where the
 * task's next container fails for the same reason, every other would, too.
 */
final class DockerFailures {
  private static final Pattern NOT_TRUSTED = Pattern.compile("image: (\\S+) is not trusted");
  private static final Pattern MOUNT_NOT_ALLOWED =
      Pattern.compile("does not allow (?:docker )?mount (?:src=)?'([^':]*)");
  private static final Pattern NOTHING_TO_MOUNT =
      Pattern.compile("Could not determine real path of mount '([^']*)'");
  private static final Pattern NO_IMAGE = Pattern.compile("Unable to find image '([^']*)' locally");
  private static final Pattern DOCKERS_REASON =
      Pattern.compile("Error response from daemon: (.*\\S)");
  private static final Pattern NO_DOCKER = Pattern.compile("Requested runtime not allowed");

  private final JobSpec job;
  private final Map<TaskId, String> last = new HashMap<>();

  DockerFailures(JobSpec job) {
    this.job = job;
  }

  /** What such an end means for its task; nothing for any other end. */
  Optional<ContainerEnd> of(ContainerStatus status, TaskId task) {
    String before = last.remove(task);
    DockerSpec docker = job.role(task.role()).docker();
    if (docker == null || status.getExitStatus() == 0) {
      return Optional.empty();
    }
    Optional<String> reason = reason(ExitStatuses.diagnostics(status), docker, task.role());
    reason.ifPresent(now -> last.put(task, now));
    return reason.map(
        now ->
            now.equals(before)
                ? new ContainerEnd(FailureKind.INVALID, now)
                : new ContainerEnd(FailureKind.LOST, now));
  }

  private static Optional<String> reason(String diagnostics, DockerSpec docker, String role) {
    String image =
        RoleOptions.DOCKER_IMAGE.at(role).key() + " or " + PlacementOptions.DOCKER_IMAGE.key();
    Matcher matcher = NOT_TRUSTED.matcher(diagnostics);
    if (matcher.find()) {
      return Optional.of(
          "its node does not trust the image "
              + matcher.group(1)
              + ", and gives it no files: docker.trusted.registries in the node's"
              + " container-executor.cfg does not name its registry. Set "
              + image
              + " to an image of a registry that is trusted, or ask the administrator");
    }
    matcher = MOUNT_NOT_ALLOWED.matcher(diagnostics);
    if (matcher.find()) {
      return Optional.of(
          "its node does not allow Docker to mount "
              + matcher.group(1)
              + ": neither docker.allowed.rw-mounts, nor docker.allowed.ro-mounts for what is only"
              + " read, in the node's container-executor.cfg holds it. "
              + mountRemedy(matcher.group(1), docker));
    }
    matcher = NOTHING_TO_MOUNT.matcher(diagnostics);
    if (matcher.find()) {
      return Optional.of(
          "its node has no "
              + matcher.group(1)
              + ", which Docker is to mount. "
              + mountRemedy(matcher.group(1), docker));
    }
    matcher = NO_IMAGE.matcher(diagnostics);
    if (matcher.find()) {
      Matcher reason = DOCKERS_REASON.matcher(diagnostics);
      return Optional.of(
          "the Docker of its node has no image "
              + matcher.group(1)
              + " and could not fetch it"
              + (reason.find() ? " (" + Secrets.maskText(reason.group(1)) + ")" : "")
              + ". Correct "
              + image
              + ", or ask the administrator whether the nodes reach its registry");
    }
    return NO_DOCKER.matcher(diagnostics).find()
        ? Optional.of(
            "its node runs nothing in Docker: yarn.nodemanager.runtime.linux.allowed-runtimes does"
                + " not name docker. Ask the administrator, or remove "
                + PlacementOptions.DOCKER_ENABLED.key())
        : Optional.empty();
  }

  /** What the job does not mount, the administrator or YARN does. */
  private static String mountRemedy(String source, DockerSpec docker) {
    boolean ofTheJob = docker.mounts().stream().anyMatch(m -> m.startsWith(source + ":"));
    return ofTheJob
        ? "Correct " + PlacementOptions.DOCKER_MOUNTS.key() + ", or ask the administrator"
        : "The job does not ask for it: tell the administrator";
  }
}
