package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** Tasks that do not end, and yet do not go on either; and one that lost its port. */
public class LivenessIT extends ClusterTest {
  private static final String RUNNING = "2/2 tasks running";

  @Test
  public void shouldEndAHungProgramAndStartTheGangAgain() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "if [ $TONY_ATTEMPT = 0 ]; then sleep 5454; fi",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.gang.max-restarts=1",
            "-conf", "tony.task.hang-timeout-ms=5000")) {
      tony.assertExit(0);
      assertEquals(List.of(), processes("sleep 5454"));
      JobEvent failure = events(tony.application(), JobEvent.Type.TASK_FAILED).get(0);
      assertTrue(
          failure.toString(), failure.detail("message").contains("(tony.task.hang-timeout-ms)"));
      assertEquals("PROGRAM", failure.detail("kind"));
      assertEquals(1, events(tony.application(), JobEvent.Type.GANG_RESTARTED).size());
    }
  }

  /** A rival in the first attempt takes the port before the program can. */
  @Test
  public void shouldTryAgainAtNoExpenseOfTheUserWhenAPortIsTaken() throws Exception {
    Files.writeString(
        folder.newFolder("src").toPath().resolve("listen.py"),
        """
        import json, os, socket, time
        index = int(os.environ["TASK_INDEX"])
        port = int(json.loads(os.environ["CLUSTER_SPEC"])["worker"][index].split(":")[1])
        if os.environ["TONY_ATTEMPT"] == "0" and index == 1:
            rival = socket.socket()
            rival.bind(("", port))
            rival.listen()
        server = socket.socket()
        server.bind(("", port))
        server.listen()
        if os.environ["TONY_ATTEMPT"] == "0":
            time.sleep(5656)  # until the gang is started again
        """);
    try (TonyCommand tony =
        submit(
            "-executes", "listen.py",
            "-python_binary_path", "python3",
            "-src_dir", "src",
            "-conf", "tony.worker.instances=2",
            "-conf", "tony.gang.max-restarts=0")) {
      tony.assertExit(0);
      List<JobEvent> restarts = events(tony.application(), JobEvent.Type.GANG_RESTARTED);
      assertEquals(restarts.toString(), 1, restarts.size());
      JobEvent restart = restarts.get(0);
      assertEquals("worker:1", restart.task().toString());
      assertEquals("LOST", restart.detail("kind"));
      assertTrue(restart.toString(), restart.detail("message").contains("another process holds"));
      assertEquals("2", restart.detail("kept"));
      assertEquals(List.of(), events(tony.application(), JobEvent.Type.NODE_AVOIDED));
    }
  }

  /** The limit is longer than a busy machine keeps a healthy executor waiting. */
  @Test
  public void shouldReplaceAnExecutorThatIsNotHeardOfAndLeaveNothingOfIt() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "if [ $TONY_ATTEMPT = 0 ]; then sleep 5555; fi",
            "-conf", "tony.worker.instances=2",
            "-conf", "tony.task.heartbeat-interval-ms=500",
            "-conf", "tony.task.max-missed-heartbeats=12")) {
      tony.await(RUNNING);
      Map<String, Long> before = executors();
      String stopped = before.keySet().iterator().next();
      signal("STOP", before.get(stopped));
      tony.assertExit(0);

      assertEquals(List.of(), processes("sleep 5555"));
      assertFalse(ProcessHandle.of(before.get(stopped)).isPresent());
      String application = tony.application();
      JobEvent restart = events(application, JobEvent.Type.GANG_RESTARTED).get(0);
      assertEquals("LOST", restart.detail("kind"));
      assertEquals("1", restart.detail("kept"));
      assertTrue(restart.toString(), restart.detail("message").contains("was silent for 6000 ms"));
      List<JobEvent> allocations = events(application, JobEvent.Type.TASK_ALLOCATED);
      assertEquals(allocations.toString(), 3, allocations.size());
      assertEquals(restart.task(), allocations.get(2).task());
    }
  }

  private static void signal(String name, long pid) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).inheritIO().start();
    assertEquals(0, kill.waitFor());
  }
}
