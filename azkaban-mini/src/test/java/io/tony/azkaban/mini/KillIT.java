package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import io.tony.mini.MiniClusterProcess.Application;
import io.tony.testing.FlowFolder;
import io.tony.testing.LeavesNothing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Test;

/**
 * Kills of a flow in every phase of its training job. When the kill is answered, YARN has no
 * application that is not over, no process of one is left, and nothing of it on HDFS.
 */
public class KillIT extends ClusterFlowTest {

  private static final int ROUNDS = 4;

  /** By then the gang usually runs. */
  private static final int LONGEST_START_MILLIS = 7_000;

  @Test
  public void shouldEndAGangThatTrains() throws Exception {
    FlowExecution execution = startTraining("tony.worker.instances=2");
    events.awaitLine("train", "2/2 tasks running");
    assertEquals(
        "what an idle cluster is without",
        Set.of("application", "process", "folder"),
        cluster().leftovers().stream()
            .map(line -> line.substring(0, line.indexOf(' ')))
            .collect(Collectors.toSet()));

    kill(execution);

    assertEquals("KILLED", application("train").state());
  }

  @Test
  public void shouldEndAGangThatWaitsForResources() throws Exception {
    FlowExecution execution = startTraining("tony.worker.instances=9", "tony.worker.memory=3g");
    events.awaitLine("train", "2/9 tasks allocated");

    kill(execution);

    assertEquals("KILLED", application("train").state());
  }

  @Test
  public void shouldEndAnApplicationWhoseMasterStarts() throws Exception {
    FlowExecution execution = startTraining("tony.worker.instances=1");
    events.awaitLine("train", "tony-events [{\"v\":1");

    kill(execution);

    assertEquals("KILLED", application("train").state());
  }

  @Test
  public void shouldSubmitNothingAfterAKillWhileTheClientStarts() throws Exception {
    int before = applications();
    FlowExecution execution = startTraining("tony.worker.instances=1");
    awaitClient();

    kill(execution);

    assertEquals(before, applications());
  }

  @Test
  public void shouldSubmitNothingAfterAKillAtTheJobsStart() throws Exception {
    int before = applications();
    FlowExecution execution = startTraining("tony.worker.instances=1");
    events.awaitChange("train", 0, Status.RUNNING);

    kill(execution);

    assertEquals(before, applications());
  }

  @Test
  public void shouldEndWheneverTheKillComes() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    FlowFolder flow = training("tony.worker.instances=2");
    for (int round = 0; round < ROUNDS; round++) {
      long millis = random.nextInt(LONGEST_START_MILLIS);
      FlowExecution execution = start(flow.folder());
      // Not a wait: every moment on the way to a running gang is a case.
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));

      execution.kill("a test");

      String where = "seed " + seed + ", round " + round + ", after " + millis + " ms\n";
      assertEquals(where + log("train"), List.of(), LeavesNothing.leftovers(cluster()));
      assertEquals(where, Status.KILLED, execution.await().status());
    }
    Set<String> states =
        cluster().applications().stream()
            .filter(application -> applicationIds("train").contains(application.id()))
            .map(Application::state)
            .collect(Collectors.toSet());
    assertTrue("seed " + seed + ": " + states, Set.of("KILLED").containsAll(states));
  }

  @Test
  public void shouldEndTheApplicationOfADeafClient() throws Exception {
    FlowExecution execution = startTraining("tony.worker.instances=1");
    events.awaitLine("train", "1/1 tasks running");
    ProcessHandle client = clients().get(0);
    Process stop = new ProcessBuilder("kill", "-STOP", Long.toString(client.pid())).start();
    assertEquals(0, stop.waitFor());

    kill(execution);

    String id = application("train").id();
    assertLogged("train", "TonY's client does not answer SIGTERM");
    assertLogged("train", "The client is gone; another one kills " + id + " now.");
    assertEquals("KILLED", cluster().application(id).state());
    assertFalse(client.isAlive());
  }

  /** Azkaban kills one job, and not the flow, when the job has missed its SLA. */
  @Test
  public void shouldEndTheApplicationOfTheKilledJobAndNoOther() throws Exception {
    Path go = root().resolve("go");
    files()
        .job("late", tony("tony.worker.instances=1", "executes=sleep 5151"))
        .job(
            "sibling",
            tony(
                "tony.worker.instances=1",
                "executes=while [ ! -e " + go + " ]; do sleep 0.1; done"))
        .job("publish", "type=command", "dependencies=late,sibling", "command=echo never");
    FlowExecution execution = start(files().folder());
    events.awaitLine("late", "1/1 tasks running");
    events.awaitLine("sibling", "1/1 tasks running");

    assertTrue(execution.killJob("late"));

    assertEquals("KILLED", application("late").state());
    assertEquals("RUNNING", application("sibling").state());
    Files.createFile(go);
    FlowResult result = execution.await();
    assertEquals(Status.KILLED, result.job("late").status());
    assertEquals(Status.SUCCEEDED, result.job("sibling").status());
    assertEquals(Status.CANCELLED, result.job("publish").status());
    assertEquals("SUCCEEDED", application("sibling").finalStatus());
  }

  private FlowExecution startTraining(String... lines) throws Exception {
    return start(training(lines).folder());
  }

  private FlowFolder training(String... lines) throws IOException {
    List<String> all = Stream.concat(Stream.of("executes=sleep 5151"), Stream.of(lines)).toList();
    return files()
        .job("train", tony(all.toArray(String[]::new)))
        .job("publish", "type=command", "dependencies=train", "command=echo never");
  }

  private void kill(FlowExecution execution) throws IOException, InterruptedException {
    execution.kill("a test");
    assertEquals(log("train"), List.of(), LeavesNothing.leftovers(cluster()));
    int then = applications();

    FlowResult result = execution.await();

    assertEquals(Status.KILLED, result.status());
    assertEquals(Status.KILLED, result.job("train").status());
    assertEquals(1, result.job("train").attempts().size());
    assertEquals(Status.CANCELLED, result.job("publish").status());
    assertEquals(List.of(), events.lines("publish"));
    assertEquals("an application came after the kill", then, applications());
    assertEquals(List.of(), clients());
  }

  /** Waits until the client's JVM is there. The operating system has no event for that. */
  private static void awaitClient() throws InterruptedException {
    while (clients().isEmpty()) {
      Thread.sleep(5);
    }
  }
}
