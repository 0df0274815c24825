package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;

import io.tony.testing.LeavesNothing;
import java.util.List;
import org.junit.Test;

/**
 * A person presses Kill, in every phase of a step. When Azkaban shows the flow as killed, YARN has
 * no application that is not over, no process of one is left, and nothing of it on HDFS.
 */
public final class KillIT extends Azkaban4Test {

  @Test
  public void shouldSubmitNothingAfterAKillWhileTheClientStarts() throws Exception {
    int before = applications();
    Execution execution = train(ONE_WORKER, SLEEPS);
    while (azkaban().clients().isEmpty()) {
      Thread.sleep(10); // within the test's limit: a process tells nobody that it starts
    }

    kill(execution);

    assertEquals(execution.log("train"), before, applications());
  }

  @Test
  public void shouldEndAGangThatWaitsForContainers() throws Exception {
    Execution execution = train("tony.worker.instances=9", "tony.worker.memory=3g", SLEEPS);
    execution.awaitLine("train", "2/9 tasks allocated");

    kill(execution);

    assertEquals("KILLED", application(execution, "train").state());
  }

  @Test
  public void shouldEndAGangThatTrains() throws Exception {
    Execution execution = train("tony.worker.instances=2", SLEEPS);
    execution.awaitLine("train", "2/2 tasks running");

    kill(execution);

    assertEquals("KILLED", application(execution, "train").state());
  }

  @Test
  public void shouldNotTrainAgainAfterAKillBetweenTwoAttempts() throws Exception {
    int before = applications();
    Execution execution = train(ONE_WORKER, "retries=1", "retry.backoff=600000", "executes=exit 3");
    execution.awaitAttempt("train", 1);
    assertEquals(List.of(), cluster().awaitIdle(LeavesNothing.IDLE_TIMEOUT)); // of the first one

    kill(execution);

    assertEquals(before + 1, applications());
  }

  private Execution train(String... lines) throws Exception {
    files()
        .job("train", tony(lines))
        .job("publish", "type=command", "dependencies=train", "command=echo never");
    return execute("publish");
  }

  private static void kill(Execution execution) throws Exception {
    execution.kill();
    execution.assertEnds("KILLED");
    assertEquals(execution.log("train"), List.of(), LeavesNothing.leftovers(cluster()));
    assertEquals("KILLED", execution.status("train"));
    assertEquals("CANCELLED", execution.status("publish"));
  }
}
