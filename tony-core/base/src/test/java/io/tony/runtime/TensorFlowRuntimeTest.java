package io.tony.runtime;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tony.model.JobSpec;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.Map;
import org.junit.Test;

/** TF_CONFIG against the examples of TensorFlow's guide "Distributed training". */
public class TensorFlowRuntimeTest {
  private static final TensorFlowRuntime RUNTIME = new TensorFlowRuntime();

  private static final JobSpec JOB =
      job()
          .role("chief", 1, Supervision.TRACKED)
          .role("ps", 1, Supervision.UNTRACKED)
          .workers(2)
          .role("evaluator", 1, Supervision.TRACKED)
          .role("tensorboard", 1, Supervision.SIDECAR)
          .spec();

  private static Map<String, String> environment(JobSpec job, String task) {
    return RUNTIME.environment(Clusters.gang(job), TaskId.parse(task));
  }

  private static JsonNode json(String text) throws JsonProcessingException {
    return new ObjectMapper().readTree(text);
  }

  @Test
  public void shouldTellATaskTheClusterAndItsOwnPlace() throws JsonProcessingException {
    Map<String, String> environment = environment(JOB, "worker:1");

    assertEquals(1, environment.size());
    assertEquals(
        json(
            """
            {"cluster": {"chief": ["chief-0.example.com:5000"],
                         "ps": ["ps-0.example.com:5000"],
                         "worker": ["worker-0.example.com:5000", "worker-1.example.com:5001"]},
             "task": {"type": "worker", "index": 1}}"""),
        json(environment.get("TF_CONFIG")));
  }

  @Test
  public void shouldWriteTheClusterOnceForAllTasks() {
    Gang gang = Clusters.gang(JOB);
    String members = TensorFlowRuntime.cluster(gang, TaskId.parse("worker:0"));
    String evaluators = TensorFlowRuntime.cluster(gang, TaskId.parse("evaluator:0"));

    assertSame(members, TensorFlowRuntime.cluster(gang, TaskId.parse("worker:1")));
    assertSame(members, TensorFlowRuntime.cluster(gang, TaskId.parse("chief:0")));
    assertSame(evaluators, TensorFlowRuntime.cluster(gang, TaskId.parse("evaluator:0")));
    assertEquals(
        "{\"cluster\":" + members + ",\"task\":{\"type\":\"worker\",\"index\":1}}",
        RUNTIME.environment(gang, TaskId.parse("worker:1")).get("TF_CONFIG"));
  }

  @Test
  public void shouldShowTheEvaluatorToItselfOnly() throws JsonProcessingException {
    JsonNode own = json(environment(JOB, "evaluator:0").get("TF_CONFIG"));
    JsonNode chiefs = json(environment(JOB, "chief:0").get("TF_CONFIG"));

    assertEquals("evaluator-0.example.com:5000", own.at("/cluster/evaluator/0").asText());
    assertEquals(json("{\"type\": \"evaluator\", \"index\": 0}"), own.get("task"));
    assertEquals("worker-0.example.com:5000", own.at("/cluster/worker/0").asText());
    assertEquals(true, chiefs.at("/cluster/evaluator").isMissingNode());
  }

  @Test
  public void shouldKeepSidecarsOutOfTheCluster() throws JsonProcessingException {
    JsonNode config = json(environment(JOB, "ps:0").get("TF_CONFIG"));

    assertEquals(true, config.at("/cluster/tensorboard").isMissingNode());
    assertEquals(Map.of(), environment(JOB, "tensorboard:0"));
  }

  @Test
  public void shouldTellNothingOfAClusterThatTasksDoNotWaitFor() {
    JobSpec alone = SampleJob.job().workers(2).firstComeFirstServed().spec();

    assertEquals(Map.of(), environment(alone, "worker:0"));
  }

  @Test
  public void shouldShowOnlyThoseWhoAreStillThere() throws JsonProcessingException {
    Gang later = Clusters.without(JOB, "chief", "ps");

    JsonNode config =
        json(RUNTIME.environment(later, TaskId.parse("evaluator:0")).get("TF_CONFIG"));

    assertEquals(true, config.at("/cluster/chief").isMissingNode());
    assertEquals("worker-1.example.com:5001", config.at("/cluster/worker/1").asText());
  }
}
