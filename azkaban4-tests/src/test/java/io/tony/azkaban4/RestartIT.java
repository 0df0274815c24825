package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/**
 * Azkaban's server is restarted while a step trains. Its client goes with it and the training does
 * not; whoever executes the flow again gets it back.
 */
public final class RestartIT extends Azkaban4Test {

  @Test
  public void shouldFollowInTheNextExecutionWhatARestartLeft() throws Exception {
    int before = applications();
    Path starts = root().resolve("starts");
    Path go = root().resolve("go");
    files()
        .job(
            "train",
            tony(
                ONE_WORKER,
                "tony.azkaban.client-stale-after=10s",
                "tony.am.wait-client-signal-stop-timeout-sec=1",
                "executes=echo $TONY_ATTEMPT >> " + starts + "; " + waitFor(go)));
    Execution first = execute("train");
    first.awaitLine("train", "1/1 tasks running");
    String id = first.application("train");
    ProcessHandle client = azkaban().clients().get(0);

    azkaban().terminate();

    client.onExit().get(30, TimeUnit.SECONDS);
    assertFalse("web server", azkaban().webPortIsOpen());
    assertFalse("executor", azkaban().executorPortIsOpen());
    assertEquals("RUNNING", cluster().application(id).state());

    azkaban().start();
    Execution next = executeAgain("train", new FlowOptions().concurrent());
    next.awaitLine("train", "and this execution follows it");
    assertTrue(next.log("train"), next.log("train").contains(id + " of execution " + first.id()));
    Files.createFile(go);

    next.assertEnds("SUCCEEDED");
    assertEquals(before + 1, applications());
    assertEquals(1, Files.readAllLines(starts).size());
  }
}
