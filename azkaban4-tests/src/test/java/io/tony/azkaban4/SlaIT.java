package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;

import java.time.Duration;
import java.util.List;
import org.junit.Test;

/** Azkaban counts its SLAs in minutes: both kinds in one test, at the same time. */
public final class SlaIT extends Azkaban4Test {

  private static final Duration LIMIT = Duration.ofMinutes(3);

  @Test
  public void shouldEndWhatMissedItsSla() throws Exception {
    files()
        .job("late", tony(ONE_WORKER, SLEEPS))
        .job("publish", "type=command", "dependencies=late", "command=echo never")
        .job(
            "slow",
            tony(
                ONE_WORKER,
                "retries=1",
                "retry.backoff=10",
                "task_env.ATTEMPT=${azkaban.job.attempt}",
                "executes=test $ATTEMPT = 1 || sleep 5151"))
        .job("end", "type=noop", "dependencies=slow");
    Execution flow = execute(files().folder(), "publish", new FlowOptions().killedAfter("", 1));
    Execution job = executeAgain("end", new FlowOptions().killedAfter("slow", 1));
    flow.awaitLine("late", "1/1 tasks running");
    job.awaitLine("slow", "1/1 tasks running");
    String killed = job.application("slow");

    assertEquals("KILLED", flow.awaitEnd(LIMIT));
    assertEquals(List.of("KILLED"), flow.attempts("late"));
    assertEquals("CANCELLED", flow.status("publish"));
    assertEquals("KILLED", application(flow, "late").state());

    assertEquals(job.flowLog(), "SUCCEEDED", job.awaitEnd(LIMIT));
    assertEquals(List.of("KILLED", "SUCCEEDED"), job.attempts("slow"));
    assertEquals("KILLED", cluster().application(killed).state());
    assertNotEquals(killed, application(job, "slow").id());
  }
}
