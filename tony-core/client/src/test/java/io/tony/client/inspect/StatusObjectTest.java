package io.tony.client.inspect;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tony.client.follow.ReportedYarn;
import io.tony.client.follow.SampleEvents;
import io.tony.event.Fact;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.history.RecordedJobs;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Before;
import org.junit.Test;

public class StatusObjectTest {
  private static final TaskId WORKER = new TaskId("worker", 0);

  private final List<JobEvent> events = new ArrayList<>();
  private final ReportedYarn yarn = new ReportedYarn();

  @Before
  public void begin() {
    add(RecordedJobs.begin(1));
    add(
        List.of(
            new TaskFact.Allocated(WORKER, "container_1", "node-1", "http://node-1/log"),
            new TaskFact.Started(WORKER, 42),
            new TaskFact.TensorBoard(WORKER, "http://node-1:6006"),
            new TaskFact.Progressed(WORKER, "step 1/4"),
            new JobFact.UsageReport(Map.of("worker:0", "812 0.97 43 2048"))));
  }

  private void add(List<? extends Fact> facts) {
    facts.forEach(fact -> events.add(fact.toEvent(Instant.ofEpochSecond(events.size()), 0)));
  }

  private ApplicationReport report(YarnApplicationState state) throws Exception {
    yarn.show(state, 1, "host", 1);
    yarn.showTimes(1, 2, 60_000);
    return yarn.getApplicationReport(ReportedYarn.APPLICATION);
  }

  private JsonNode json(ApplicationReport report) throws IOException {
    StatusObject status = new StatusObject(ReportedYarn.APPLICATION.toString(), "ada");
    events.forEach(status::add);
    return new ObjectMapper().readTree(status.json(report));
  }

  @Test
  public void shouldTellWhereAJobAndItsTasksAre() throws Exception {
    JsonNode status = json(report(YarnApplicationState.RUNNING));

    assertEquals("RUNNING", status.get("status").asText());
    assertEquals("RUNNING", status.get("yarnState").asText());
    assertEquals(ReportedYarn.TRACKING_URL, status.get("trackingUrl").asText());
    assertEquals("http://node-1:6006", status.get("tensorBoard").asText());
    assertEquals(0.25, status.get("fraction").asDouble(), 0);
    JsonNode task = status.get("taskStates").get(0);
    assertEquals("worker:0", task.get("task").asText());
    assertEquals("started", task.get("state").asText());
    assertEquals("node-1", task.get("node").asText());
    assertEquals("step 1/4", task.get("message").asText());
    assertEquals(812, task.get("memoryMiB").asInt());
    assertEquals(43, task.get("gpuPercent").asInt());
  }

  /** One that YARN killed could not record its end. */
  @Test
  public void shouldBelieveYarnThatAJobHasEnded() throws Exception {
    JsonNode status = json(report(YarnApplicationState.KILLED));

    assertEquals("KILLED", status.get("status").asText());
    assertEquals("1970-01-01T00:01:00Z", status.get("ended").asText());
    assertFalse("it listens no more", status.has("tensorBoard"));
  }

  @Test
  public void shouldTellOfAJobThatWaitsForItsApplicationMaster() throws Exception {
    events.clear();

    JsonNode status = json(report(YarnApplicationState.ACCEPTED));

    assertEquals("RUNNING", status.get("status").asText());
    assertEquals("ml", status.get("queue").asText());
    assertEquals("train", status.get("name").asText());
    assertEquals("1970-01-01T00:00:00.001Z", status.get("submitted").asText());
    assertEquals("ACCEPTED", status.get("yarnState").asText());
  }

  @Test
  public void shouldTellOfAJobThatYarnHasForgotten() throws Exception {
    add(
        List.of(
            new TaskFact.Failed(
                WORKER, FailureKind.PROGRAM, "it exited", 3, "", "", "node-1", "log")));
    add(RecordedJobs.end(0.5));

    JsonNode status = json(null);

    assertEquals("SUCCEEDED", status.get("status").asText());
    assertEquals(0.5, status.get("outputs").get("loss").asDouble(), 0);
    assertFalse(status.has("yarnState"));
    assertTrue(status.get("taskStates").size() > 0);
  }

  @Test
  public void shouldTellOfTheTasksThatThereAre() throws Exception {
    add(
        List.of(
            new TaskFact.Allocated(new TaskId("worker", 3), "container_4", "node-4", "log-4"),
            new TaskFact.Allocated(new TaskId("worker", 2), "container_3", "node-3", "log-3"),
            new ResizeFact.Resized("worker", 4, 2, 1, Map.of(3, 1), "YARN did not give more")));

    JsonNode status = json(report(YarnApplicationState.RUNNING));

    JsonNode tasks = status.get("taskStates");
    assertEquals("worker:0, worker:1", String.join(", ", tasks.findValuesAsText("task")));
    assertEquals("allocated", tasks.get(1).get("state").asText());
    assertEquals("container_4", tasks.get(1).get("container").asText());
    assertEquals("node-4", tasks.get(1).get("node").asText());
    assertEquals("log-4", tasks.get(1).get("log").asText());
  }

  /** Its TensorBoard was one of the gang's programs. */
  @Test
  public void shouldTellThatAGangIsStartedAgainBesidesRolesThatAreDone() throws Exception {
    add(
        List.of(
            new TaskFact.Started(new TaskId("evaluator", 0), 43),
            new TaskFact.Succeeded(new TaskId("evaluator", 0), Map.of(), "")));
    events.add(
        SampleEvents.event(
            20,
            JobEvent.Type.GANG_RESTARTED,
            "worker:0",
            "message",
            "it hung",
            "done",
            "evaluator"));

    JsonNode status = json(report(YarnApplicationState.RUNNING));

    assertFalse(status.has("tensorBoard"));
    JsonNode tasks = status.get("taskStates");
    assertEquals("evaluator:0, worker:0", String.join(", ", tasks.findValuesAsText("task")));
    assertEquals("succeeded", tasks.get(0).get("state").asText());
    assertFalse(tasks.get(0).has("message"));
    assertEquals("restarted", tasks.get(1).get("state").asText());
    assertEquals("it hung", tasks.get(1).get("message").asText());
    assertFalse("nothing runs", tasks.get(1).has("memoryMiB"));
  }

  @Test
  public void shouldKnowWhetherThereIsALog() {
    StatusObject status = new StatusObject(ReportedYarn.APPLICATION.toString(), "ada");
    assertTrue(status.isEmpty());

    status.add(events.get(0));

    assertFalse(status.isEmpty());
  }
}
