package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.cluster.CountingProgram.Start;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A queue takes back what another has borrowed of it, and says so long before. */
public class AnnouncedPreemptionIT {
  private static final String CHIEF = "worker:0";

  /** So long that only the job itself can give the container back within a test. */
  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster("mini-announced", PreemptionIT.settings(Duration.ofHours(1)));

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  private TonyCommand submit(String... arguments) throws Exception {
    return cluster.submit(folder.getRoot().toPath(), arguments);
  }

  /** Two workers that take a node each; nothing may be tried again. */
  private TonyCommand borrower(CountingProgram program, String... more) throws Exception {
    List<String> options =
        new ArrayList<>(
            List.of(
                "-conf", "tony.worker.instances=2",
                "-conf", "tony.worker.memory=3g",
                "-conf", "tony.checkpoint.request-timeout=1h",
                "-conf", "tony.gang.max-restarts=0",
                "-conf", "tony.gang.max-lost-restarts=0",
                "-conf", "tony.gang.max-preempted-restarts=0"));
    options.addAll(List.of(more));
    return submit(program.arguments(options.toArray(String[]::new)));
  }

  @Test
  public void shouldLoseNothingWhenTheProgramsAnswerTheAnnouncement() throws Exception {
    CountingProgram program = CountingProgram.in(folder.getRoot().toPath());
    program.tell(CHIEF, "go-on");
    program.tell("worker:1", "go-on");
    try (TonyCommand borrower = borrower(program)) {
      program.awaitSteps(borrower, CHIEF, 0, 1);
      try (TonyCommand owner = owner("true")) {
        owner.assertExit(0);
      }
      program.awaitSteps(borrower, CHIEF, 1, 1);
      program.takeBack(CHIEF, "go-on");
      program.takeBack("worker:1", "go-on");
      borrower.assertExit(0);

      assertGivenBackOnce(borrower.application());
      assertWentOn(program, borrower.application());
    }
  }

  /** At nobody's expense: nothing may be tried again. */
  @Test
  public void shouldGoOnWithFewerTasksAndGrowWhenThereIsRoomAgain() throws Exception {
    CountingProgram program = CountingProgram.in(folder.getRoot().toPath());
    Path gone = folder.getRoot().toPath().resolve("gone");
    program.tell(CHIEF, "go-on");
    program.tell("worker:1", "go-on");
    try (TonyCommand borrower =
        borrower(
            program,
            "-conf",
            "tony.worker.min-instances=1",
            "-conf",
            "tony.elastic.grow-interval=2s")) {
      program.awaitSteps(borrower, CHIEF, 0, 1);
      try (TonyCommand owner = owner(until(gone))) {
        owner.await("1/1 tasks running");
        program.awaitSteps(borrower, CHIEF, 1, 10);
        Files.createFile(gone);
        owner.assertExit(0);
      }
      program.awaitSteps(borrower, CHIEF, 2, 1);
      program.takeBack(CHIEF, "go-on");
      program.takeBack("worker:1", "go-on");
      borrower.assertExit(0);

      String application = borrower.application();
      assertEquals(List.of("2 to 1", "1 to 2"), sizes(application));
      assertEquals(
          List.of("PREEMPTED nobody", "RESIZED nobody"),
          cluster.events(application, JobEvent.Type.GANG_RESTARTED).stream()
              .map(event -> event.detail("kind") + " " + event.detail("charged"))
              .toList());
      assertEquals(List.of(), cluster.events(application, JobEvent.Type.TASK_FAILED));
      assertEquals(2, cluster.events(application, JobEvent.Type.TASK_SUCCEEDED).size());
      List<Start> starts = program.starts(CHIEF);
      assertEquals(starts.toString(), 3, starts.size());
      starts.forEach(Start::assertWentOn);
      for (int start = 1; start < 3; start++) {
        Start before = starts.get(start - 1);
        long begin = starts.get(start).begin();
        assertTrue(begin + " of " + before, before.named().contains(begin));
      }
      assertEquals(
          "each began with as many as there were", List.of(2L, 1L, 2L), sizesSeen(program));
    }
  }

  @Test
  public void shouldLetATaskJoinWhenThereIsRoomForIt() throws Exception {
    CountingProgram program = CountingProgram.in(folder.getRoot().toPath());
    program.tell(CHIEF, "go-on");
    program.tell("worker:1", "go-on");
    Path gone = folder.getRoot().toPath().resolve("gone");
    try (TonyCommand owner = owner(until(gone));
        TonyCommand joined =
            borrowerAfter(
                owner,
                program,
                "-conf",
                "tony.worker.min-instances=1",
                "-conf",
                "tony.elastic.live-resize=true",
                "-conf",
                "tony.application.framework=generic",
                "-conf",
                "tony.elastic.wait-timeout=2s",
                "-conf",
                "tony.elastic.grow-interval=1s")) {
      program.awaitSteps(joined, CHIEF, 0, 1);
      Files.createFile(gone);
      owner.assertExit(0);
      program.awaitSteps(joined, "worker:1", 0, 1);
      program.takeBack(CHIEF, "go-on");
      program.takeBack("worker:1", "go-on");
      joined.assertExit(0);

      String application = joined.application();
      assertEquals(List.of("2 to 1", "1 to 2"), sizes(application));
      assertEquals(List.of(), cluster.events(application, JobEvent.Type.GANG_RESTARTED));
      assertEquals(List.of(), cluster.events(application, JobEvent.Type.GANG_GROWS));
      assertEquals("it ran on", List.of(1L), sizesSeen(program));
      assertEquals(2, program.starts("worker:1").get(0).tasks());
      assertEquals(2, cluster.events(application, JobEvent.Type.TASK_SUCCEEDED).size());
    }
  }

  /** A job of the queue that is entitled to what others have borrowed. */
  private TonyCommand owner(String program) throws Exception {
    return submit(
        "-executes", program,
        "-conf", "tony.yarn.queue=urgent",
        "-conf", "tony.worker.instances=1",
        "-conf", "tony.worker.memory=3g");
  }

  private static String until(Path exists) {
    return "until [ -e '" + exists + "' ]; do sleep 0.1; done";
  }

  private TonyCommand borrowerAfter(TonyCommand owner, CountingProgram program, String... more)
      throws Exception {
    owner.await("1/1 tasks running");
    return borrower(program, more);
  }

  private static List<String> sizes(String application) throws Exception {
    return cluster.events(application, JobEvent.Type.GANG_RESIZED).stream()
        .map(event -> event.detail("from") + " to " + event.detail("instances"))
        .toList();
  }

  /** By the programs' environment. */
  private static List<Long> sizesSeen(CountingProgram program) throws Exception {
    return program.starts(CHIEF).stream().map(Start::tasks).toList();
  }

  @Test
  public void shouldStartWithFewerTasksWhenThereIsNoRoomForMore() throws Exception {
    CountingProgram program = CountingProgram.in(folder.getRoot().toPath());
    Path gone = folder.getRoot().toPath().resolve("gone");
    try (TonyCommand owner = owner(until(gone))) {
      owner.await("1/1 tasks running");
      try (TonyCommand second =
          borrower(
              program,
              "-conf",
              "tony.worker.min-instances=1",
              "-conf",
              "tony.elastic.wait-timeout=2s")) {
        second.assertExit(0);
        assertEquals(List.of("2 to 1"), sizes(second.application()));
        assertEquals(List.of(1L), sizesSeen(program));
      }
      Files.createFile(gone);
      owner.assertExit(0);
    }
  }

  private static void assertGivenBackOnce(String application) throws Exception {
    List<JobEvent> announced = cluster.events(application, JobEvent.Type.PREEMPTION_ANNOUNCED);
    assertEquals(announced.toString(), 1, announced.size());
    TaskId going = announced.get(0).task();
    List<JobEvent> restarts = cluster.events(application, JobEvent.Type.GANG_RESTARTED);
    assertEquals(restarts.toString(), 1, restarts.size());
    JobEvent restart = restarts.get(0);
    assertEquals(going, restart.task());
    assertEquals("PREEMPTED", restart.detail("kind"));
    assertEquals("nobody", restart.detail("charged"));
    assertEquals("1", restart.detail("kept"));
    List<JobEvent> allocations = cluster.events(application, JobEvent.Type.TASK_ALLOCATED);
    assertEquals(allocations.toString(), 3, allocations.size());
    assertEquals(going, allocations.get(2).task());
    assertEquals(List.of(), cluster.events(application, JobEvent.Type.TASK_FAILED));
  }

  /** From the checkpoint that answered the announcement; the chief keeps them. */
  private static void assertWentOn(CountingProgram program, String application) throws Exception {
    long answer =
        cluster.events(application, JobEvent.Type.TASK_CHECKPOINT).stream()
            .filter(event -> !event.detail("asked").isEmpty())
            .mapToLong(ToldCheckpoints::number)
            .findFirst()
            .orElseThrow();
    List<Start> starts = program.starts(CHIEF);
    assertEquals(starts.toString(), 2, starts.size());
    starts.forEach(Start::assertWentOn);
    assertTrue(starts.toString(), starts.get(0).named().contains(answer));
    assertTrue(answer + " or a later one: " + starts, starts.get(1).begin() >= answer);
    assertEquals(
        starts.get(1).begin(),
        ToldCheckpoints.number(cluster.events(application, JobEvent.Type.GANG_RESUMES).get(0)));
  }
}
