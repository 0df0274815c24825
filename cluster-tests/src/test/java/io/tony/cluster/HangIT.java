package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/** A hang shows where everybody stands: who hangs, and who only waits for it. */
public class HangIT extends ClusterTest {
  private static final String HANG = "tony.task.hang-timeout-ms=5000";

  /** One task hangs; the other shows signs of life, and is ended by its ApplicationMaster. */
  private static final String PROGRAM =
      """
      import os, time

      def stuck():
          time.sleep(5757)

      def wait_for_peer():
          while True: print("waits", flush=True), time.sleep(0.2)

      if os.environ["TONY_ATTEMPT"] == "0":
          stuck() if os.environ["TASK_INDEX"] == "0" else wait_for_peer()
      """;

  private static final String STUCK = "stuck (hang.py:4)";
  private static final String WAITS = "wait_for_peer (hang.py:7)";
  private static final String EVERYBODY =
      "worker:0 hangs in " + STUCK + "; worker:1 hangs in " + WAITS;

  private TonyCommand submitPython(String retries) throws Exception {
    write("src/hang.py", PROGRAM);
    return submit(
        "-executes", "hang.py",
        "-python_binary_path", "python3",
        "-src_dir", "src",
        "-conf", "tony.worker.instances=2",
        "-conf", "tony.gang.max-restarts=" + retries,
        "-conf", HANG);
  }

  private static Map<String, String> places(String application) throws Exception {
    Map<String, String> places = new TreeMap<>();
    for (JobEvent event : events(application, JobEvent.Type.TASK_STANDS)) {
      places.put(event.task().toString(), event.detail("where"));
    }
    return places;
  }

  @Test
  public void shouldTellWhereAllStandBeforeTheGangStartsAgain() throws Exception {
    try (TonyCommand tony = submitPython("1")) {
      tony.assertExit(0);

      String application = tony.application();
      assertTrue(tony.text(), tony.text().contains(EVERYBODY));
      assertEquals(Map.of("worker:0", STUCK, "worker:1", WAITS), places(application));
      JobEvent failure = events(application, JobEvent.Type.TASK_FAILED).get(0);
      assertEquals("worker:0", failure.task().toString());
      assertTrue(failure.toString(), failure.detail("stderr").endsWith("\n  " + STUCK));
      assertEquals(1, events(application, JobEvent.Type.GANG_RESTARTED).size());
      String stderr = log(application, "worker:1", "stderr");
      assertTrue(stderr, stderr.contains("line 7 in wait_for_peer"));
      assertEquals(List.of(), processes("hang.py"));
    }
  }

  @Test
  public void shouldTellItInTheFailureOfTheJob() throws Exception {
    try (TonyCommand tony = submitPython("0")) {
      tony.assertExit(1);

      String application = tony.application();
      assertEquals(Map.of("worker:0", STUCK, "worker:1", WAITS), places(application));
      JobEvent end = events(application, JobEvent.Type.JOB_FINISHED).get(0);
      String message = end.detail("message");
      assertTrue(message, message.startsWith("worker:0: showed no sign of life for 5 s"));
      assertTrue(message, message.endsWith("; " + EVERYBODY));
      assertTrue(tony.text(), tony.text().contains(message));
      assertEquals(message, report(application).getDiagnostics().strip());
      assertEquals(List.of(), processes("hang.py"));
    }
  }

  @Test
  public void shouldTellWhereAJvmStands() throws Exception {
    write(
        "src/Stuck.java",
        """
        public class Stuck {
          public static void main(String[] arguments) throws Exception {
            stuck();
          }

          static void stuck() throws Exception {
            Thread.sleep(5_858_000);
          }
        }
        """);
    String java = System.getProperty("java.home") + "/bin/java";
    try (TonyCommand tony =
        submit(
            "-executes", java + " -Xmx128m Stuck.java",
            "-src_dir", "src",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.worker.memory=512m",
            "-conf", "tony.gang.max-restarts=0",
            "-conf", HANG)) {
      tony.assertExit(1);

      String application = tony.application();
      assertEquals(tony.text(), Map.of("worker:0", "stuck (Stuck.java:7)"), places(application));
      assertTrue(tony.text(), tony.text().contains("worker:0 hung in stuck (Stuck.java:7)"));
      String stdout = log(application, "worker:0", "stdout");
      assertTrue(stdout, stdout.contains("at Stuck.stuck(Stuck.java:7)"));
      assertEquals(List.of(), processes("Stuck.java"));
    }
  }
}
