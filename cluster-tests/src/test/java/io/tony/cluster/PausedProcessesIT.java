package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/**
 * The machine of a whole job is paused: its client, its ApplicationMaster and its TonY executor
 * stand still for longer than each of them may be silent, and go on one after the other.
 */
public class PausedProcessesIT extends ClusterTest {
  private static final long PAUSE_SECONDS = 100;

  /** A process that goes on has judged whoever still stands still by then. */
  private static final long BETWEEN_SECONDS = 5;

  private static void signal(String name, ProcessHandle process) throws Exception {
    String[] command = {"kill", "-" + name, Long.toString(process.pid())};
    assertEquals(0, new ProcessBuilder(command).start().waitFor());
  }

  @Test
  public void shouldTrainOnAfterAPauseThatIsLongerThanItsLimits() throws Exception {
    Path go = folder.getRoot().toPath().resolve("go");
    try (TonyCommand tony =
        submit(
            "-executes", "until [ -e '" + go + "' ]; do sleep 0.1; done",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.application.client-lost-timeout=1m",
            "-conf", "tony.task.am-lost-timeout=1m",
            "-conf", "tony.am.startup-timeout=1m",
            "-conf", "tony.application.timeout=2m",
            "-conf", "tony.am.max-attempts=1",
            "-conf", "tony.gang.max-lost-restarts=0")) {
      tony.await("1/1 tasks running");
      String application = tony.application();
      List<ProcessHandle> processes =
          List.of(OwnCluster.master(application), OwnCluster.executor(application), tony.process());

      for (ProcessHandle process : processes) {
        signal("STOP", process);
      }
      TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
      for (ProcessHandle process : processes) {
        assertTrue(process.isAlive());
        signal("CONT", process);
        TimeUnit.SECONDS.sleep(BETWEEN_SECONDS);
      }
      Files.createFile(go);
      tony.assertExit(0);

      assertEquals(List.of(), events(application, JobEvent.Type.STOP_REQUESTED));
      assertEquals(List.of(), events(application, JobEvent.Type.TASK_FAILED));
      assertEquals(1, events(application, JobEvent.Type.TASK_STARTED).size());
      assertEquals(1, events(application, JobEvent.Type.AM_STARTED).size());
    }
  }
}
