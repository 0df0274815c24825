package io.tony.client.inspect;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.follow.SampleEvents;
import io.tony.client.output.JobLog;
import io.tony.event.CheckpointFact;
import io.tony.event.Fact;
import io.tony.event.HangLocation;
import io.tony.event.JobFact;
import io.tony.event.PendingFailure;
import io.tony.event.TaskFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.Before;
import org.junit.Test;

/** The lines of {@code tony status} about tasks, by the facts of a log. */
public class StatusTextTest {
  private static final TaskId CHIEF = new TaskId("worker", 0);
  private static final TaskId OTHER = new TaskId("worker", 1);
  private static final String URL = "http://node-1:6006";

  private final StatusText status = new StatusText();

  @Before
  public void begin() {
    add(new TaskFact.Started(CHIEF, 11));
    add(new TaskFact.Started(OTHER, 12));
    add(new TaskFact.TensorBoard(CHIEF, URL));
  }

  private void add(Fact fact) {
    status.add(fact.toEvent(SampleEvents.START, 0));
  }

  private List<String> lines(boolean ended) {
    ByteArrayOutputStream told = new ByteArrayOutputStream();
    status.print(new JobLog(told), ended);
    return told.toString(StandardCharsets.UTF_8).lines().map(String::strip).toList();
  }

  private String line(TaskId task) {
    return lines(false).stream().filter(line -> line.startsWith(task + " ")).findFirst().get();
  }

  private boolean tellsTensorBoard() {
    return lines(false).contains("TensorBoard: " + URL);
  }

  private static TaskFact.Failed failed(TaskId task) {
    return new TaskFact.Failed(
        task, FailureKind.PROGRAM, task + " exited with 1", 1, "", "", "node-1", "log");
  }

  @Test
  public void shouldTellOfTensorBoardAsLongAsTheJobRuns() {
    assertTrue(tellsTensorBoard());
    assertEquals(
        List.of(), lines(true).stream().filter(line -> line.startsWith("TensorBoard")).toList());
  }

  @Test
  public void shouldForgetTensorBoardWithTheProgramThatServesIt() {
    add(failed(OTHER));
    assertTrue("it is not that one's", tellsTensorBoard());
    for (JobEvent end :
        List.of(
            failed(CHIEF).toEvent(SampleEvents.START, 0),
            new TaskFact.Stopped(CHIEF).toEvent(SampleEvents.START, 0),
            SampleEvents.event(1, JobEvent.Type.TASK_RESTARTED, "worker:0"),
            new JobEvent(SampleEvents.START, JobEvent.Type.TASK_SUCCEEDED, 0, CHIEF, Map.of()),
            new JobEvent(SampleEvents.START, JobEvent.Type.GANG_RESTARTED, 0, null, Map.of()))) {
      StatusText other = new StatusText();
      other.add(new TaskFact.TensorBoard(CHIEF, URL).toEvent(SampleEvents.START, 0));
      other.add(end);
      ByteArrayOutputStream told = new ByteArrayOutputStream();
      other.print(new JobLog(told), false);
      assertEquals(
          end.type() + ": " + told, -1, told.toString(StandardCharsets.UTF_8).indexOf(URL));
    }
  }

  @Test
  public void shouldTellWhyATaskHasFailed() {
    add(failed(OTHER));

    assertTrue(line(OTHER), line(OTHER).startsWith("worker:1 FAILED "));
    assertTrue(line(OTHER), line(OTHER).endsWith(": worker:1 exited with 1"));
  }

  @Test
  public void shouldTellWhatProgramsThatRunUse() {
    add(new JobFact.UsageReport(Map.of("worker:0", "512 1.50", "worker:1", "256 0.25 80 4096")));

    assertTrue(line(CHIEF), line(CHIEF).endsWith(", uses 512 MiB and 1.50 cores"));
    assertTrue(
        line(OTHER),
        line(OTHER).endsWith(", uses 256 MiB and 0.25 cores, its GPUs at 80 % with 4096 MiB"));

    add(new TaskFact.Progressed(CHIEF, "1/9"));
    assertTrue(line(CHIEF), line(CHIEF).contains("PROGRESS") && line(CHIEF).contains("512 MiB"));
    add(new TaskFact.Stopped(CHIEF));
    assertEquals("it has ended: " + line(CHIEF), -1, line(CHIEF).indexOf("MiB"));
  }

  /** A job that keeps a checkpoint every minute, and one that is asked where it stands. */
  @Test
  public void shouldShowThatAProgramRunsWhateverItKeepsOrIsSeenAt() {
    add(new JobFact.UsageReport(Map.of("worker:0", "512 1.50")));
    add(
        new CheckpointFact.CheckpointSaved(
            CHIEF, "set", 7, true, 2, false, 1, 1, SampleEvents.START, "m.pt", "hdfs://c/7", null));
    add(new HangLocation(CHIEF, "step (a.py:1)"));

    assertTrue(line(CHIEF), line(CHIEF).startsWith("worker:0 STARTED "));
    assertTrue(line(CHIEF), line(CHIEF).endsWith(", uses 512 MiB and 1.50 cores"));
  }

  @Test
  public void shouldTellWhyATaskIsStartedAgain() {
    status.add(
        SampleEvents.event(
            1, JobEvent.Type.TASK_RESTARTED, "worker:1", "message", "its node node-1 is lost"));

    assertTrue(line(OTHER), line(OTHER).startsWith("worker:1 RESTARTED "));
    assertTrue(line(OTHER), line(OTHER).endsWith(": its node node-1 is lost"));
  }

  /** An ApplicationMaster may tell of no use of a task that has just begun. */
  @Test
  public void shouldTellNoUseWhereNoneWasTold() {
    add(new JobFact.UsageReport(Map.of("worker:0", "512 1.50")));

    assertEquals(line(OTHER), -1, line(OTHER).indexOf("uses"));
  }

  @Test
  public void shouldNotTakeABlamedTaskForOneThatHasChanged() {
    add(new PendingFailure(failed(CHIEF), 5_000));

    assertTrue(line(CHIEF), line(CHIEF).startsWith("worker:0 STARTED "));
  }
}
