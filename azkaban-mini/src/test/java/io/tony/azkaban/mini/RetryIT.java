package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import io.tony.mini.MiniClusterProcess.Application;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

/** Azkaban's retries of a job: each is an application of its own. */
public class RetryIT extends ClusterFlowTest {

  @Test
  public void shouldTrainAgainAsAnApplicationOfItsOwn() throws Exception {
    files()
        .job(
            "train",
            tony(
                "retries=1",
                "retry.backoff=10",
                "tony.worker.instances=1",
                "task_env.ATTEMPT=${azkaban.job.attempt}",
                "executes=test $ATTEMPT = 1"))
        .job(
            "tell",
            "type=command",
            "dependencies=train",
            "command=echo ${tony.application.id} ${tony.tracking.url} ${tony.final.status}");

    FlowResult result = run(files().folder());

    assertEquals(log("train"), Status.SUCCEEDED, result.status());
    assertEquals(
        List.of(Status.FAILED, Status.SUCCEEDED),
        result.job("train").attempts().stream().map(JobAttempt::status).toList());
    List<String> ids = applicationIds("train");
    assertEquals(log("train"), 2, ids.size());
    Set<String> identities = new HashSet<>();
    for (int attempt = 0; attempt < 2; attempt++) {
      Application application = cluster().application(ids.get(attempt));
      assertEquals(attempt == 0 ? "FAILED" : "SUCCEEDED", application.finalStatus());
      Set<String> tags = new HashSet<>(application.tags());
      application.tags().stream()
          .filter(tag -> tag.matches("azkaban\\.(identity|step):.*"))
          .filter(tags::remove)
          .forEach(identities::add);
      assertEquals(
          Set.of(
              "azkaban.flow.projectname:1",
              "workflowid:1$tell",
              "azkaban.flow.flowid:tell",
              "azkaban.flow.execid:" + result.executionId(),
              "azkaban.job.id:train",
              "azkaban.job.attempt:" + attempt),
          tags);
    }
    assertEquals(
        "both attempts are the same job of the same step: " + identities, 2, identities.size());
    Map<String, String> outputs = result.job("train").outputProperties();
    assertEquals(ids.get(1), outputs.get("tony.application.id"));
    assertTrue(outputs.toString(), outputs.get("tony.tracking.url").startsWith("http://"));
    assertLogged("tell", ids.get(1) + " " + outputs.get("tony.tracking.url") + " SUCCEEDED");
  }
}
