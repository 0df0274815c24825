package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import io.tony.testing.FlowFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

public class FlowEngineTest {

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout timeout = Timeout.seconds(120);

  private final RecordedEvents events = new RecordedEvents();
  private FlowFolder files;

  @Before
  public void makeFlowFolder() throws IOException {
    files = FlowFolder.in(temporary.getRoot().toPath().resolve("flow"));
  }

  @Test
  public void shouldRunJobsInTheOrderOfTheirDependencies() throws Exception {
    files
        .job("first", "type=command", "command=echo one")
        .job("left", "type=command", "dependencies=first", "command=echo two")
        .job("right", "type=command", "dependencies=first", "command=echo three")
        .job("last", "type=command", "dependencies=left,right", "command=echo four");

    FlowResult result = FlowEngine.run(request().build());

    assertEquals(Status.SUCCEEDED, result.status());
    assertEquals("last", result.flow());
    assertEquals("first", result.jobs().get(0).name());
    assertEquals("last", result.jobs().get(3).name());
    assertFalse(end(result, "first").isAfter(start(result, "left")));
    assertFalse(end(result, "first").isAfter(start(result, "right")));
    assertFalse(end(result, "left").isAfter(start(result, "last")));
    assertFalse(end(result, "right").isAfter(start(result, "last")));
    assertTrue(events.lines("last").contains("four"));
    assertEquals(
        List.of("last#0 QUEUED", "last#0 RUNNING", "last#0 SUCCEEDED"),
        events.changes().stream().filter(change -> change.startsWith("last")).toList());
  }

  @Test
  public void shouldCancelWhatDependsOnAFailedJob() throws Exception {
    files
        .job("first", "type=command", "command=bash -c 'echo why >&2; exit 3'")
        .job("second", "type=command", "dependencies=first", "command=echo never")
        .job("last", "type=command", "dependencies=second", "command=echo never");

    FlowResult result = FlowEngine.run(request().build());

    assertEquals(Status.FAILED, result.status());
    assertEquals(Status.FAILED, result.job("first").status());
    assertEquals(Status.CANCELLED, result.job("second").status());
    assertEquals(Status.CANCELLED, result.job("last").status());
    assertEquals(List.of(), result.job("last").attempts());
    assertTrue(events.lines("first").contains("why"));
    assertEquals(List.of(), events.lines("last"));
    assertTrue(
        Files.readString(result.job("first").lastAttempt().orElseThrow().logFile())
            .contains("why"));
  }

  @Test
  public void shouldRetryUntilAnAttemptSucceeds() throws Exception {
    files.job(
        "job",
        "type=command",
        "retries=3",
        "retry.backoff=10",
        "command=bash -c 'echo attempt ${azkaban.job.attempt}; test ${azkaban.job.attempt} = 2'");

    FlowResult result = FlowEngine.run(request().build());

    assertEquals(Status.SUCCEEDED, result.status());
    List<JobAttempt> attempts = result.job("job").attempts();
    assertEquals(List.of(0, 1, 2), attempts.stream().map(JobAttempt::number).toList());
    assertEquals(
        List.of(Status.FAILED, Status.FAILED, Status.SUCCEEDED),
        attempts.stream().map(JobAttempt::status).toList());
    for (JobAttempt attempt : attempts) {
      assertTrue(Files.readString(attempt.logFile()).contains("attempt " + attempt.number()));
    }
    assertEquals(
        List.of(
            "job#0 QUEUED",
            "job#0 RUNNING",
            "job#0 FAILED",
            "job#1 QUEUED",
            "job#1 RUNNING",
            "job#1 FAILED",
            "job#2 QUEUED",
            "job#2 RUNNING",
            "job#2 SUCCEEDED"),
        events.changes());
  }

  @Test
  public void shouldPassParametersAndOutputPropertiesToADependant() throws Exception {
    files
        .file("shared.properties", "greeting=shared", "name=shared")
        .file(
            "write.py",
            "import json, os",
            "json.dump({'rows': '42'},",
            "  open(os.environ['JOB_OUTPUT_PROP_FILE'], 'w'))")
        .job("first", "type=command", "command=python3 write.py")
        .job(
            "sub/last",
            "type=command",
            "dependencies=first",
            "name=own",
            "command=echo ${greeting} ${name} ${rows}")
        .file("sub/more.properties", "greeting=of the subfolder");

    FlowResult shared = FlowEngine.run(request().build());
    FlowResult overridden = FlowEngine.run(request().property("greeting", "given").build());

    assertEquals(Map.of("rows", "42"), shared.job("first").outputProperties());
    assertTrue(events.lines("last").contains("of the subfolder own 42"));
    assertTrue(events.lines("last").contains("given own 42"));
    assertEquals(List.of(1, 2), List.of(shared.executionId(), overridden.executionId()));
  }

  @Test
  public void shouldLeaveNoProcessWhenTheFlowIsKilled() throws Exception {
    files
        .job("long", "type=command", "retries=2", "command=bash -c 'echo pid $$; exec sleep 600'")
        .job("last", "type=command", "dependencies=long", "command=echo never");
    FlowExecution execution = FlowEngine.prepare(request().build());
    execution.start();
    long pid = Long.parseLong(events.awaitLine("long", "pid "));
    assertEquals(List.of("long"), execution.running().stream().map(RunningJob::job).toList());

    execution.kill("a test");
    FlowResult result = execution.await();

    assertEquals(Status.KILLED, result.status());
    assertEquals(Status.KILLED, result.job("long").status());
    assertEquals(1, result.job("long").attempts().size());
    assertEquals(Status.CANCELLED, result.job("last").status());
    assertFalse(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
    assertEquals(List.of(), execution.running());
    assertTrue(Files.readString(result.flowLog()).contains("Flow killed by a test"));
  }

  @Test
  public void shouldEndWhenItIsKilledBeforeItsFirstJobRuns() throws Exception {
    files.job("job", "type=odd", "mode=wait");
    FlowExecution execution = FlowEngine.prepare(request().plugins(oddPlugin()).build());
    execution.start();

    execution.kill("a test");

    assertEquals(Status.KILLED, execution.await().status());
  }

  @Test
  public void shouldKillAJobThatWaitsForItsRetry() throws Exception {
    files.job("job", "type=command", "retries=1", "retry.backoff=600000", "command=false");
    FlowExecution execution = FlowEngine.prepare(request().build());
    execution.start();
    events.awaitChange("job", 1, Status.QUEUED);

    execution.kill("a test");

    FlowResult result = execution.await();
    assertEquals(Status.KILLED, result.status());
    assertEquals(Status.KILLED, result.job("job").status());
    assertEquals(
        List.of("job#0 QUEUED", "job#0 RUNNING", "job#0 FAILED", "job#1 QUEUED", "job#1 KILLED"),
        events.changes());
  }

  @Test
  public void shouldKillALaterAttempt() throws Exception {
    files.job(
        "job",
        "type=command",
        "retries=5",
        "command=bash -c 'test ${azkaban.job.attempt} = 5 && echo pid $$ && exec sleep 600'");
    FlowExecution execution = FlowEngine.prepare(request().build());
    execution.start();
    long pid = Long.parseLong(events.awaitLine("job", "pid "));

    execution.kill("a test");

    FlowResult result = execution.await();
    assertEquals(Status.KILLED, result.status());
    assertEquals(Status.KILLED, result.job("job").status());
    assertEquals(6, result.job("job").attempts().size());
    assertFalse(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
  }

  @Test
  public void shouldKillOneJobAndNotRetryIt() throws Exception {
    files
        .job("long", "type=command", "retries=2", "command=bash -c 'echo pid $$; exec sleep 600'")
        .job("other", "type=command", "command=echo other")
        .job("last", "type=command", "dependencies=long,other", "command=echo never");
    FlowExecution execution = FlowEngine.prepare(request().build());
    execution.start();
    events.awaitLine("long", "pid ");
    events.awaitChange("other", 0, Status.SUCCEEDED);

    assertTrue(execution.killJob("long"));
    assertFalse(execution.killJob("last"));
    FlowResult result = execution.await();

    assertEquals(Status.KILLED, result.job("long").status());
    assertEquals(1, result.job("long").attempts().size());
    assertEquals(Status.CANCELLED, result.job("last").status());
    assertEquals(Status.SUCCEEDED, result.job("other").status());
  }

  @Test
  public void shouldRunJobTypesOfAPluginsFolderAndSeeTheirProgress() throws Exception {
    files.job("job", "type=odd", "mode=wait");
    FlowExecution execution = FlowEngine.prepare(request().plugins(oddPlugin()).build());
    execution.start();
    events.awaitLine("job", "mode wait");

    assertEquals(0.5, execution.running().get(0).progress(), 0);
    execution.kill("a test");

    assertEquals(Status.KILLED, execution.await().job("job").status());
  }

  @Test
  public void shouldFailAJobWhoseTypeBreaks() throws Exception {
    files
        .job("job", "type=odd", "mode=crash")
        .job("last", "type=command", "dependencies=job", "command=echo never");

    FlowResult result = FlowEngine.run(request().plugins(oddPlugin()).build());

    assertEquals(Status.FAILED, result.job("job").status());
    assertEquals(Status.CANCELLED, result.job("last").status());
    assertTrue(events.lines("job").stream().anyMatch(line -> line.contains("org/example/Missing")));
  }

  @Test
  public void shouldRunTheNamedOneOfTwoFlows() throws Exception {
    files
        .job("red", "type=command", "command=echo red")
        .job("blue", "type=command", "command=echo blue");

    FlowSetupException refused =
        assertThrows(FlowSetupException.class, () -> FlowEngine.run(request().build()));
    FlowResult result = FlowEngine.run(request().flowName("red").build());

    assertTrue(refused.getMessage(), refused.getMessage().contains("blue, red"));
    assertEquals(List.of("red"), result.jobs().stream().map(StepResult::name).toList());
    assertEquals(Status.SUCCEEDED, result.status());
  }

  @Test
  public void shouldRunAnEmbeddedFlow() throws Exception {
    files
        .job("inner", "type=command", "command=echo inner")
        .job("whole", "type=flow", "flow.name=inner");
    // A job of its own makes the outer flow; the embedded one is not a second choice.
    files.job("end", "type=command", "dependencies=whole", "command=echo end");

    FlowResult result = FlowEngine.run(request().build());

    assertEquals("end", result.flow());
    assertEquals(Status.SUCCEEDED, result.job("whole:inner").status());
    assertTrue(events.lines("whole:inner").contains("inner"));
  }

  @Test
  public void shouldNotWriteIntoTheFlowFolder() throws Exception {
    files.job("job", "type=command", "command=touch made");
    files.file("data/input.txt", "kept");

    FlowResult result = FlowEngine.run(request().build());

    assertTrue(Files.exists(result.folder().resolve("made")));
    assertTrue(Files.exists(result.folder().resolve("data/input.txt")));
    try (Stream<Path> left = Files.walk(files.folder())) {
      assertEquals(
          List.of("input.txt", "job.job"),
          left.filter(Files::isRegularFile)
              .map(it -> it.getFileName().toString())
              .sorted()
              .toList());
    }
  }

  @Test
  public void shouldNameEverythingThatIsWrongAndWriteNothing() {
    FlowRequest request =
        FlowRequest.builder(files.folder().resolve("missing"), work())
            .plugins(files.folder())
            .executionId(0)
            .build();

    FlowSetupException refused =
        assertThrows(FlowSetupException.class, () -> FlowEngine.prepare(request));

    assertEquals(refused.getMessage(), 3, refused.problems().size());
    assertFalse(Files.exists(work()));
  }

  @Test
  public void shouldNameADependencyThatDoesNotExist() {
    files.job("job", "type=command", "dependencies=nobody", "command=true");

    FlowSetupException refused =
        assertThrows(FlowSetupException.class, () -> FlowEngine.prepare(request().build()));

    assertTrue(refused.getMessage(), refused.getMessage().contains("nobody"));
    assertFalse(Files.exists(work()));
  }

  @Test
  public void shouldSayWhyAPluginCannotBeLoaded() {
    files.job("job", "type=command", "command=true");
    files.file("../plugins/broken/private.properties", "jobtype.class=org.example.NoSuchJob");

    FlowSetupException refused =
        assertThrows(
            FlowSetupException.class,
            () ->
                FlowEngine.prepare(
                    request().plugins(files.folder().resolve("../plugins")).build()));

    assertTrue(refused.getMessage(), refused.getMessage().contains("org.example.NoSuchJob"));
  }

  @Test
  public void shouldRefuseWhatNeedsADatabase() {
    UnsupportedOperationException refused =
        assertThrows(
            UnsupportedOperationException.class, () -> StubLoaders.executions().fetchActiveFlows());

    assertTrue(
        refused.getMessage(), refused.getMessage().contains("ExecutorLoader.fetchActiveFlows"));
  }

  private Path oddPlugin() {
    files.file("../plugins/odd/private.properties", "jobtype.class=" + OddJob.class.getName());
    return files.folder().resolve("../plugins");
  }

  private FlowRequest.Builder request() {
    return FlowRequest.builder(files.folder(), work()).listener(events);
  }

  private Path work() {
    return temporary.getRoot().toPath().resolve("work");
  }

  private static Instant start(FlowResult result, String job) {
    return result.job(job).attempts().get(0).start();
  }

  private static Instant end(FlowResult result, String job) {
    return result.job(job).attempts().get(0).end();
  }
}
