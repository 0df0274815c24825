package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.Test;

/** The job's own check of each container, on a node that passes it and on one that does not. */
public class PreflightIT extends ClusterTest {

  /** Fails on the node on which it runs first, and on no other. */
  private String failsOnFirstNode() {
    Path bad = folder.getRoot().toPath().resolve("bad");
    return "(set -C; echo \"$NM_HOST\" > '"
        + bad
        + "') 2> /dev/null; if [ \"$(cat '"
        + bad
        + "')\" = \"$NM_HOST\" ]; then echo 'GPU 3 has fallen off the bus' >&2; exit 9; fi";
  }

  private static List<String> nodes(String application, JobEvent.Type type) throws Exception {
    return events(application, type).stream().map(event -> event.detail("node")).toList();
  }

  @Test
  public void shouldTrainWithoutANodeThatFailsIt() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "echo trains",
            "-conf", "tony.worker.instances=2",
            "-conf", "tony.gang.max-lost-restarts=0",
            "-conf", "tony.application.preflight=" + failsOnFirstNode())) {
      tony.assertExit(0);

      String application = tony.application();
      String bad = Files.readString(folder.getRoot().toPath().resolve("bad")).strip();
      List<JobEvent> failed = events(application, JobEvent.Type.TASK_FAILED);
      assertFalse(failed.isEmpty());
      for (JobEvent event : failed) {
        assertEquals(
            event.task()
                + " on "
                + bad
                + " failed the preflight: exit code 9: GPU 3 has fallen off the bus",
            event.detail("message"));
      }
      assertEquals(List.of(bad), nodes(application, JobEvent.Type.NODE_AVOIDED));
      assertEquals(
          Set.of("nobody"),
          events(application, JobEvent.Type.TASK_RESTARTED).stream()
              .map(event -> event.detail("charged"))
              .collect(Collectors.toSet()));
      assertEquals(2, events(application, JobEvent.Type.TASK_STARTED).size());
      assertEquals(List.of(), events(application, JobEvent.Type.GANG_RESTARTED));
      assertTrue(
          tony.text(),
          tony.text().contains("node " + bad + " is avoided: it failed the preflight of worker:"));
    }
  }

  /** Of two nodes one may be avoided; what fails on both costs the job its losses. */
  @Test
  public void shouldFailWhereNoNodePassesIt() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.gang.max-lost-restarts=1",
            "-conf", "tony.application.preflight=no-such-check --now")) {
      tony.assertExit(3);

      String application = tony.application();
      List<JobEvent> failed = events(application, JobEvent.Type.TASK_FAILED);
      assertEquals(failed.toString(), 3, failed.size());
      assertEquals(List.of(), events(application, JobEvent.Type.TASK_STARTED));
      assertTrue(
          tony.text(),
          tony.text().contains("failed the preflight: exit code 127: ")
              && tony.text().contains("no-such-check: command not found"));
    }
  }

  /** The check is a file of the job, or one of those that are brought along. */
  @Test
  public void shouldPassWithTheJobsOwnFilesAndWhatIsBroughtAlong() throws Exception {
    Path src = folder.newFolder("src").toPath();
    Files.writeString(src.resolve("check.sh"), "echo checks; test -e data.txt\n");
    Files.writeString(src.resolve("data.txt"), "");
    for (String check : List.of("bash check.sh", "gpu,network,disk")) {
      try (TonyCommand tony =
          submit(
              "-executes",
              "cat data.txt",
              "-src_dir",
              src.toString(),
              "-conf",
              "tony.worker.instances=1",
              "-conf",
              "tony.application.preflight=" + check)) {
        tony.assertExit(0);
        assertEquals(1, events(tony.application(), JobEvent.Type.TASK_SUCCEEDED).size());
        assertEquals(List.of(), events(tony.application(), JobEvent.Type.TASK_FAILED));
      }
    }
  }

  @Test
  public void shouldNotWaitForOneThatHangs() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.gang.max-lost-restarts=0",
            "-conf", "tony.application.preflight=sleep 600",
            "-conf", "tony.application.preflight-timeout=1s")) {
      tony.assertExit(3);
      assertTrue(
          tony.text(),
          tony.text().contains("it did not end within 1 s (tony.application.preflight-timeout)"));
    }
  }

  /** The check ends with the job: LeavesNothing looks for its process. */
  @Test
  public void shouldEndItWithAJobThatIsKilled() throws Exception {
    Path begun = folder.getRoot().toPath().resolve("begun");
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.application.preflight=touch '" + begun + "'; sleep 600")) {
      while (!Files.exists(begun)) {
        Thread.sleep(20); // within the test's limit: it tells nobody
      }
      tony.terminate();
      tony.assertExit(143);
    }
  }
}
