package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Test;

/**
 * SIGTERM in every phase: when the command has ended, YARN shows the application as killed, and no
 * process of it is left.
 */
public class CancelIT extends ClusterTest {

  @Test
  public void shouldStopARunningGang() throws Exception {
    try (TonyCommand tony =
        submit("-executes", "sleep 5151 & sleep 5151", "-conf", "tony.worker.instances=2")) {
      tony.await("2/2 tasks running");
      String application = terminated(tony);
      List<JobEvent> events = events(application);
      assertEquals(JobEvent.Type.JOB_FINISHED, events.get(events.size() - 1).type());
      assertEquals("KILLED", events.get(events.size() - 1).detail("status"));
      for (String line :
          List.of(
              "asked the programs to end, up to 3 s",
              "the programs have ended",
              "containers left: 0, as YARN has it")) {
        assertTrue(tony.text(), tony.lines().contains(line));
      }
    }
  }

  @Test
  public void shouldStopAGangThatWaitsForResources() throws Exception {
    try (TonyCommand tony = submitTooLarge()) {
      tony.await("2/9 tasks allocated");
      String application = terminated(tony);
      assertEquals(2, events(application, JobEvent.Type.TASK_ALLOCATED).size());
      assertStoppedBefore(application, JobEvent.Type.GANG_RUNNING);
    }
  }

  @Test
  public void shouldStopWhileContainersAreBeingAllocated() throws Exception {
    try (TonyCommand tony = submitTooLarge()) {
      tony.await("asking for");
      String application = terminated(tony);
      assertEquals(1, events(application, JobEvent.Type.GANG_REQUESTED).size());
      assertStoppedBefore(application, JobEvent.Type.GANG_RUNNING);
    }
  }

  @Test
  public void shouldStopWhileTheMasterStarts() throws Exception {
    try (TonyCommand tony = submitTooLarge()) {
      tony.await("submitted to queue");
      String application = terminated(tony);
      assertStoppedBefore(application, JobEvent.Type.TASK_STARTED);
    }
  }

  /** A gang for which the cluster has no room: it cannot run before it is stopped. */
  private TonyCommand submitTooLarge() throws Exception {
    return submit(
        "-executes", "sleep 5151",
        "-conf", "tony.worker.instances=9",
        "-conf", "tony.worker.memory=3g");
  }

  @Test
  public void shouldSubmitNothingWhenStoppedBefore() throws Exception {
    int before = applications();
    // It takes hours to read the file that is shipped: the client is between checks and submission.
    Path status = folder.getRoot().toPath().resolve("status");
    try (RandomAccessFile endless =
        new RandomAccessFile(folder.getRoot().toPath().resolve("endless").toFile(), "rw")) {
      endless.setLength(1L << 40); // all of it is a hole
    }
    try (TonyCommand tony =
        submit(
            "-executes", "sleep 5151",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.containers.resources=endless",
            "-status_file", status.toString())) {
      while (stagingFolders().isEmpty()) {
        Thread.sleep(50); // HDFS has no event for a new folder
      }
      tony.terminate();
      tony.assertExit(143);
      assertFalse(tony.text(), tony.text().contains("application_"));
    }
    assertEquals(before, applications());
    assertEquals(List.of(), stagingFolders());
    assertFalse("it names an application that YARN never saw", Files.exists(status));
  }

  @Test
  public void shouldGiveAProgramItsGraceAndThenEndIt() throws Exception {
    Path ready = folder.getRoot().toPath().resolve("ready-");
    try (TonyCommand tony =
        submit(
            "-executes",
            "trap 'echo saving >&2; sleep 0.3; echo saved >&2; exit 0' TERM;"
                + " if [ $TASK_INDEX = 1 ]; then trap '' TERM; fi; touch "
                + ready
                + "$TASK_INDEX; sleep 5151 & while :; do wait; done",
            "-conf",
            "tony.worker.instances=2",
            "-conf",
            "tony.task.stop-grace-ms=5000")) {
      tony.await("2/2 tasks running");
      // A program runs, by its executor, a moment before it has set its traps.
      awaitFile(ready + "0");
      awaitFile(ready + "1");
      String application = terminated(tony);
      assertTrue(log(application, "worker:0", "stderr").contains("saving\nsaved\n"));
    }
  }

  private static void awaitFile(String name) throws Exception {
    while (!Files.exists(Path.of(name))) {
      Thread.sleep(10);
    }
  }

  @Test
  public void shouldKillByIdAndTellTheFollowingClient() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "sleep 5151",
            "-conf", "tony.history.url=http://history.example",
            "-conf", "tony.worker.instances=1")) {
      tony.await("1/1 tasks running");
      try (TonyCommand kill = tony("kill", tony.application())) {
        kill.assertExit(0);
        assertTrue(kill.text(), kill.text().contains(tony.application() + " is KILLED"));
      }
      String link = report(tony.application()).getOriginalTrackingUrl();
      assertTrue(link, link.endsWith("/cluster/app/" + tony.application()));
      assertNoProcessIsLeft();
      tony.assertExit(4);
      assertTrue(tony.text(), tony.text().contains("stopped by tony kill"));
    }
  }

  /** The client that kills it knows no options of the job. */
  @Test
  public void shouldGiveAProgramTheGraceOfItsJobWhoeverKillsIt() throws Exception {
    Path ready = folder.getRoot().toPath().resolve("ready");
    try (TonyCommand tony =
        submit(
            "-executes",
            "trap 'sleep 12; echo saved >&2; exit 0' TERM; touch "
                + ready
                + "; sleep 5151 & while :; do wait; done",
            "-conf",
            "tony.worker.instances=1",
            "-conf",
            "tony.task.stop-grace-ms=40000")) {
      awaitFile(ready.toString());
      try (TonyCommand kill = tony("kill", tony.application())) {
        kill.assertExit(0);
        assertTrue(kill.text(), kill.lines().contains("asked the programs to end, up to 40 s"));
      }
      assertNoProcessIsLeft();
      tony.assertExit(4);
      assertTrue(log(tony.application(), "worker:0", "stderr").contains("saved"));
    }
  }

  @Test
  public void shouldEndWhatIsFollowedForAStarterAndNotWhatAPersonFollows() throws Exception {
    Path status = folder.getRoot().toPath().resolve("status");
    try (TonyCommand tony = submit("-executes", "sleep 5151", "-conf", "tony.worker.instances=1")) {
      tony.await("1/1 tasks running");
      String application = tony.application();
      try (TonyCommand person = tony("follow", application)) {
        person.await("1/1 tasks running");
        person.terminate();
        person.assertExit(6);
        person.await(application + " goes on without this client");
      }
      assertEquals(YarnApplicationState.RUNNING, report(application).getYarnApplicationState());
      try (TonyCommand second = tony("follow", application, "-status_file", status.toString())) {
        second.await("1/1 tasks running");
        terminated(second);
      }
      tony.assertExit(4);
    }
  }

  /** The phase had not come when the stop did, if there was an ApplicationMaster to stop. */
  private static void assertStoppedBefore(String application, JobEvent.Type phase)
      throws Exception {
    assertEquals(List.of(), events(application, phase));
  }

  private static String terminated(TonyCommand tony) throws Exception {
    tony.terminate();
    tony.assertExit(143);
    assertNoProcessIsLeft();
    String application = tony.application();
    assertEquals(YarnApplicationState.KILLED, report(application).getYarnApplicationState());
    assertEquals(List.of(), stagingFolders());
    return application;
  }

  private static void assertNoProcessIsLeft() {
    for (String what : List.of("sleep 5151", "io.tony.executor.TaskExecutor")) {
      assertEquals(
          List.of(), processes(what).stream().map(p -> p.info().commandLine().orElse("")).toList());
    }
    assertEquals(0, masters("").count());
  }
}
