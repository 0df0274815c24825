package io.tony.executor.program;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.Repository;
import io.tony.executor.ProcessWatch;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.process.Spawner;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class PreflightRunTest {
  private static final Path NVIDIA_SMI =
      Repository.path("src-test-resources/gpu/nvidia-smi").toAbsolutePath().normalize();

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path folder;
  private Path logs;
  private Duration limit = Duration.ofMinutes(1);
  private long gpus;
  private String gpuProgram = NVIDIA_SMI.toString();
  private String host = "localhost";
  private String networks = "/sys/class/net";

  @Before
  public void makeFolders() throws Exception {
    folder = temporary.newFolder("work").toPath();
    logs = temporary.newFolder("logs").toPath();
  }

  private String problem(String check) throws Exception {
    ExecutorSettings settings =
        new ExecutorSettings(
            new TaskKey(new TaskId("worker", 3), 1, "container_7"),
            host,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
            "auth",
            "file:/none",
            Duration.ofMinutes(1),
            Duration.ofSeconds(1),
            Duration.ZERO,
            Duration.ZERO,
            Duration.ofSeconds(1),
            2,
            false,
            false,
            "",
            false,
            new ExecutorSettings.Preflight(check, limit, gpus),
            new ExecutorSettings.Sampling(Duration.ofSeconds(1), 0, gpuProgram));
    return new PreflightRun(settings, folder, logs, Spawner.SYSTEM, networks).findProblem();
  }

  @Test
  public void shouldRunACommandAsItIs() throws Exception {
    assertEquals(
        "", problem("echo \"$JOB_NAME $TASK_INDEX\"; pwd; test \"a  b\" = 'a  b' && exit 0"));
    assertEquals("worker 3\n" + folder + "\n", Files.readString(logs.resolve("stdout")));
  }

  @Test
  public void shouldSayHowItFailed() throws Exception {
    assertEquals("exit code 7", problem("exit 7"));
    assertEquals(
        "exit code 1: the link is at 10 Gbit/s",
        problem("echo first >&2; echo 'the link is at 10 Gbit/s' >&2; echo; exit 1"));
    assertEquals("what was said before is not its own", "exit code 2", problem("exit 2"));
    assertTrue(problem("no-such-command").startsWith("exit code 127: "));
  }

  /** With all that it has started. */
  @Test
  public void shouldEndOneThatTakesTooLong() throws Exception {
    limit = Duration.ofMillis(5500);
    assertEquals(
        "it did not end within 5.5 s (tony.application.preflight-timeout): waits",
        problem("trap '' TERM; echo waits >&2; sleep 600 & echo $! > pid; wait"));
    ProcessWatch.awaitEnd(Long.parseLong(Files.readString(folder.resolve("pid")).strip()));
  }

  @Test
  public void shouldCountGpus() throws Exception {
    gpus = 2;
    assertEquals("", problem("gpu"));
    gpus = 3;
    assertEquals("exit code 1: gpu: 2 of 3 GPUs answer", problem("gpu"));
    gpuProgram = "/no/nvidia-smi";
    assertTrue(
        problem("gpu"), problem("gpu").startsWith("exit code 1: gpu: /no/nvidia-smi failed"));
    gpus = 0;
    assertEquals("a container without GPUs needs none", "", problem("gpu"));
  }

  @Test
  public void shouldTryTheNetwork() throws Exception {
    networks = folder.toString();
    for (String name : List.of("lo", "eth0", "docker0")) {
      Files.createDirectory(folder.resolve(name));
      Files.writeString(
          folder.resolve(name + "/operstate"), name.equals("lo") ? "unknown" : "down");
    }
    assertEquals("exit code 1: network: no network is up beside the loopback", problem("network"));
    Files.writeString(folder.resolve("eth0/operstate"), "up\n");
    assertEquals("", problem("network"));
    host = "no-such-host.invalid";
    assertEquals(
        "exit code 1: network: the node does not know its own name no-such-host.invalid",
        problem("network"));
  }

  @Test
  public void shouldTryTheDisk() throws Exception {
    assertEquals("", problem(withDf(2000)));
    for (Path place : List.of(logs, folder)) {
      try (var left = Files.list(place)) {
        assertFalse(left.anyMatch(file -> file.toString().contains("tony-preflight")));
      }
    }
    assertEquals(
        "exit code 1: disk: " + folder + " has 77 MiB left, less than 1024", problem(withDf(77)));
  }

  /** The check as it is, where {@code df} tells that so many MiB are left. */
  private static String withDf(int left) throws Exception {
    return "df() { echo head; echo x 9 8 " + left + " 1%; }; " + script("disk");
  }

  private static String script(String check) throws Exception {
    try (var in = PreflightRun.class.getResourceAsStream("preflight.sh")) {
      return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8)
          + "preflight_"
          + check;
    }
  }

  @Test
  public void shouldRunSeveralOfThoseThatAreBroughtAlong() throws Exception {
    gpus = 3;
    assertEquals("exit code 1: gpu: 2 of 3 GPUs answer", problem("disk, gpu,network"));
  }
}
