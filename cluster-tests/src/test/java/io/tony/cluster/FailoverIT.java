package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Test;

/** SIGKILL to the ApplicationMaster while the gang trains: the next one takes the tasks over. */
public class FailoverIT extends ClusterTest {
  private static final String LOST = "is lost; YARN starts another, the tasks train on";

  /** Two tasks that run until the file is there. */
  private TonyCommand waitsFor(Path file, String... arguments) throws Exception {
    String[] all =
        Stream.concat(
                Stream.of(
                    "-executes",
                    "echo $$ > "
                        + folder.getRoot()
                        + "/program-$TASK_INDEX; while [ ! -e "
                        + file
                        + " ]; do sleep 0.1; done",
                    "-conf",
                    "tony.worker.instances=2",
                    "-conf",
                    "tony.am.max-attempts=2"),
                Arrays.stream(arguments))
            .toArray(String[]::new);
    return submit(all);
  }

  private Path go() {
    return folder.getRoot().toPath().resolve("go");
  }

  /** The process that a task's program has noted as its own. */
  private ProcessHandle program(int index) throws Exception {
    Path note = folder.getRoot().toPath().resolve("program-" + index);
    // The program runs, by its executor, a moment before it has done anything.
    while (!Files.exists(note) || !Files.readString(note).endsWith("\n")) {
      Thread.sleep(10);
    }
    return ProcessHandle.of(Long.parseLong(Files.readString(note).strip())).orElseThrow();
  }

  private Set<Long> programs() {
    return processes(".tony/command.sh").stream()
        .map(ProcessHandle::pid)
        .collect(Collectors.toSet());
  }

  @Test
  public void shouldTrainOnUnderTheNextApplicationMaster() throws Exception {
    try (TonyCommand tony = waitsFor(go())) {
      tony.await("2/2 tasks running");
      ProcessHandle first = program(0);
      ProcessHandle second = program(1);

      killMaster();
      tony.await(LOST);
      tony.awaitTakeover(2);

      assertTrue(first.isAlive() && second.isAlive());
      assertEquals("not started again", List.of(first, second), List.of(program(0), program(1)));
      write("go", "");
      tony.assertExit(0);
      String application = tony.application();
      assertEquals(tony.text(), 1, count(tony.lines(), LOST));
      assertEquals(tony.text(), 1, count(tony.lines(), "2/2 tasks running"));
      assertEquals(2, events(application, JobEvent.Type.AM_STARTED).size());
      assertEquals(List.of(), events(application, JobEvent.Type.GANG_RESTARTED));
      assertEquals(2, events(application, JobEvent.Type.TASK_SUCCEEDED).size());
      assertEquals(2, report(application).getCurrentApplicationAttemptId().getAttemptId());
      assertEquals(
          FinalApplicationStatus.SUCCEEDED, report(application).getFinalApplicationStatus());
    }
    assertEquals(Set.of(), programs());
  }

  private static long count(List<String> lines, String text) {
    return lines.stream().filter(line -> line.contains(text)).count();
  }

  /** One worker has its container; for the other there is no room until another job has ended. */
  @Test
  public void shouldAskForWhatIsMissingWhenItIsKilledWhileItAllocates() throws Exception {
    Path room = folder.getRoot().toPath().resolve("room");
    try (TonyCommand other =
        submit(
            "-executes", "until [ -e '" + room + "' ]; do sleep 0.1; done",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.worker.memory=3840m")) {
      other.await("1/1 tasks running");
      try (TonyCommand tony = waitsFor(go(), "-conf", "tony.worker.memory=3g", "-events")) {
        tony.await("\"TASK_REGISTERED\"");
        killMaster(tony.application());
        assertEquals(1, events(tony.application(), JobEvent.Type.TASK_ALLOCATED).size());
        tony.await("ApplicationMaster is up on", 2);
        write("room", "");
        other.assertExit(0);
        tony.await("2/2 tasks running");
        write("go", "");
        tony.assertExit(0);

        String application = tony.application();
        assertEquals(2, events(application, JobEvent.Type.AM_STARTED).size());
        assertEquals(2, events(application, JobEvent.Type.TASK_ALLOCATED).size());
        assertEquals(List.of(), events(application, JobEvent.Type.TASK_FAILED));
        assertEquals(2, events(application, JobEvent.Type.TASK_SUCCEEDED).size());
      }
    }
    assertEquals(Set.of(), programs());
  }

  @Test
  public void shouldCancelBetweenTwoApplicationMasters() throws Exception {
    try (TonyCommand tony = waitsFor(go())) {
      tony.await("2/2 tasks running");
      killMaster();
      Instant cancelled = Instant.now();
      tony.terminate();
      tony.assertExit(143);
      List<JobEvent> masters = events(tony.application(), JobEvent.Type.AM_STARTED);
      assertTrue("one was lost", masters.get(0).time().isBefore(cancelled));
      assertTrue(
          "no next one yet: " + masters,
          masters.stream().skip(1).allMatch(next -> next.time().isAfter(cancelled)));

      assertEquals(
          YarnApplicationState.KILLED, report(tony.application()).getYarnApplicationState());
      assertEquals(List.of(), stagingFolders());
    }
    // Nobody but YARN may be there to end them, in its own time: nothingIsLeft waits for that.
  }

  @Test
  public void shouldEndWhenNoApplicationMasterIsLeftToTry() throws Exception {
    try (TonyCommand tony = waitsFor(go())) {
      tony.await("2/2 tasks running");
      killMaster();
      tony.awaitTakeover(2);
      killMaster();
      tony.assertExit(3);

      assertTrue(tony.text(), tony.text().contains("(AM_LOST): the ApplicationMaster was lost"));
      assertTrue(tony.text(), tony.text().contains("2 were tried"));
      assertEquals(tony.text(), 1, count(tony.lines(), LOST));
    }
    assertEquals(List.of(), cluster().awaitIdle(IDLE_WITHIN));
    assertEquals(Set.of(), programs());
  }

  /**
   * The first one has recorded the end, and waits for a client to kill the application in YARN. The
   * next one finds a job that is over.
   */
  @Test
  public void shouldEndAsRecordedWhenTheApplicationMasterIsLostAfterTheEnd() throws Exception {
    try (TonyCommand tony =
        waitsFor(
            go(),
            "-conf",
            "tony.application.client-lost-timeout=1000",
            "-conf",
            "tony.am.wait-client-signal-stop-timeout-sec=10")) {
      tony.await("2/2 tasks running");
      String application = tony.application();
      ProcessHandle master = master(application);
      tony.kill();
      while (events(application, JobEvent.Type.JOB_FINISHED).isEmpty()) {
        Thread.sleep(50); // within the test's limit: nobody is told of it
      }
      Thread.sleep(500); // whoever tidies up before YARN knows the end has done so by then
      assertEquals("the next one needs it", List.of(application), stagingFolders());
      assertTrue("it is gone already", master.destroyForcibly());

      assertEquals(List.of(), cluster().awaitIdle(IDLE_WITHIN));
      assertEquals(2, report(application).getCurrentApplicationAttemptId().getAttemptId());
      assertEquals(FinalApplicationStatus.KILLED, report(application).getFinalApplicationStatus());
      List<JobEvent> events = events(application);
      JobEvent last = events.get(events.size() - 1);
      assertEquals(events.toString(), JobEvent.Type.JOB_FINISHED, last.type());
      assertEquals("KILLED", last.detail("status"));
      assertEquals(1, events(application, JobEvent.Type.JOB_FINISHED).size());
    }
    assertEquals(Set.of(), programs());
  }

  /** As after a night in which the client's machine was restarted: the whole log is one story. */
  @Test
  public void shouldTellALaterClientTheWholeStory() throws Exception {
    String[] step = {
      "-conf", "tony.azkaban.project=recommender",
      "-conf", "tony.azkaban.flow=nightly",
      "-conf", "tony.azkaban.execution=4712",
      "-conf", "tony.azkaban.job=failover"
    };
    try (TonyCommand first = waitsFor(go(), step)) {
      first.await("2/2 tasks running");
      first.kill();
      killMaster();
      try (TonyCommand second = waitsFor(go(), step)) {
        second.await("this attempt follows it");
        second.await("2/2 tasks running");
        second.awaitTakeover(2);
        write("go", "");
        second.assertExit(0);
        assertEquals(second.text(), 1, count(second.lines(), "attempt 1"));
      }
    }
    assertEquals(Set.of(), programs());
  }
}
