package io.tony.am.yarn;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Event.ContainerEnd;
import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.FailureKind;
import io.tony.model.TaskId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.junit.Test;

public class DockerFailuresTest {
  private static final TaskId WORKER = new TaskId("worker", 0);
  private static final String MOUNT =
      "Configuration does not allow mount src='/var/lib', dest='/data'";

  private static final String RUNTIME =
      "Invalid param 'nvidia' requested\nCould not find requested runtime in allowed runtimes";

  private final DockerFailures failures = failures(true);

  private static DockerFailures failures(boolean docker) {
    return new DockerFailures(
        JobSpecReader.read(
                TonyConfig.builder()
                    .layer(
                        "test",
                        Map.of(
                            "tony.worker.instances", "2",
                            "tony.application.executes", "true",
                            "tony.docker.enabled", Boolean.toString(docker),
                            "tony.docker.containers.image", "registry.example.com/ml:1",
                            "tony.docker.containers.mount", "/var/lib:/data:ro"))
                    .build(),
                new Problems())
            .orElseThrow());
  }

  private static Optional<ContainerEnd> told(
      DockerFailures failures, int status, String diagnostics, String node) {
    return failures.classify(
        ContainerStatus.newInstance(
            ContainerId.fromString("container_1700000000000_0001_01_000002"),
            ContainerState.COMPLETE,
            diagnostics,
            status),
        WORKER,
        node);
  }

  private static Optional<ContainerEnd> end(
      DockerFailures failures, int status, String error, String node) {
    return told(
        failures,
        status,
        "[2026-11-23 00:39:41.658]Exception from container-launch.\n"
            + "Exit code: "
            + status
            + "\nException message: Launch container failed\nShell error output: "
            + error
            + "\n\nShell output: main : command provided 4\n",
        node);
  }

  private FailureKind kind(String error, String node) {
    return end(failures, 29, error, node).orElseThrow().cause();
  }

  private String message(String error) {
    return end(failures, 29, error, "node1").orElseThrow().message();
  }

  private static void assertHas(String text, String... parts) {
    for (String part : parts) {
      assertTrue(part + " is missing in: " + text, text.contains(part));
    }
    assertTrue(text, !text.contains("\n") && !text.contains("main :"));
  }

  @Test
  public void shouldNameTheImageThatIsNotTrusted() {
    assertHas(
        message("image: stranger/ml:1 is not trusted.\nDisable mount volume for untrusted image"),
        "the image stranger/ml:1",
        "docker.trusted.registries",
        "tony.docker.worker.image or tony.docker.containers.image");
  }

  @Test
  public void shouldNameTheImageThatIsNotThereAndDockersReason() {
    assertHas(
        message(
            "Unable to find image 'ml:7' locally\n"
                + "docker: Error response from daemon: Get \"https://me:secret@example.com/v2/\":"
                + " no such host.\nSee 'docker run --help'."),
        "no image ml:7",
        "******",
        "no such host.",
        "tony.docker.worker.image");
  }

  @Test
  public void shouldNameTheMountAndWhoseItIs() {
    assertHas(
        message(MOUNT), "/var/lib", "docker.allowed.ro-mounts", "tony.docker.containers.mount");
    assertHas(
        message("Configuration does not allow mount src='/grid/local', dest='/grid/local'"),
        "/grid/local",
        "The job does not ask for it");
    assertHas(
        message("Could not determine real path of mount '/var/lib'\nInvalid mount src='/var/lib'"),
        "its node has no /var/lib",
        "tony.docker.containers.mount");
  }

  @Test
  public void shouldSayThatNodesRunNoDocker() {
    assertHas(message("Requested runtime not allowed."), "allowed-runtimes", "tony.docker.enabled");
  }

  @Test
  public void shouldSayWhyDockerGivesNoGpus() {
    assertHas(message(RUNTIME), "runtime nvidia", "docker.allowed.runtimes");
    for (String words :
        List.of("Unknown runtime specified nvidia", "unknown or invalid runtime name: nvidia")) {
      assertHas(
          message("docker: Error response from daemon: " + words + ".\nSee 'docker run --help'."),
          "has no runtime nvidia,");
    }
  }

  @Test
  public void shouldTryOnceMoreAndThenNotAgain() {
    assertEquals(FailureKind.LOST, kind(MOUNT, "node1"));
    assertEquals(FailureKind.INVALID, kind(MOUNT, "node2"));
  }

  @Test
  public void shouldNotEndAJobForWhatOneNodeLacks() {
    for (String error :
        List.of(
            MOUNT,
            "Could not determine real path of mount '/var/lib'",
            "Requested runtime not allowed.",
            RUNTIME,
            fetching("manifest for ml:7 not found: manifest unknown"))) {
      assertEquals(error, FailureKind.LOST, kind(error, "node1"));
      assertEquals(error, FailureKind.LOST, kind(error, "node1"));
      assertEquals(error, FailureKind.LOST, kind(error, ""));
      assertEquals(error, FailureKind.LOST, kind(error, "node2"));
      assertEquals(error, FailureKind.INVALID, kind(error, "node1"));
    }
  }

  private static String fetching(String reason) {
    return "Unable to find image 'ml:7' locally\n"
        + "docker: Error response from daemon: "
        + reason
        + ".\nSee 'docker run --help'.";
  }

  @Test
  public void shouldGiveUpAnImageOnlyWhereItsRegistryHasNone() {
    for (String outage :
        List.of(
            "Get \"https://example.com/v2/\": dial tcp 10.0.0.1:443: connect: connection refused",
            "Get \"https://example.com/v2/\": net/http: TLS handshake timeout",
            "toomanyrequests: You have reached your pull rate limit",
            "received unexpected HTTP status: 503 Service Unavailable")) {
      assertEquals(outage, FailureKind.LOST, kind(fetching(outage), "node1"));
      assertEquals(outage, FailureKind.LOST, kind(fetching(outage), "node2"));
    }
    String denied = "pull access denied for ml, repository does not exist";
    assertEquals(FailureKind.LOST, kind(fetching(denied), "node1"));
    assertEquals(FailureKind.INVALID, kind(fetching(denied), "node2"));
  }

  @Test
  public void shouldForgetItWhereAContainerHasRun() {
    assertEquals(FailureKind.LOST, kind(MOUNT, "node1"));
    assertEquals(Optional.empty(), end(failures, 1, "killed", "node2"));
    assertEquals(FailureKind.LOST, kind(MOUNT, "node2"));
  }

  @Test
  public void shouldKnowWhatYarnRefusesBeforeItStartsAnything() {
    assertHas(
        told(failures, -1, "[2026-11-23 00:39:41.658]Requested runtime not allowed.", "node1")
            .orElseThrow()
            .message(),
        "allowed-runtimes");
  }

  @Test
  public void shouldSayNothingOfOtherContainers() {
    assertEquals(Optional.empty(), end(failures(false), 29, MOUNT, "node1"));
    for (int status : new int[] {0, 137, 143, -100, -102, -104, -105}) {
      assertEquals(Integer.toString(status), Optional.empty(), end(failures, status, MOUNT, "n1"));
    }
  }

  @Test
  public void shouldNotBelieveWhatAProgramPrinted() {
    assertEquals(Optional.empty(), told(failures, 1, MOUNT, "node1"));
    assertEquals(
        Optional.empty(),
        told(
            failures,
            1,
            "[2026-11-23 00:39:41.658]Exception from container-launch.\nExit code: 1\n"
                + "Shell error output: \n\n"
                + "[2026-11-23 00:39:41.660]Container exited with a non-zero exit code 1. Error"
                + " file: prelaunch.err.\nLast 4096 bytes of stderr :\n"
                + MOUNT,
            "node1"));
  }
}
