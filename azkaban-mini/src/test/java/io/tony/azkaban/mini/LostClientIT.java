package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import io.tony.mini.MiniClusterProcess.Application;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.Before;
import org.junit.Test;

/**
 * The client, or Azkaban's executor with it, dies while the gang trains. Whoever runs the same job
 * of the same execution next follows the application, which has trained on.
 */
public class LostClientIT extends ClusterFlowTest {

  private static final int EXECUTION = 4711;

  private Path starts;
  private Path go;

  @Before
  public void nameTheProgramsFiles() {
    starts = root().resolve("starts");
    go = root().resolve("go");
  }

  /** Trains until it is told to end, and tells each of its starts. */
  private Path flow(String... more) throws IOException {
    files()
        .job(
            "train",
            tony(
                String.join(System.lineSeparator(), more),
                "retries=1",
                "tony.azkaban.client-stale-after=10s",
                "retry.backoff=10",
                "tony.application.tags=team-ads",
                "tony.worker.instances=1",
                "tony.am.wait-client-signal-stop-timeout-sec=1",
                "executes=echo $TONY_ATTEMPT >> "
                    + starts
                    + "; while [ ! -e "
                    + go
                    + " ]; do sleep 0.1; done"));
    return files().folder();
  }

  @Test
  public void shouldTrainOnceThoughTheClientIsKilled() throws Exception {
    int before = applications();
    FlowExecution execution = start(flow());
    events.awaitLine("train", "1/1 tasks running");

    assertEquals(1, clients().size());
    clients().get(0).destroyForcibly();
    String id = application("train").id();
    events.awaitLine(
        "train",
        "TonY's client ended (exit code 137) without knowing how the job did; another one follows");
    Files.createFile(go);
    FlowResult result = execution.await();

    assertEquals(log("train"), Status.SUCCEEDED, result.status());
    assertEquals(
        List.of(Status.SUCCEEDED),
        result.job("train").attempts().stream().map(JobAttempt::status).toList());
    assertEquals(id, result.job("train").outputProperties().get("tony.application.id"));
    assertEquals("SUCCEEDED", application("train").finalStatus());
    assertEquals(before + 1, applications());
    assertEquals(1, Files.readAllLines(starts).size());
  }

  @Test
  public void shouldFollowWhatAKilledExecutorLeftAndKillThat() throws Exception {
    int before = applications();
    killExecutorWhileItTrains(flow());
    assertEquals(before + 1, applications());

    FlowExecution execution = start(request(files().folder()).executionId(EXECUTION));
    events.awaitLine("train", "1/1 tasks running");
    Application application = application("train");
    assertEquals("RUNNING", application.state());
    assertTrue(application.tags().toString(), application.tags().contains("team-ads"));
    assertTrue(application.tags().contains("azkaban.flow.execid:" + EXECUTION));
    execution.kill("a test");

    assertEquals(Status.KILLED, execution.await().status());
    assertEquals("KILLED", application("train").state());
    assertEquals(before + 1, applications());
    assertEquals(1, Files.readAllLines(starts).size());
  }

  /** Azkaban gives a flow that a user starts anew a new execution; nobody will ask for the old. */
  @Test
  public void shouldFollowInANewExecutionWhatAKilledExecutorLeft() throws Exception {
    int before = applications();
    killExecutorWhileItTrains(flow());

    FlowExecution execution = start(request(files().folder()).executionId(EXECUTION + 1));
    events.awaitLine("train", "1/1 tasks running");
    String id = application("train").id();
    assertLogged(
        "train",
        id
            + " of execution "
            + EXECUTION
            + " of this step was left without a client; options and files are the same, and this"
            + " execution follows it: ");
    Files.createFile(go);
    FlowResult result = execution.await();

    assertEquals(Status.SUCCEEDED, result.status());
    assertEquals(before + 1, applications());
    assertEquals(1, Files.readAllLines(starts).size());
    String checkpoints = result.job("train").outputProperties().get("tony.checkpoint.dir");
    assertTrue(checkpoints, checkpoints.contains("." + EXECUTION + "."));
  }

  @Test
  public void shouldEndWhatAKilledExecutorLeftWhenTheStepHasChanged() throws Exception {
    int before = applications();
    killExecutorWhileItTrains(flow());

    FlowExecution execution =
        start(request(flow("tony.worker.vcores=2")).executionId(EXECUTION + 1));
    events.awaitLine("train", "1/1 tasks running");
    assertLogged("train", "this execution's options or files are others; it is killed first");
    Files.createFile(go);

    assertEquals(Status.SUCCEEDED, execution.await().status());
    assertEquals(before + 2, applications());
    assertEquals(2, Files.readAllLines(starts).size());
    assertEquals("KILLED", cluster().application(applicationIds("train").get(0)).state());
  }

  /** Azkaban runs a flow twice at the same time where it is told to. */
  @Test
  public void shouldLeaveAnExecutionAloneWhoseClientLives() throws Exception {
    int before = applications();
    FlowExecution first = start(request(flow()).executionId(EXECUTION));
    events.awaitLine("train", "1/1 tasks running");
    String id = application("train").id();

    FlowExecution second = start(request(files().folder()).executionId(EXECUTION + 1));
    events.awaitLine(
        "train",
        id
            + " of execution "
            + EXECUTION
            + " of this step is alive, and so is its client: it is left alone");
    Files.createFile(go);

    assertEquals(Status.SUCCEEDED, first.await().status());
    assertEquals(Status.SUCCEEDED, second.await().status());
    assertEquals(before + 2, applications());
    assertEquals(2, Files.readAllLines(starts).size());
  }

  /** Runs the flow in an executor of its own, and kills that, by SIGKILL, when the gang trains. */
  private void killExecutorWhileItTrains(Path flow) throws Exception {
    Process executor =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                RunFlow.class.getName(),
                "--flow",
                flow.toString(),
                "--work",
                root().resolve("killed").toString(),
                "--plugins",
                plugin().jobTypes().toString(),
                "--execution-id",
                Integer.toString(EXECUTION))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output = executor.inputReader(StandardCharsets.UTF_8)) {
      StringBuilder text = new StringBuilder();
      String line = output.readLine();
      while (line != null && !line.contains("1/1 tasks running")) {
        text.append(line).append('\n');
        line = output.readLine();
      }
      assertTrue("it ended early:\n" + text, line != null);
      List<ProcessHandle> clients = clients(executor.toHandle());
      assertEquals(1, clients.size());
      executor.destroyForcibly();
      executor.waitFor();
      clients.get(0).onExit().get(30, TimeUnit.SECONDS); // nobody hears it any more
    } finally {
      executor.destroyForcibly();
    }
  }
}
