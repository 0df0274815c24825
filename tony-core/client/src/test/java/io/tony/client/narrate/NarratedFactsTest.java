package io.tony.client.narrate;

import static io.tony.client.follow.SampleEvents.START;
import static io.tony.client.follow.SampleEvents.event;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.output.JobLog;
import io.tony.event.AccessFact;
import io.tony.event.CheckpointFact;
import io.tony.event.Fact;
import io.tony.event.HangLocation;
import io.tony.event.JobFact;
import io.tony.event.PendingFailure;
import io.tony.event.TaskFact;
import io.tony.event.UsageFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** The line that a person reads of a single fact, and of which a person reads none. */
public class NarratedFactsTest {
  private static final TaskId WORKER = new TaskId("worker", 0);
  private static final TaskId OTHER = new TaskId("worker", 1);

  private final ByteArrayOutputStream read = new ByteArrayOutputStream();
  private final JobLog log = new JobLog(new BufferedOutputStream(read));
  private Narrator narrator = new Narrator(log, false, false);

  private void beVerbose() {
    narrator = new Narrator(log, false, true);
  }

  private void tell(JobEvent event) {
    narrator.narrate(event);
  }

  private void tell(Fact fact) {
    tell(fact.toEvent(START, 0));
  }

  /** What has reached whoever reads along. */
  private List<String> lines() {
    return read.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static TaskFact.Failed failed(TaskId task, String stderr) {
    return new TaskFact.Failed(
        task, FailureKind.PROGRAM, task + " exited with code 1", 1, stderr, "", "node-1", "log");
  }

  /** More than are told of mishaps that are alike. */
  private void tellMany() {
    for (int i = 0; i < 30; i++) {
      tell(new JobFact.NodeAvoided("node-" + i, "it is lost", null));
    }
  }

  @Test
  public void shouldTellEachLineAtOnce() {
    tell(new JobFact.StopRequested("ada"));
    assertEquals(List.of("stop requested by ada"), lines());
    narrator.narrateMasterLoss("node-1");
    assertEquals(
        "the ApplicationMaster on host node-1 is lost; YARN starts another", lines().get(1));
  }

  @Test
  public void shouldTellOfCheckpoints() {
    tell(
        new CheckpointFact.CheckpointSaved(
            WORKER, "set", 7, true, 1, true, 1 << 20, 1_200, START, "m.pt", "hdfs://c/7", null));
    tell(new CheckpointFact.CheckpointNotSaved(WORKER, "m.pt", "it is empty"));
    tell(CheckpointFact.ResumeDecision.clean(null, "it is of another code"));

    assertEquals(
        List.of(
            "checkpoint of step 7 is kept (1.0 MiB in 1.2 s): hdfs://c/7",
            "the checkpoint m.pt of worker:0 is not kept: it is empty",
            "starts clean: it is of another code"),
        lines());
  }

  @Test
  public void shouldTellWhoLooksIntoContainersAndThatOneIsKeptForThat() {
    tell(new JobFact.Submitted("application_1_0001", "ml", "http://rm"));
    tell(new AccessFact.ContainerHeld(WORKER, 3, "", "Traceback\nKeyError: 'x'\n", 900_000));
    tell(new AccessFact.ShellSession(WORKER, "ada", false));
    tell(new AccessFact.ShellSession(WORKER, "ada", true));

    assertEquals(
        List.of(
            "worker:0 failed with exit code 3; its container is kept for 15m 0s before the failure"
                + " is reported. Look into it: tony shell application_1_0001 worker:0",
            "  the last line of the stderr of worker:0: KeyError: 'x'",
            "ada opens a shell in the container of worker:0",
            "ada has left the shell in the container of worker:0"),
        lines().subList(1, 5));
  }

  @Test
  public void shouldTellForHowLongAFailureWaitsForTheReportOfALoss() {
    tell(new PendingFailure(failed(WORKER, "Connection reset by peer"), 25_000));

    assertEquals(
        List.of(
            "worker:0 exited with code 1, as if because of another task; TonY waits up to 25 s for"
                + " YARN's report of a loss before that counts",
            "  the last line of the stderr of worker:0: Connection reset by peer"),
        lines());
  }

  @Test
  public void shouldLeaveTheStderrOutWithTheMishapThatItIsOf() {
    tellMany();
    int told = lines().size();
    tell(new PendingFailure(failed(WORKER, "Connection reset by peer"), 25_000));
    tell(new AccessFact.ContainerHeld(WORKER, 3, "", "KeyError", 900_000));

    assertEquals(told, lines().size());
  }

  @Test
  public void shouldTellOfTwentyMishapsAndOnceThatThereAreMore() {
    tellMany();

    assertEquals(21, lines().size());
    assertEquals("node node-19 is avoided: it is lost", lines().get(19));
    assertEquals(
        "more of the kind happens to other tasks; -v or the event log has them", lines().get(20));
  }

  @Test
  public void shouldTellOfTwentyTasksThatAreSlowButNotOfMore() {
    for (int i = 0; i < 25; i++) {
      TaskId task = new TaskId("worker", i);
      tell(new UsageFact.Straggler(task, "node-1", task + " is slow", false));
    }
    List<String> slow = lines();
    assertEquals(20, slow.size());
    assertEquals("worker:19 is slow", slow.get(19));
  }

  /** One that is as fast as the others again takes no room from one that becomes slow. */
  @Test
  public void shouldTellThatTasksAreAsFastAsOthersAgain() {
    for (int i = 0; i < 20; i++) {
      tell(new UsageFact.Straggler(WORKER, "node-1", "worker:0 is slow", false));
      tell(new UsageFact.Straggler(WORKER, "node-1", "worker:0 keeps up again", true));
    }
    assertEquals(40, lines().size());
  }

  @Test
  public void shouldTellOfAllThatAreSlowWhenAskedToTellMore() {
    beVerbose();
    for (int i = 0; i < 25; i++) {
      tell(new UsageFact.Straggler(WORKER, "node-1", "worker:0 is slow", false));
    }
    assertEquals(25, lines().size());
  }

  @Test
  public void shouldTellThatNodesAreUsedAgainOnlyWhenAskedToTellMore() {
    tell(new JobFact.NodesForgiven());
    assertEquals(List.of(), lines());
    beVerbose();
    tell(new JobFact.NodesForgiven());
    assertEquals(List.of("no node is avoided any more"), lines());
  }

  @Test
  public void shouldTellThatEachOfTwentyTasksHasSucceededButNotOfMore() {
    tell(event(0, JobEvent.Type.AM_STARTED, "", "tasks", "20"));
    tell(event(1, JobEvent.Type.TASK_SUCCEEDED, "worker:0"));
    assertEquals("worker:0 succeeded", lines().get(lines().size() - 1));

    tell(event(2, JobEvent.Type.AM_STARTED, "", "tasks", "21"));
    int told = lines().size();
    tell(event(3, JobEvent.Type.TASK_SUCCEEDED, "worker:1"));
    assertEquals(told, lines().size());
  }

  /** Not all tasks of a gang that hangs can be asked: whoever was is told of all the same. */
  @Test
  public void shouldTellWhereTasksStoodBeforeTheJobEnds() {
    tell(event(0, JobEvent.Type.AM_STARTED, "", "tasks", "2"));
    tell(new TaskFact.Started(WORKER, 11));
    tell(new TaskFact.Started(OTHER, 12));
    tell(new HangLocation(WORKER, "step (a.py:1)"));
    int told = lines().size();
    tell(new JobFact.Finished(JobResult.failed(FailureKind.TIMEOUT, "it hung")));

    List<String> last = lines().subList(told, lines().size());
    assertEquals(1, last.size());
    assertTrue(last.get(0), last.get(0).contains("step (a.py:1)"));
  }

  @Test
  public void shouldTellWhereTasksStoodBeforeOneOfThemIsStartedAgain() {
    tell(event(0, JobEvent.Type.AM_STARTED, "", "tasks", "2"));
    tell(new TaskFact.Started(WORKER, 11));
    tell(new TaskFact.Started(OTHER, 12));
    tell(new HangLocation(WORKER, "step (a.py:1)"));
    int told = lines().size();
    tell(event(9, JobEvent.Type.TASK_RESTARTED, "worker:1", "message", "it hung"));

    List<String> last = new ArrayList<>(lines().subList(told, lines().size()));
    assertTrue(last + "", last.get(0).contains("step (a.py:1)"));
    assertEquals(2, last.size());
  }

  @Test
  public void shouldCountOnlyTasksOfTheRoleThatGrows() {
    tell(new TaskFact.Started(WORKER, 11));
    tell(new TaskFact.Started(new TaskId("ps", 0), 12));
    tell(event(3, JobEvent.Type.GANG_GROWS, "", "role", "worker", "instances", "3"));

    List<String> lines = lines();
    assertEquals(
        ResizeLine.of(new io.tony.event.ResizeFact.ScaleUpPlanned("worker", 3), 1),
        lines.get(lines.size() - 1));
  }

  /** That of an earlier run of the task would mislead. */
  @Test
  public void shouldTellTheStderrOfAFailureOnlyOnceWhenTheGangStartsAgain() {
    tell(failed(OTHER, "CUDA out of memory"));
    tell(event(2, JobEvent.Type.GANG_RESTARTED, "worker:0", "message", "worker:0 is lost"));
    tell(event(4, JobEvent.Type.GANG_RESTARTED, "worker:1", "message", "worker:1 is lost"));

    assertTrue(
        lines() + "", lines().stream().noneMatch(line -> line.contains("CUDA out of memory")));
  }
}
