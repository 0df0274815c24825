package io.tony.client.narrate;

import static io.tony.client.follow.SampleEvents.event;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.tony.client.follow.EventReplay;
import io.tony.client.follow.JobView;
import io.tony.client.output.JobLog;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.Test;

/** A program that says much does not fill the log of its job, nor the memory of the client. */
public class TalkativeProgramTest {
  private static final int DAY = (int) Duration.ofDays(1).toSeconds();

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final JobLog log = new JobLog(bytes);
  private final Narrator narrator = new Narrator(log, true, false);

  private List<JobEvent> events() {
    return EventReplay.of(lines());
  }

  private List<String> lines() {
    log.flushEvents();
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static JobEvent progress(int second) {
    String text = second + "/" + DAY + " " + "x".repeat(480);
    return event(second, JobEvent.Type.TASK_PROGRESS, "worker:0", "text", text);
  }

  @Test
  public void shouldTellADayOfProgressInLessThanAMegabyte() {
    for (int second = 0; second < DAY; second += 2) {
      narrator.narrate(progress(second));
    }

    List<JobEvent> events = events();
    assertTrue(events.size() + " events", events.size() > 500 && events.size() < 1_500);
    assertTrue(bytes.size() + " bytes", bytes.size() < 1_000_000);
    assertTrue("all of the first minutes is told", events.contains(progress(198)));
  }

  @Test
  public void shouldTellProgramsTheLastProgressBeforeAnythingElseHappens() {
    for (int second = 0; second <= 7_200; second += 2) {
      narrator.narrate(progress(second));
    }
    JobEvent succeeded = event(7_201, JobEvent.Type.TASK_SUCCEEDED, "worker:0", "exitCode", "0");
    narrator.narrate(succeeded);

    List<JobEvent> events = events();
    int end = events.indexOf(succeeded);
    assertEquals(progress(7_200), events.get(end - 1));
    assertEquals("once", 1, events.stream().filter(events.get(end - 1)::equals).count());
  }

  @Test
  public void shouldGoOnTellingWhenTheClockIsSetBack() {
    for (int second = 7_200; second < 7_300; second += 2) {
      narrator.narrate(progress(second));
    }
    narrator.narrate(progress(10));

    assertTrue(events().contains(progress(10)));
  }

  /** Ten thousand tasks may each leave 32 Ki characters; the client has 96 MiB of memory. */
  @Test
  public void shouldKeepSoManyOutputsAndFailuresOnly() {
    JobView story = new JobView();
    for (int index = 0; index < 10_000; index++) {
      String task = "worker:" + index;
      story.add(event(1, JobEvent.Type.TASK_FAILED, task, "stderr", index + "x".repeat(16_000)));
      story.add(
          event(
              2,
              JobEvent.Type.TASK_SUCCEEDED,
              task,
              "exitCode",
              "0",
              "output.k" + index,
              "x".repeat(32_000)));
    }

    int characters =
        story.outputs().entrySet().stream()
            .mapToInt(output -> output.getKey().length() + output.getValue().length())
            .sum();
    assertTrue(characters + " characters", characters < JobView.MAX_OUTPUT_CHARS * 1.1);
    assertTrue(characters + " characters", characters > JobView.MAX_OUTPUT_CHARS * 0.9);
    assertEquals(10_000, story.outputs().size() + story.omittedOutputCount());
    assertTrue(story.failure(failureOf("worker:9999")).stderr().startsWith("9999x"));
    assertNull("the oldest are forgotten", story.failure(failureOf("worker:0")));
  }

  @Test
  public void shouldTellProgramsSoMuchOnlyOfWhatTasksLeft() {
    for (int index = 0; index < 1_000; index++) {
      String task = "worker:" + index;
      narrator.narrate(event(1, JobEvent.Type.TASK_FAILED, task, "stderr", "x".repeat(16_000)));
      narrator.narrate(
          event(
              2, JobEvent.Type.TASK_SUCCEEDED, task, "exitCode", "0", "output.k", "x".repeat(99)));
    }

    List<JobEvent> events = events();
    assertEquals("every event is told", 2_000, events.size());
    assertTrue(events.get(0).toString().contains("xxx"));
    assertTrue(bytes.size() + " bytes", bytes.size() < 2_000_000);
  }

  /** It decided the job; nobody shall miss its stderr because others had much to hand on. */
  @Test
  public void shouldTellAFailureAfterManyOutputs() {
    for (int index = 0; index < 100; index++) {
      String value = "x".repeat(32_000);
      narrator.narrate(
          event(
              1, JobEvent.Type.TASK_SUCCEEDED, "ps:" + index, "exitCode", "0", "output.k", value));
    }
    JobEvent failed = event(2, JobEvent.Type.TASK_FAILED, "worker:0", "stderr", "Traceback");
    narrator.narrate(failed);

    assertTrue(events().contains(failed));
    assertTrue(bytes.size() + " bytes", bytes.size() < 2_000_000);
  }

  private static JobResult failureOf(String task) {
    return new JobResult(JobResult.Status.FAILED, FailureKind.PROGRAM, "", TaskId.parse(task), 1);
  }
}
