package io.tony.client.application;

import static io.tony.client.follow.SampleEvents.event;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.tony.client.follow.JobView;
import io.tony.client.follow.OutputProperties;
import io.tony.client.follow.SampleEvents;
import io.tony.event.CheckpointFact;
import io.tony.event.ResizeFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What is known of a job from its events, and what of it is left for later jobs of the flow. */
public class JobViewTest {
  private static final TaskId WORKER = new TaskId("worker", 0);

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final JobView story = new JobView();

  private void failure() {
    story.add(event(1, JobEvent.Type.TASK_ALLOCATED, "worker:0", "log", "http://n/1"));
    story.add(event(9, JobEvent.Type.TASK_FAILED, "worker:0", "stderr", "Traceback"));
    story.add(
        event(
            10,
            JobEvent.Type.JOB_FINISHED,
            "",
            "status",
            "FAILED",
            "kind",
            "PROGRAM",
            "task",
            "worker:0",
            "exitCode",
            "3",
            "message",
            "worker:0 exited with code 3"));
  }

  @Test
  public void shouldKnowTheResultOnceItIsRecorded() {
    assertNull(story.result());
    assertEquals(Duration.ZERO, story.duration());

    failure();

    JobResult result = story.result();
    assertEquals(
        new JobResult(
            JobResult.Status.FAILED, FailureKind.PROGRAM, "worker:0 exited with code 3", WORKER, 3),
        result);
    assertEquals("Traceback", story.failure(result).stderr());
    assertEquals(Duration.ofSeconds(9), story.duration());
  }

  @Test
  public void shouldKnowASuccessWithoutATask() {
    story.add(event(1, JobEvent.Type.JOB_FINISHED, "", "status", "SUCCEEDED", "message", "2 of 2"));

    assertEquals(JobResult.succeeded("2 of 2"), story.result());
    assertNull(story.failure(story.result()));
  }

  @Test
  public void shouldForgetTheFailuresAndOutputsOfAnAttemptThatIsRepeated() {
    story.add(event(1, JobEvent.Type.TASK_SUCCEEDED, "worker:1", "output.auc", "0.5"));
    story.add(event(2, JobEvent.Type.TASK_FAILED, "worker:0", "stderr", "Traceback"));
    story.add(event(3, JobEvent.Type.GANG_RESTARTED, "worker:0"));
    story.add(
        event(
            4,
            JobEvent.Type.TASK_SUCCEEDED,
            "worker:0",
            "exitCode",
            "0",
            "output.model",
            "hdfs://m"));

    assertEquals(Map.of("output.model", "hdfs://m"), story.outputs());
    assertNull(
        story.failure(
            new JobResult(JobResult.Status.FAILED, FailureKind.PROGRAM, "", WORKER, null)));
  }

  @Test
  public void shouldKeepTheOutputsOfTasksThatStayDone() {
    story.add(event(1, JobEvent.Type.TASK_SUCCEEDED, "prepare:0", "output.data", "hdfs://d"));
    story.add(event(2, JobEvent.Type.TASK_SUCCEEDED, "worker:1", "output.auc", "0.5"));
    story.add(event(3, JobEvent.Type.GANG_RESTARTED, "worker:0", "done", "download,prepare"));

    assertEquals(Map.of("output.data", "hdfs://d"), story.outputs());
  }

  @Test
  public void shouldForgetTheFailureOfATaskThatIsStartedAgain() {
    story.add(event(1, JobEvent.Type.TASK_FAILED, "worker:0", "stderr", "Traceback"));
    story.add(event(1, JobEvent.Type.TASK_FAILED, "worker:1", "stderr", "Killed"));
    story.add(event(2, JobEvent.Type.TASK_RESTARTED, "worker:0", "where", "kept"));

    assertNull(
        story.failure(
            new JobResult(JobResult.Status.FAILED, FailureKind.PROGRAM, "", WORKER, null)));
    TaskId other = new TaskId("worker", 1);
    assertEquals(
        "Killed",
        story
            .failure(new JobResult(JobResult.Status.FAILED, FailureKind.PROGRAM, "", other, null))
            .stderr());
  }

  /** It recorded the result, and died before it could tell YARN. */
  @Test
  public void shouldKeepTheResultThatAnEarlierApplicationMasterRecorded() {
    story.add(event(1, JobEvent.Type.JOB_STOPPING, "", "status", "SUCCEEDED", "message", "2 of 2"));
    assertNull(story.result());
    story.add(event(2, JobEvent.Type.JOB_FINISHED, "", "status", "SUCCEEDED", "message", "2 of 2"));
    story.add(event(9, JobEvent.Type.AM_STARTED, "", "attempt", "2", "host", "h", "tasks", "2"));

    assertEquals(JobResult.succeeded("2 of 2"), story.result());
  }

  @Test
  public void shouldLeaveWhatLaterJobsUse() throws IOException {
    story.add(event(0, JobEvent.Type.TENSORBOARD, "worker:0", "url", "http://n:6006"));
    story.add(event(0, JobEvent.Type.TENSORBOARD, "worker:0", "url", "http://n2:6007"));
    failure();
    story.add(event(11, JobEvent.Type.TASK_SUCCEEDED, "worker:1", "output.größe", "a\"b\nc"));
    OutputProperties properties =
        OutputProperties.of(
            "application_1_0001",
            "http://rm/app",
            JobResult.failed(FailureKind.LOST, "a node was lost"),
            story,
            "hdfs://c",
            new TaskId("worker", 0));

    assertEquals(
        Map.of(
            "tony.application.id", "application_1_0001",
            "tony.tracking.url", "http://rm/app",
            "tony.tensorboard.url", "http://n2:6007",
            "tony.final.status", "FAILED",
            "tony.failure.kind", "LOST",
            "tony.checkpoint.dir", "hdfs://c",
            "tony.checkpoint.latest", "",
            "tony.task.worker.0.log.url", "http://n/1",
            "tony.output.größe", "a\"b\nc"),
        properties.values());
    Path file = temporary.getRoot().toPath().resolve("outputs");
    properties.write(file);
    assertEquals(properties.values(), new ObjectMapper().readValue(file.toFile(), Map.class));
  }

  @Test
  public void shouldLeaveOutWhatAzkabanWouldEvaluateInALaterStep() throws IOException {
    story.add(
        event(
            1,
            JobEvent.Type.TASK_SUCCEEDED,
            "worker:0",
            "output.code",
            "a$(1+1)",
            "output.reference",
            "${azkaban.flow.execid}",
            "output.price",
            "5 $ (net)"));

    OutputProperties properties =
        OutputProperties.of(
            "a", "", JobResult.succeeded("done"), story, "", new TaskId("worker", 0));

    assertEquals(List.of("tony.output.code", "tony.output.reference"), properties.omittedNames());
    assertEquals("5 $ (net)", properties.values().get("tony.output.price"));
    assertFalse(properties.values().toString(), properties.values().toString().contains("1+1"));
  }

  private OutputProperties published(String... outputs) {
    story.add(event(1, JobEvent.Type.TASK_SUCCEEDED, "worker:0", outputs));
    return OutputProperties.of(
        "a", "", JobResult.succeeded("done"), story, "", new TaskId("worker", 0));
  }

  @Test
  public void shouldPublishUnderTheNameOfTheStepToo() {
    OutputProperties properties =
        published("output.auc", "91", "output.code", "$(1)", "output.train_1.own", "x");

    Map<String, String> values = properties.withStepNames("left:train-1").values();

    assertEquals("91", values.get("tony.output.auc"));
    assertEquals("91", values.get("tony.output.train_1.auc"));
    assertEquals("x", values.get("tony.output.train_1.own"));
    assertFalse(values.toString(), values.toString().contains("$(1)"));
    assertFalse(values.toString(), values.containsKey("tony.output.train_1.final.status"));
    assertEquals(
        "the plain names stay as they are",
        properties.values(),
        values.entrySet().stream()
            .filter(value -> properties.values().containsKey(value.getKey()))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    assertEquals(
        properties.omittedNames(), properties.withStepNames("left:train-1").omittedNames());
  }

  @Test
  public void shouldPublishOnceOnlyWhereTwiceWouldBeTooMuch() {
    OutputProperties properties =
        published("output.a", "x".repeat(JobView.MAX_OUTPUT_CHARS - "output.a".length()));

    assertEquals(properties, properties.withStepNames("a-long-name-of-a-step"));
  }

  private void kept(String set, String task, boolean whole) {
    CheckpointFact.CheckpointSaved fact =
        new CheckpointFact.CheckpointSaved(
            TaskId.parse(task),
            set,
            1,
            true,
            2,
            whole,
            1,
            1,
            Instant.EPOCH,
            "m",
            "hdfs://c/" + set + "/" + task,
            null);
    story.add(fact.toEvent(Instant.EPOCH, 0));
  }

  private String checkpoint() {
    return OutputProperties.of("a", "", JobResult.succeeded(""), story, "", new TaskId("worker", 0))
        .values()
        .get("tony.checkpoint.latest");
  }

  @Test
  public void shouldLeaveTheChiefsNewestCheckpointThatIsWhole() {
    String before = "hdfs://c/0/worker-0/data/m";
    resumes(0, before);
    assertEquals(before, checkpoint());
    kept("1", "worker:0", false);
    assertEquals(before, checkpoint());
    kept("2", "worker:0", false);
    kept("1", "worker:1", true);
    assertEquals("hdfs://c/1/worker:0", checkpoint());
    kept("2", "worker:1", true);
    kept("3", "worker:1", false);
    assertEquals("hdfs://c/2/worker:0", checkpoint());
    resumes(1, before);
    assertEquals("the newer ones are damaged", before, checkpoint());
  }

  private void resumes(int session, String kept) {
    CheckpointFact.SourceCheckpoint from =
        new CheckpointFact.SourceCheckpoint("0", 1, true, Instant.EPOCH, "a", "", kept);
    story.add(CheckpointFact.ResumeDecision.from(null, from).toEvent(Instant.EPOCH, session));
  }

  @Test
  public void shouldLeaveNoCheckpointWhereTheChiefKeepsNone() {
    resumes(0, "hdfs://c/0/ps-0/data/m");
    assertEquals("", checkpoint());
    kept("1", "ps:0", true);
    assertEquals("", checkpoint());
  }

  @Test
  public void shouldLeaveNoKindOfFailureAfterASuccess() {
    Map<String, String> values =
        OutputProperties.of(
                "a", "", JobResult.succeeded("done"), story, "", new TaskId("worker", 0))
            .values();

    assertEquals("SUCCEEDED", values.get("tony.final.status"));
    assertEquals("", values.get("tony.failure.kind"));
    assertEquals("", values.get("tony.tensorboard.url"));
  }

  // ---- The exit code of the client ----

  @Test
  public void shouldExitAsTheFlowIsToSeeIt() {
    assertEquals(0, ExitCode.of(JobResult.succeeded("done")).code());
    assertEquals(4, ExitCode.of(JobResult.killed("by ada")).code());
    Map<FailureKind, Integer> codes =
        Map.of(
            FailureKind.PROGRAM, 1,
            FailureKind.MEMORY, 1,
            FailureKind.INVALID, 2,
            FailureKind.LOST, 3,
            FailureKind.PREEMPTED, 3,
            FailureKind.AM_LOST, 3,
            FailureKind.KILLED, 4,
            FailureKind.TIMEOUT, 5);
    // With the growth of its gang no job ends.
    assertEquals(EnumSet.complementOf(EnumSet.of(FailureKind.RESIZED)), codes.keySet());
    for (FailureKind kind : codes.keySet()) {
      assertEquals(
          kind.name(), codes.get(kind).intValue(), ExitCode.of(JobResult.failed(kind, "")).code());
    }
    assertEquals(
        List.of(130, 143), List.of(ExitCode.INTERRUPTED.code(), ExitCode.TERMINATED.code()));
  }

  /** Ones that are replaced, or gone with a restart, take no room from others. */
  @Test
  public void shouldCountOnlyTheOutputsThatItKeeps() {
    String large = "x".repeat(JobView.MAX_OUTPUT_CHARS / 2 + 1);
    for (int time = 0; time < 2; time++) {
      success("worker:0", large);
    }
    success("worker:1", large);
    assertEquals(1, story.omittedOutputCount());

    story.add(event(2, JobEvent.Type.GANG_RESTARTED, "worker:0", "kind", "LOST"));
    success("worker:1", large);
    assertEquals(1, story.omittedOutputCount());
    assertEquals(Map.of("output.k", large), story.outputs());
  }

  private void success(String task, String output) {
    story.add(event(1, JobEvent.Type.TASK_SUCCEEDED, task, "exitCode", "0", "output.k", output));
  }

  @Test
  public void shouldKnowNothingOfTasksThatAreGoneButTheirLogs() {
    for (int index = 0; index < 4; index++) {
      story.add(
          event(1, JobEvent.Type.TASK_ALLOCATED, "worker:" + index, "log", "http://n/" + index));
    }
    story.add(event(2, JobEvent.Type.TASK_SUCCEEDED, "worker:2", "output.auc", "0.5"));
    story.add(event(2, JobEvent.Type.TASK_FAILED, "worker:2", "stderr", "Traceback"));
    story.add(
        new ResizeFact.Resized("worker", 4, 2, 1, Map.of(3, 1), "YARN took two")
            .toEvent(SampleEvents.START, 0));

    assertEquals(
        Map.of(
            WORKER,
            "http://n/0",
            new TaskId("worker", 1),
            "http://n/3",
            new TaskId("worker", 2),
            "http://n/2"),
        story.logs());
    assertEquals(Map.of(), story.outputs());
    assertNull(
        story.failure(
            new JobResult(
                JobResult.Status.FAILED, FailureKind.PROGRAM, "", new TaskId("worker", 2), null)));
  }
}
