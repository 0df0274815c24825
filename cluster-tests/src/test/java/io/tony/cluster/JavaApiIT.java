package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.client.api.JobListener;
import io.tony.client.api.JobRequest;
import io.tony.client.api.TonyClient;
import io.tony.client.api.TonyJob;
import io.tony.client.input.InvalidJobException;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Jobs that a Java program submits and follows itself. */
public class JavaApiIT extends ClusterTest {
  private static final JobRequest SMALL =
      JobRequest.of(
          Map.of(
              "tony.application.framework", "generic",
              "tony.am.memory", "256m",
              "tony.worker.instances", "1",
              "tony.worker.memory", "128m"));

  /** Keeps what it is told. */
  private static final class Told implements JobListener {
    final BlockingQueue<JobEvent> events = new LinkedBlockingQueue<>();
    final List<String> lines = new CopyOnWriteArrayList<>();

    @Override
    public void event(JobEvent event) {
      events.add(event);
    }

    @Override
    public void line(String line) {
      lines.add(line);
    }

    void await(JobEvent.Type type) throws InterruptedException {
      while (events.take().type() != type) {
        // within the test's limit
      }
    }

    List<JobEvent.Type> types() {
      return events.stream().map(JobEvent::type).toList();
    }
  }

  private final Told told = new Told();
  private TonyClient client;

  @Before
  public void connect() throws Exception {
    client = TonyClient.of(cluster().configuration());
  }

  @After
  public void disconnect() {
    client.close();
  }

  @Test
  public void shouldSubmitAJobAndTellItToItsEnd() throws Exception {
    Path src = folder.newFolder("job").toPath().resolve("src");
    Files.createDirectory(src);
    Files.writeString(src.resolve("train.py"), "import tony\ntony.output(accuracy=0.9)\n");
    JobRequest request =
        new JobRequest(SMALL.options(), src.getParent())
            .with("src_dir", "src")
            .with("executes", "train.py")
            .with("python_binary_path", "python3");

    TonyJob job = client.submit(request, told);
    JobResult result = job.await();

    assertEquals(told.lines.toString(), JobResult.Status.SUCCEEDED, result.status());
    assertEquals(result, job.result().join());
    List<JobEvent.Type> types = told.types();
    assertEquals(JobEvent.Type.JOB_SUBMITTED, types.get(0));
    assertEquals(JobEvent.Type.JOB_FINISHED, types.get(types.size() - 1));
    assertEquals(job.application(), told.events.peek().detail("application"));
    assertEquals(
        events(job.application(), JobEvent.Type.TASK_SUCCEEDED),
        told.events.stream().filter(e -> e.type() == JobEvent.Type.TASK_SUCCEEDED).toList());
    assertTrue(told.events.stream().anyMatch(e -> e.details().containsValue("0.9")));
    assertTrue(told.lines.toString(), told.lines.contains("1/1 tasks running"));
    job.kill("nobody: it has ended");
  }

  @Test
  public void shouldTellHowAJobFailed() throws Exception {
    JobResult result = client.submit(SMALL.with("executes", "exit 7"), told).await();

    assertEquals(JobResult.Status.FAILED, result.status());
    assertEquals(FailureKind.PROGRAM, result.kind());
    assertEquals(Integer.valueOf(7), result.exitCode());
    assertEquals("worker:0", result.task().toString());
  }

  /** One client submits it, another follows it, and the first kills it. */
  @Test
  public void shouldKillAJobThatAnotherClientFollows() throws Exception {
    TonyJob job = client.submit(SMALL.with("executes", "sleep 600"), told);
    told.await(JobEvent.Type.GANG_RUNNING);
    Told other = new Told();
    try (TonyClient second = TonyClient.of(cluster().configuration())) {
      TonyJob same = second.follow(job.application(), other);
      assertEquals(job.application(), same.application());
      other.await(JobEvent.Type.GANG_RUNNING);

      job.kill("the test");

      for (TonyJob killed : List.of(job, same)) {
        assertEquals(JobResult.Status.KILLED, killed.await().status());
        assertTrue(killed.await().message(), killed.await().message().contains("the test"));
      }
    }
  }

  @Test
  public void shouldTellAllThatIsWrongAndSubmitNothing() throws Exception {
    JobRequest wrong = SMALL.with("tony.worker.memmory", "2g");
    for (InvalidJobException e :
        List.of(
            assertThrows(InvalidJobException.class, () -> client.submit(wrong, told)),
            assertThrows(InvalidJobException.class, () -> client.validate(wrong)))) {
      assertEquals(e.problems().toString(), 2, e.problems().size());
      assertTrue(e.getMessage(), e.getMessage().contains("did you mean tony.worker.memory?"));
      assertTrue(e.getMessage(), e.getMessage().contains("role worker has no command"));
    }
    assertTrue(told.events.isEmpty());
    assertEquals(List.of(), client.validate(SMALL.with("executes", "true")));
    assertThrows(InvalidJobException.class, () -> client.follow("job_1", told));
    assertThrows(
        InvalidJobException.class, () -> client.validate(SMALL.with("tony.keytab.user", "ada")));
    assertThrows(
        InvalidJobException.class,
        () -> client.submit(SMALL.with("tony.azkaban.dry-run", "true"), told));
  }
}
