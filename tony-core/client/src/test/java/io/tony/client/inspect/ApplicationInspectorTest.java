package io.tony.client.inspect;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tony.client.application.ExitCode;
import io.tony.client.follow.ReportedYarn;
import io.tony.client.input.InvalidJobException;
import io.tony.event.TaskFact;
import io.tony.model.TaskId;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** {@code tony status} and {@code tony kill}, and how {@code tony notebook} ends one. */
public class ApplicationInspectorTest {
  private static final TaskId WORKER = new TaskId("worker", 0);

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private InspectedJob job;

  @Before
  public void begin() {
    job = new InspectedJob(temporary.getRoot().toPath());
  }

  private ApplicationInspector inspection() throws Exception {
    return new ApplicationInspector(job.inspected(), job.out);
  }

  private void writeLog() throws IOException {
    job.write(new TaskFact.Started(WORKER, 11));
    job.write(new TaskFact.TensorBoard(WORKER, "http://node-1:6006"));
  }

  /** HDFS, when the logs are another user's. */
  public static final class ClosedFileSystem extends RawLocalFileSystem {
    @Override
    public FSDataInputStream open(Path file, int buffer) throws IOException {
      throw new AccessControlException("Permission denied: user=bob, access=READ\n\tat a trace");
    }
  }

  private void closeLog() {
    job.conf.setClass("fs.file.impl", ClosedFileSystem.class, FileSystem.class);
    job.conf.setBoolean("fs.file.impl.disable.cache", true);
  }

  // ---- tony status ----

  @Test
  public void shouldShowAnApplicationItsTensorBoardAndItsTasks() throws Exception {
    job.show(YarnApplicationState.RUNNING);
    writeLog();

    assertEquals(ExitCode.SUCCEEDED, inspection().printStatus());

    List<String> lines = job.allLines();
    assertEquals(
        "application_1_0001 (train, queue ml) is RUNNING, final status UNDEFINED: "
            + ReportedYarn.TRACKING_URL,
        lines.get(0));
    assertEquals("  TensorBoard: http://node-1:6006", lines.get(1));
    assertTrue(lines.get(2), lines.get(2).startsWith("  worker:0 STARTED "));
    assertEquals(3, lines.size());
  }

  @Test
  public void shouldShowNoTensorBoardOfAnApplicationThatHasEnded() throws Exception {
    job.yarn.showFinished(FinalApplicationStatus.FAILED);
    writeLog();

    inspection().printStatus();

    List<String> lines = job.allLines();
    assertTrue(lines.get(0), lines.get(0).contains(" is FINISHED, final status FAILED: "));
    assertTrue(lines.get(1), lines.get(1).startsWith("  worker:0 STARTED "));
    assertEquals(2, lines.size());
  }

  /** Who may look at an application may not be allowed to read its log. */
  @Test
  public void shouldShowWhatYarnKnowsWhereTheLogMayNotBeRead() throws Exception {
    job.show(YarnApplicationState.RUNNING);
    writeLog();
    closeLog();

    assertEquals(ExitCode.SUCCEEDED, inspection().printStatus());

    List<String> lines = job.allLines();
    assertTrue(lines.get(0), lines.get(0).contains(" is RUNNING, "));
    assertEquals(
        "  its tasks are not shown: HDFS says: Permission denied: user=bob, access=READ; the owner"
            + " whom it names, or HDFS's administrator, can permit it",
        lines.get(1));
    assertEquals(2, lines.size());
  }

  private JsonNode object() throws Exception {
    assertEquals(ExitCode.SUCCEEDED, inspection().printStatusJson());
    List<String> lines = job.allLines();
    assertEquals("one line", 1, lines.size());
    return new ObjectMapper().readTree(lines.get(0));
  }

  @Test
  public void shouldTellProgramsTheSame() throws Exception {
    job.show(YarnApplicationState.RUNNING);
    writeLog();

    JsonNode object = object();

    assertEquals("application_1_0001", object.get("application").asText());
    assertEquals("RUNNING", object.get("yarnState").asText());
    assertEquals("http://node-1:6006", object.get("tensorBoard").asText());
    assertEquals("started", object.get("taskStates").get(0).get("state").asText());
  }

  @Test
  public void shouldTellProgramsOfAnApplicationThatYarnHasForgotten() throws Exception {
    writeLog();

    JsonNode object = object();

    assertFalse(object.has("yarnState"));
    assertEquals("worker:0", object.get("taskStates").get(0).get("task").asText());
  }

  @Test
  public void shouldTellProgramsOfAnApplicationWithoutALog() throws Exception {
    job.show(YarnApplicationState.ACCEPTED);

    JsonNode object = object();

    assertEquals("ACCEPTED", object.get("yarnState").asText());
    assertEquals(0, object.get("taskStates").size());
  }

  @Test
  public void shouldSayOfAnApplicationThatNobodyKnowsWhereItsLogIsLookedFor() throws Exception {
    ApplicationInspector inspection = inspection();

    InvalidJobException e =
        assertThrows(InvalidJobException.class, () -> inspection.printStatusJson());

    assertTrue(e.getMessage(), e.getMessage().contains("YARN does not know application_1_0001"));
    assertTrue(e.getMessage(), e.getMessage().contains(job.logFolder().toString()));
    assertEquals(List.of(), job.allLines());
  }

  @Test
  public void shouldTellProgramsWhatYarnKnowsWhereTheLogMayNotBeRead() throws Exception {
    job.show(YarnApplicationState.RUNNING);
    writeLog();
    closeLog();

    JsonNode object = object();

    assertEquals("RUNNING", object.get("yarnState").asText());
    assertEquals(0, object.get("taskStates").size());
  }

  @Test
  public void shouldNotTellProgramsThatALogIsEmptyWhichMayNotBeRead() throws Exception {
    writeLog();
    closeLog();
    ApplicationInspector inspection = inspection();

    assertThrows(AccessControlException.class, () -> inspection.printStatusJson());
  }

  @Test
  public void shouldSayWhatAnApplicationsIdLooksLike() throws Exception {
    assertEquals(ReportedYarn.APPLICATION, ApplicationView.parseId("application_1_0001"));

    InvalidJobException e =
        assertThrows(InvalidJobException.class, () -> ApplicationView.parseId("job_1_1"));

    assertTrue(e.getMessage(), e.getMessage().contains("'job_1_1' is not an application id: "));
    assertTrue(e.getMessage(), e.getMessage().contains("application_1700000000000_0001"));
  }

  // ---- Ends ----

  @Test
  public void shouldWaitForTheEndAndTellIt() throws Exception {
    job.staging().create();
    job.show(YarnApplicationState.RUNNING);
    ApplicationInspector inspection = inspection();
    FutureTask<ExitCode> waiting = new FutureTask<>(inspection::awaitEnd);
    Thread thread = new Thread(waiting);
    thread.setDaemon(true);
    thread.start();
    job.yarn.awaitLooks(2);
    assertFalse(waiting.isDone());
    job.yarn.showFinished(FinalApplicationStatus.SUCCEEDED);

    assertEquals(ExitCode.SUCCEEDED, waiting.get());
    assertEquals(List.of("SUCCEEDED: YARN says: AM Container exited with 137"), job.allLines());
    assertFalse(FileSystem.get(job.conf).exists(job.staging().folder()));
  }

  @Test
  public void shouldReturnTheCodeOfAnApplicationThatWasKilled() throws Exception {
    job.show(YarnApplicationState.KILLED);

    assertEquals(ExitCode.KILLED_BY_OTHERS, inspection().awaitEnd());
    assertEquals(List.of("KILLED: YARN says: AM Container exited with 137"), job.allLines());
  }

  @Test
  public void shouldEndAnApplicationAndTellItsState() throws Exception {
    job.show(YarnApplicationState.ACCEPTED);

    assertEquals(ExitCode.SUCCEEDED, inspection().kill());

    assertEquals(List.of("killed by tony kill"), job.yarn.kills());
    List<String> lines = job.allLines();
    assertEquals("application_1_0001 is KILLED", lines.get(lines.size() - 1));
  }

  @Test
  public void shouldEndNothingThatHasEnded() throws Exception {
    job.yarn.showFinished(FinalApplicationStatus.SUCCEEDED);

    assertEquals(ExitCode.SUCCEEDED, inspection().kill());

    assertEquals(List.of(), job.yarn.kills());
    assertEquals(List.of("application_1_0001 has ended already"), job.allLines());
  }
}
