package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
}
