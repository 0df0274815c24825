package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.junit.Test;

/** The ResourceManager stops while a job trains, and another recovers what it knew. */
public class ResourceManagerRestartIT extends ClusterTest {
  private static final String RUNNING = "2/2 tasks running";

  private TonyCommand waits(Path file) throws Exception {
    return submit(
        "-executes",
        "while [ ! -e " + file + " ]; do sleep 0.1; done",
        "-conf",
        "tony.worker.instances=2");
  }

  private Path go() {
    return folder.getRoot().toPath().resolve("go");
  }

  @Test
  public void shouldTrainThroughIt() throws Exception {
    try (TonyCommand tony = waits(go())) {
      tony.await(RUNNING);
      Map<String, Long> before = executors();
      cluster().restartResourceManager();
      assertEquals(before, executors());
      write("go", "");
      tony.assertExit(0);

      String application = tony.application();
      assertEquals(1, events(application, JobEvent.Type.AM_STARTED).size());
      assertEquals(2, events(application, JobEvent.Type.TASK_STARTED).size());
      assertEquals(2, events(application, JobEvent.Type.TASK_SUCCEEDED).size());
      assertEquals(
          FinalApplicationStatus.SUCCEEDED, report(application).getFinalApplicationStatus());
    }
  }

  @Test
  public void shouldAskTheNextOneForAContainerThatIsLostLater() throws Exception {
    try (TonyCommand tony = waits(go())) {
      tony.await(RUNNING);
      Map<String, Long> before = executors();
      cluster().restartResourceManager();
      String killed = before.keySet().iterator().next();
      ProcessHandle.of(before.get(killed)).orElseThrow().destroyForcibly();
      tony.await(RUNNING, 2);
      Map<String, Long> after = executors();
      write("go", "");
      tony.assertExit(0);

      before.remove(killed);
      assertTrue(before + " and then " + after, after.entrySet().containsAll(before.entrySet()));
      String application = tony.application();
      assertEquals(1, events(application, JobEvent.Type.AM_STARTED).size());
      List<JobEvent> allocations = events(application, JobEvent.Type.TASK_ALLOCATED);
      assertEquals(allocations.toString(), 3, allocations.size());
    }
  }

  /** One worker has its container; for the other there is no room until another job has ended. */
  @Test
  public void shouldAskTheNextOneOnlyForWhatIsMissing() throws Exception {
    Path room = folder.getRoot().toPath().resolve("room");
    try (TonyCommand other =
        submit(
            "-executes", "until [ -e '" + room + "' ]; do sleep 0.1; done",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.worker.memory=3840m")) {
      other.await("1/1 tasks running");
      try (TonyCommand tony =
          submit(
              "-executes",
              "until [ -e '" + go() + "' ]; do sleep 0.1; done",
              "-conf",
              "tony.worker.instances=2",
              "-conf",
              "tony.worker.memory=3g",
              "-events")) {
        tony.await("\"TASK_REGISTERED\"");
        cluster().restartResourceManager();

        assertEquals(1, awaitPending(tony.application()));

        write("room", "");
        other.assertExit(0);
        tony.await(RUNNING);
        write("go", "");
        tony.assertExit(0);
      }
    }
  }

  /** How many containers YARN is to give to the application yet, once there are any. */
  private static int awaitPending(String application) throws Exception {
    URI page = URI.create(report(application).getTrackingUrl());
    URI asked = page.resolve("/ws/v1/cluster/apps/" + application);
    HttpRequest request =
        HttpRequest.newBuilder(asked).header("Accept", "application/json").build();
    int pending = 0;
    while (pending == 0) {
      String answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
      Matcher numbers = Pattern.compile("\"numContainers\":(\\d+)").matcher(answer);
      while (numbers.find()) {
        pending += Integer.parseInt(numbers.group(1));
      }
      Thread.sleep(50);
    }
    return pending;
  }
}
