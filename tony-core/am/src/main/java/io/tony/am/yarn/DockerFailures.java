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
import org.jspecify.annotations.Nullable;

/**
 * Recognises containers that their node could not start in Docker, by the messages of YARN's
 * container-executor and of Docker in YARN's diagnostics. The first such failure is retryable,
 * because another node may be able to start the task. If the task's next container fails for the
 * same reason, every further one would fail, too, and the failure is INVALID. If the reason may be
 * specific to a node, the second failure proves this only if it happened on another node.
 */
final class DockerFailures {
  private static final Pattern NOT_TRUSTED = Pattern.compile("image: (\\S+) is not trusted");
  private static final Pattern MOUNT_NOT_ALLOWED =
      Pattern.compile("does not allow (?:docker )?mount (?:src=)?'([^':]*)");
  private static final Pattern NOTHING_TO_MOUNT =
      Pattern.compile("Could not determine real path of mount '([^']*)'");
  private static final Pattern NO_IMAGE = Pattern.compile("Unable to find image '([^']*)' locally");
  private static final Pattern DAEMON_REASON =
      Pattern.compile("Error response from daemon: (.*\\S)");

  /**
   * Registry errors that every node would get. Errors of an unreachable or busy registry do not
   * match, because the next node may get the image.
   */
  private static final Pattern REGISTRY_HAS_NONE =
      Pattern.compile("not found|manifest unknown|denied", Pattern.CASE_INSENSITIVE);

  private static final Pattern RUNTIME_NOT_ALLOWED =
      Pattern.compile("Invalid param '([^']*)' requested.*\\sCould not find requested runtime");

  /** Message of Docker that it lacks a runtime: before version 23.0, and since. */
  private static final Pattern NO_RUNTIME =
      Pattern.compile(
          "(?:Unknown runtime specified|unknown or invalid runtime name:) (\\S+?)\\.?\\s");

  private static final Pattern NO_DOCKER = Pattern.compile("Requested runtime not allowed");

  /** Exit status of a container that YARN gave up on before it called container-executor. */
  private static final int NOT_STARTED = -1;

  /**
   * Exit status minus the signal's number, of a container that was ended by SIGTERM or SIGKILL, and
   * thus was running.
   */
  private static final int SIGNAL_EXIT_BASE = 128;

  private static final String LAUNCH_FAILED = "Exception from container-launch";

  /** Text in YARN's diagnostics after which the output of the container's own programs follows. */
  private static final String PROGRAM_OUTPUT_MARKER = "Container exited with a non-zero exit code";

  /**
   * On which node the task's next container must fail for the same reason to prove that the task
   * would fail on every node: on any, or on another one than before. NONE if even that proves
   * nothing.
   */
  private enum Proof {
    ANY_NODE,
    ANOTHER_NODE,
    NONE
  }

  private record Reason(String text, Proof proof) {}

  private record FoundReason(Reason reason, String node) {
    boolean confirms(@Nullable FoundReason previous) {
      if (previous == null || !reason.equals(previous.reason)) {
        return false;
      }
      return switch (reason.proof) {
        case ANY_NODE -> true;
        case ANOTHER_NODE ->
            !node.isEmpty() && !previous.node.isEmpty() && !node.equals(previous.node);
        case NONE -> false;
      };
    }
  }

  private final JobSpec job;
  private final Map<TaskId, FoundReason> last = new HashMap<>();

  DockerFailures(JobSpec job) {
    this.job = job;
  }

  /**
   * Returns what the container's end means for its task; empty if Docker is not the reason.
   *
   * @param node the container's node; empty if unknown
   */
  Optional<ContainerEnd> classify(ContainerStatus status, TaskId task, String node) {
    FoundReason previous = last.remove(task);
    DockerSpec docker = job.role(task.role()).docker();
    if (docker == null) {
      return Optional.empty();
    }
    Optional<FoundReason> found =
        reason(launchDiagnostics(status), docker, task.role())
            .map(now -> new FoundReason(now, node));
    found.ifPresent(now -> last.put(task, now));
    return found.map(
        now ->
            new ContainerEnd(
                now.confirms(previous) ? FailureKind.INVALID : FailureKind.LOST, now.reason.text));
  }

  /**
   * Returns YARN's diagnostics of a container that could not be started; empty for a container that
   * ran.
   */
  private static String launchDiagnostics(ContainerStatus status) {
    String diagnostics = ExitStatuses.diagnostics(status);
    int code = status.getExitStatus();
    if (code == NOT_STARTED) {
      return diagnostics;
    }
    if (code <= 0 || code > SIGNAL_EXIT_BASE || !diagnostics.contains(LAUNCH_FAILED)) {
      return "";
    }
    int end = diagnostics.indexOf(PROGRAM_OUTPUT_MARKER);
    return end < 0 ? diagnostics : diagnostics.substring(0, end);
  }

  private static Optional<Reason> reason(String diagnostics, DockerSpec docker, String role) {
    String image =
        RoleOptions.DOCKER_IMAGE.at(role).key() + " or " + PlacementOptions.DOCKER_IMAGE.key();
    return trustReason(diagnostics, image)
        .or(() -> mountReason(diagnostics, docker))
        .or(() -> imageReason(diagnostics, image))
        .or(() -> runtimeReason(diagnostics));
  }

  private static Optional<Reason> trustReason(String diagnostics, String image) {
    Matcher matcher = NOT_TRUSTED.matcher(diagnostics);
    if (matcher.find()) {
      return because(
          Proof.ANY_NODE,
          "its node does not trust the image "
              + matcher.group(1)
              + ", and gives it no files: docker.trusted.registries in the node's"
              + " container-executor.cfg does not name its registry. Set "
              + image
              + " to an image of a registry that is trusted, or ask the administrator");
    }
    return Optional.empty();
  }

  private static Optional<Reason> imageReason(String diagnostics, String image) {
    Matcher matcher = NO_IMAGE.matcher(diagnostics);
    if (matcher.find()) {
      Matcher daemonReason = DAEMON_REASON.matcher(diagnostics);
      String why = daemonReason.find() ? daemonReason.group(1) : "";
      return because(
          REGISTRY_HAS_NONE.matcher(why).find() ? Proof.ANOTHER_NODE : Proof.NONE,
          "the Docker of its node has no image "
              + matcher.group(1)
              + " and could not fetch it"
              + (why.isEmpty() ? "" : " (" + Secrets.maskText(why) + ")")
              + ". Correct "
              + image
              + ", or ask the administrator whether the nodes reach its registry");
    }
    return Optional.empty();
  }

  private static Optional<Reason> mountReason(String diagnostics, DockerSpec docker) {
    Matcher matcher = MOUNT_NOT_ALLOWED.matcher(diagnostics);
    if (matcher.find()) {
      return because(
          Proof.ANOTHER_NODE,
          "its node does not allow Docker to mount "
              + matcher.group(1)
              + ": neither docker.allowed.rw-mounts, nor docker.allowed.ro-mounts for what is only"
              + " read, in the node's container-executor.cfg holds it. "
              + mountRemedy(matcher.group(1), docker));
    }
    matcher = NOTHING_TO_MOUNT.matcher(diagnostics);
    return matcher.find()
        ? because(
            Proof.ANOTHER_NODE,
            "its node has no "
                + matcher.group(1)
                + ", which Docker is to mount. "
                + mountRemedy(matcher.group(1), docker))
        : Optional.empty();
  }

  private static Optional<Reason> runtimeReason(String diagnostics) {
    Matcher matcher = RUNTIME_NOT_ALLOWED.matcher(diagnostics);
    if (matcher.find()) {
      return because(
          Proof.ANOTHER_NODE,
          "its node does not allow Docker's runtime "
              + matcher.group(1)
              + ", by which YARN gives a container its GPUs: docker.allowed.runtimes in the node's"
              + " container-executor.cfg does not name it. Ask the administrator");
    }
    matcher = NO_RUNTIME.matcher(diagnostics);
    if (matcher.find()) {
      return because(
          Proof.ANOTHER_NODE,
          "the Docker of its node has no runtime "
              + matcher.group(1)
              + ", by which YARN gives a container its GPUs. Ask the administrator whether NVIDIA's"
              + " container toolkit is installed there");
    }
    return NO_DOCKER.matcher(diagnostics).find()
        ? because(
            Proof.ANOTHER_NODE,
            "its node runs nothing in Docker: yarn.nodemanager.runtime.linux.allowed-runtimes does"
                + " not name docker. Ask the administrator, or remove "
                + PlacementOptions.DOCKER_ENABLED.key())
        : Optional.empty();
  }

  private static Optional<Reason> because(Proof proof, String text) {
    return Optional.of(new Reason(text, proof));
  }

  /**
   * Returns advice on a mount that failed: to the user if the job requests the mount; else to the
   * administrator, whose configuration does.
   */
  private static String mountRemedy(String source, DockerSpec docker) {
    boolean jobMount = docker.mounts().stream().anyMatch(m -> m.startsWith(source + ":"));
    return jobMount
        ? "Correct " + PlacementOptions.DOCKER_MOUNTS.key() + ", or ask the administrator"
        : "The job does not ask for it: tell the administrator";
  }
}
