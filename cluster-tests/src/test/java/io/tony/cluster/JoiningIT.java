package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.Test;

/** The programs of a gang run on while others of its tasks leave it, and come back. */
public class JoiningIT extends ClusterTest {
  private static final String MEMBER = "worker:1";

  /** Each program tells of each of its starts, and runs until it may end. */
  private TonyCommand gang() throws Exception {
    String here = folder.getRoot().toString();
    return submit(
        "-executes",
        "echo $TASK_NUM $CLUSTER_SPEC >> "
            + here
            + "/starts-$TASK_INDEX; until [ -e "
            + here
            + "/go ]; do sleep 0.1; done",
        "-conf",
        "tony.application.framework=generic",
        "-conf",
        "tony.worker.instances=3",
        "-conf",
        "tony.worker.min-instances=2",
        "-conf",
        "tony.elastic.live-resize=true",
        // Nothing may be paid for.
        "-conf",
        "tony.gang.max-restarts=0",
        "-conf",
        "tony.gang.max-lost-restarts=0",
        "-conf",
        "tony.am.max-attempts=2");
  }

  /** What the programs of the worker have told; nothing as long as none has. */
  private List<String> starts(int worker) throws IOException {
    Path told = folder.getRoot().toPath().resolve("starts-" + worker);
    return Files.exists(told) ? Files.readAllLines(told) : List.of();
  }

  private static List<JobEvent> allocations(String application, String task) throws Exception {
    return events(application, JobEvent.Type.TASK_ALLOCATED).stream()
        .filter(event -> event.task().toString().equals(task))
        .toList();
  }

  /** Returns the id of the application. */
  private String awaitAll(TonyCommand tony) throws Exception {
    tony.await("3/3 tasks running");
    for (int worker = 0; worker < 3; worker++) {
      awaitStarts(tony, worker, 1);
    }
    return tony.application();
  }

  /** SIGKILL to the executor that has the task now. */
  private static void killExecutor(String application, String task) throws Exception {
    List<JobEvent> all = allocations(application, task);
    long pid = executors().get(all.get(all.size() - 1).detail("container"));
    assertTrue(ProcessHandle.of(pid).orElseThrow().destroyForcibly());
  }

  private void awaitStarts(TonyCommand tony, int worker, int times) throws Exception {
    Looks.await(
        tony, "start " + times + " of worker:" + worker, () -> starts(worker).size() >= times);
  }

  @Test
  public void shouldRunOnWhileALostMemberIsStartedElsewhere() throws Exception {
    try (TonyCommand tony = gang()) {
      String application = awaitAll(tony);
      killExecutor(application, MEMBER);
      awaitStarts(tony, 1, 2);
      write("go", "");
      tony.assertExit(0);

      assertEquals(List.of("LOST nobody"), restarts(application));
      assertEquals(List.of(), events(application, JobEvent.Type.GANG_RESTARTED));
      assertEquals(3, events(application, JobEvent.Type.TASK_SUCCEEDED).size());
      List<JobEvent> places = allocations(application, MEMBER);
      assertEquals(places.toString(), 2, places.size());
      assertNotEquals(places.get(0).detail("container"), places.get(1).detail("container"));
      assertEquals("it ran on", 1, starts(0).size());
      assertEquals("it ran on", 1, starts(2).size());
      String back = starts(1).get(1);
      assertTrue(back, back.startsWith("3 "));
      assertTrue(back, back.contains('"' + endpoint(application) + '"'));
    }
  }

  /** Where the member listens since it came back. */
  private static String endpoint(String application) throws Exception {
    return events(application, JobEvent.Type.TASK_REGISTERED).stream()
        .filter(event -> event.task().toString().equals(MEMBER))
        .reduce((first, last) -> last)
        .orElseThrow()
        .detail("endpoint");
  }

  private static List<String> restarts(String application) throws Exception {
    return events(application, JobEvent.Type.TASK_RESTARTED).stream()
        .map(event -> event.detail("kind") + " " + event.detail("charged"))
        .toList();
  }

  @Test
  public void shouldBringAMemberBackUnderTheNextMaster() throws Exception {
    try (TonyCommand tony = gang()) {
      String application = awaitAll(tony);
      killMaster(application);
      killExecutor(application, MEMBER);
      awaitStarts(tony, 1, 2);
      write("go", "");
      tony.assertExit(0);

      assertEquals(
          List.of("AM_STARTED", "AM_STARTED", "TASK_RESTARTED"),
          events(application).stream()
              .map(event -> event.type().name())
              .filter(type -> type.equals("AM_STARTED") || type.endsWith("RESTARTED"))
              .toList());
      assertTrue(restarts(application).get(0).endsWith("nobody"));
      assertEquals("it ran on", 1, starts(0).size());
      assertEquals("it ran on", 1, starts(2).size());
      assertEquals(3, events(application, JobEvent.Type.TASK_SUCCEEDED).size());
    }
  }
}
