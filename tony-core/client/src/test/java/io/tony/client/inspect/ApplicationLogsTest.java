package io.tony.client.inspect;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tony.client.application.ExitCode;
import io.tony.client.input.InvalidJobException;
import io.tony.event.JobFact;
import io.tony.event.TaskFact;
import io.tony.logs.LogContentsTest;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** {@code tony logs} and {@code tony events}, with a node that serves its containers' files. */
public class ApplicationLogsTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private HttpServer node;
  private InspectedJob job;

  @Before
  public void begin() throws IOException {
    job = new InspectedJob(temporary.getRoot().toPath());
    node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    node.createContext("/ws/v1/node/containerlogs/", this::answer);
    node.start();
    job.yarn.showNode(address());
  }

  @After
  public void stop() {
    node.stop(0);
  }

  /** A whole file, or from so many bytes before its end on, with a few lines about it. */
  private void answer(HttpExchange exchange) throws IOException {
    Path path = Path.of(exchange.getRequestURI().getPath());
    String file = path.getFileName().toString();
    String text =
        file.equals("executor.log") ? "" : file + " of " + path.getParent().getFileName() + "\n";
    String query = exchange.getRequestURI().getQuery();
    if (query != null) {
      int asked = Integer.parseInt(query.substring("size=-".length()));
      String last = text.substring(Math.max(0, text.length() - asked));
      text = LogContentsTest.sent(text.length(), last);
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private String address() {
    return "127.0.0.1:" + node.getAddress().getPort();
  }

  private ApplicationLogs logs() throws Exception {
    return new ApplicationLogs(job.inspected(), job.out);
  }

  private static String container(int number) {
    return "container_1_0001_01_00000" + number;
  }

  private String page(int number) {
    return "http://" + address() + "/node/containerlogs/" + container(number) + "/ada";
  }

  private void writeAllocated(int index, int container) throws IOException {
    job.write(
        new TaskFact.Allocated(
            new TaskId("worker", index), container(container), "node-1", page(container)));
  }

  private String writeEnd() throws IOException {
    return job.write(new JobFact.Finished(JobResult.succeeded("all is well")));
  }

  private static String refused(Callable<ExitCode> what) {
    return assertThrows(InvalidJobException.class, what::call).getMessage();
  }

  // ---- tony events ----

  @Test
  public void shouldPrintTheLinesOfTheEventLogAsTheyAre() throws Exception {
    job.show(YarnApplicationState.RUNNING);
    String first = job.write(new TaskFact.Started(new TaskId("worker", 0), 11));
    String second = job.write(new TaskFact.Stopped(new TaskId("worker", 0)));

    assertEquals(ExitCode.SUCCEEDED, logs().printEvents(false));

    assertEquals(List.of(first, second), job.lines());
  }

  @Test
  public void shouldPrintLinesAsTheyComeUntilTheJobHasEnded() throws Exception {
    job.show(YarnApplicationState.RUNNING);
    String first = job.write(new TaskFact.Started(new TaskId("worker", 0), 11));
    ApplicationLogs logs = logs();
    FutureTask<ExitCode> following = new FutureTask<>(() -> logs.printEvents(true));
    Thread thread = new Thread(following);
    thread.setDaemon(true);
    thread.start();
    job.yarn.awaitLooks(3); // its owner, and twice whether it has ended
    assertEquals("a program that reads along has it", List.of(first), job.lines());
    String last = writeEnd();

    assertEquals(ExitCode.SUCCEEDED, following.get());
    assertEquals(List.of(first, last), job.lines());
  }

  @Test
  public void shouldSayWhereALogIsLookedForThatIsNotThere() throws Exception {
    job.show(YarnApplicationState.RUNNING);
    ApplicationLogs logs = logs();

    String refusal = refused(() -> logs.printEvents(false));

    assertTrue(refusal, refusal.contains(job.logFolder() + " has no event log of it"));
  }

  // ---- tony logs ----

  @Test
  public void shouldNameTheLogOfEachTaskInItsLastContainer() throws Exception {
    job.show(YarnApplicationState.RUNNING);
    writeAllocated(1, 3);
    writeAllocated(0, 2);
    writeAllocated(1, 4);

    assertEquals(ExitCode.SUCCEEDED, logs().printLogs(null));

    assertEquals(List.of("worker:0  " + page(2), "worker:1  " + page(4)), job.allLines());
  }

  /** The nodes' pages lead nowhere by then. */
  @Test
  public void shouldNameTheCommandThatShowsALogWhichItsNodeHasHandedIn() throws Exception {
    job.conf.setBoolean(YarnConfiguration.LOG_AGGREGATION_ENABLED, true);
    writeAllocated(0, 2);
    job.show(YarnApplicationState.RUNNING);
    logs().printLogs(null);
    job.yarn.showFinished(FinalApplicationStatus.SUCCEEDED);
    logs().printLogs(null);

    assertEquals(
        List.of("worker:0  " + page(2), "worker:0  tony logs application_1_0001 worker:0"),
        job.allLines());
  }

  @Test
  public void shouldSayOfAJobWithoutContainersWhereItsLogIsLookedFor() throws Exception {
    job.show(YarnApplicationState.ACCEPTED);

    assertEquals(ExitCode.SUCCEEDED, logs().printLogs(null));

    assertEquals(
        List.of(
            "no task of application_1_0001 has had a container, as file:"
                + job.logFolder()
                + " says; where the job's event log is elsewhere, name its folder with"
                + " -conf tony.history.location=FOLDER"),
        job.allLines());
  }

  /** A mistyped id, say: nothing would look like a job without containers. */
  @Test
  public void shouldSayOfAnApplicationThatNobodyKnowsWhereItsLogIsLookedFor() throws Exception {
    ApplicationLogs logs = logs();

    String refusal = refused(() -> logs.printLogs(null));

    assertTrue(refusal, refusal.contains("YARN does not know application_1_0001"));
    assertTrue(refusal, refusal.contains(job.logFolder().toString()));
  }

  @Test
  public void shouldNameTheLogsOfAnApplicationThatYarnHasForgotten() throws Exception {
    writeAllocated(0, 2);

    assertEquals(ExitCode.SUCCEEDED, logs().printLogs(null));

    assertEquals(List.of("worker:0  " + page(2)), job.allLines());
  }

  @Test
  public void shouldPrintTheFilesOfOneTaskBelowTheirNames() throws Exception {
    job.show(YarnApplicationState.RUNNING);
    writeAllocated(0, 2);
    writeAllocated(1, 3);

    assertEquals(ExitCode.SUCCEEDED, logs().printLogs("worker:1"));

    assertEquals(
        List.of(
            "==> worker:1 stdout <==",
            "stdout of " + container(3),
            "==> worker:1 stderr <==",
            "stderr of " + container(3),
            "==> worker:1 executor.log <=="),
        job.allLines());
  }

  /** A node takes its time; until then the name stands there. */
  @Test
  public void shouldNameAFileBeforeItsNodeIsAsked() throws Exception {
    job.show(YarnApplicationState.RUNNING);
    writeAllocated(0, 2);

    logs().printLogs("worker:0");

    assertTrue(job.lines() + "", job.lines().contains("==> worker:0 executor.log <=="));
  }

  @Test
  public void shouldNameTheTasksThatThereAreWhereOneIsNotAmongThem() throws Exception {
    job.show(YarnApplicationState.RUNNING);
    writeAllocated(0, 2);
    writeAllocated(1, 3);
    ApplicationLogs logs = logs();

    String refusal = refused(() -> logs.printLogs("worker:2"));

    assertTrue(
        refusal,
        refusal.contains("application_1_0001 has no task worker:2; it has [worker:0, worker:1]"));
  }

  @Test
  public void shouldSayWhereTheTasksOfAJobAreLookedFor() throws Exception {
    job.show(YarnApplicationState.ACCEPTED);
    ApplicationLogs logs = logs();

    String named = refused(() -> logs.printLogs("worker:0"));
    assertTrue(named, named.contains(job.logFolder().toString()));
    job.yarn.showFinished(FinalApplicationStatus.FAILED);
    String followed = refused(() -> logs.followLogs(null));
    assertTrue(followed, followed.contains(job.logFolder().toString()));
  }

  // ---- tony logs -follow ----

  @Test
  public void shouldPrintWhatAllProgramsWriteUntilTheJobHasEnded() throws Exception {
    job.yarn.showFinished(FinalApplicationStatus.SUCCEEDED);
    writeAllocated(0, 2);
    writeAllocated(1, 3);
    writeEnd();

    assertEquals(ExitCode.SUCCEEDED, logs().followLogs(null));

    assertEquals(
        List.of(
            "worker:0 stderr: stderr of " + container(2),
            "worker:0 stdout: stdout of " + container(2),
            "worker:1 stderr: stderr of " + container(3),
            "worker:1 stdout: stdout of " + container(3)),
        job.allLines().stream().sorted().toList());
  }

  @Test
  public void shouldPrintWhatOneProgramWrites() throws Exception {
    job.yarn.showFinished(FinalApplicationStatus.SUCCEEDED);
    writeAllocated(0, 2);
    writeAllocated(1, 3);
    writeEnd();

    assertEquals(ExitCode.SUCCEEDED, logs().followLogs("worker:1"));

    assertEquals(
        List.of("stderr: stderr of " + container(3), "stdout: stdout of " + container(3)),
        job.allLines().stream().sorted().toList());
  }

  @Test
  public void shouldFollowNothingThatIsNoTask() throws Exception {
    job.show(YarnApplicationState.RUNNING);
    ApplicationLogs logs = logs();

    String refusal = refused(() -> logs.followLogs("worker"));

    assertTrue(refusal, refusal.contains("worker"));
  }
}
