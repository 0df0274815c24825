package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.tony.cluster.CountingProgram.Start;
import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.FileSystem;
import org.junit.Before;
import org.junit.Test;

/** What a program names is kept, and whatever starts it again goes on from there. */
public class CheckpointIT extends ClusterTest {
  private static final String CHIEF = "worker:0";
  private static final String OTHER = "worker:1";
  private static final String ALONE = "1/1 tasks running";
  private static final String BOTH = "2/2 tasks running";

  private CountingProgram program;

  @Before
  public void writeTheProgram() throws Exception {
    program = CountingProgram.in(folder.getRoot().toPath());
  }

  private TonyCommand submitCounting(String... options) throws Exception {
    List<String> arguments = new ArrayList<>();
    for (String option : options) {
      arguments.addAll(List.of("-conf", option));
    }
    return submit(program.arguments(arguments.toArray(String[]::new)));
  }

  private static ToldCheckpoints told(TonyCommand tony) {
    return new ToldCheckpoints(tony);
  }

  private static void kill(long pid) {
    assertTrue("process " + pid, ProcessHandle.of(pid).orElseThrow().destroyForcibly());
  }

  /** The program of the task's last start. */
  private static void killProgram(TonyCommand tony, String task) throws Exception {
    List<JobEvent> starts =
        events(tony.application(), JobEvent.Type.TASK_STARTED).stream()
            .filter(event -> event.task().toString().equals(task))
            .toList();
    kill(Long.parseLong(starts.get(starts.size() - 1).detail("pid")));
  }

  /** The same for each of these tasks, of which none left out a step. */
  private void assertBegan(List<Long> steps, String... tasks) throws Exception {
    for (String task : tasks) {
      List<Start> starts = program.starts(task);
      assertEquals(task, steps, starts.stream().map(Start::begin).toList());
      starts.forEach(Start::assertWentOn);
    }
  }

  private void assertLeft(TonyCommand ended, List<Long> numbers, String... tasks) throws Exception {
    try (FileSystem fs = cluster().fileSystem()) {
      KeptCheckpoints kept = KeptCheckpoints.in(fs, program.checkpointDir(CHIEF));
      kept.requireNoMoreThan(numbers.size(), ended);
      kept.assertHold(numbers, tasks);
    }
  }

  // ---- Starts of one application ----

  private enum Victim {
    PROGRAM,
    EXECUTOR
  }

  /** A program that has counted so far has named a checkpoint. */
  private static final int FIRST_NAMED = CountingProgram.EVERY + 1;

  /** Three seconds of counting at most, in which the program names thirty checkpoints. */
  private static final int LONGEST_COUNT = 150;

  /** {@code -Dtony.chaos.seed} repeats what comes from the seed of a day. */
  @Test
  public void shouldLoseNothingThatWasKeptHoweverOftenItIsKilled() throws Exception {
    long seed = Long.getLong("tony.chaos.seed", LocalDate.now(ZoneOffset.UTC).toEpochDay());
    System.out.println("-Dtony.chaos.seed=" + seed);
    Random random = new Random(seed);
    List<Victim> victims = new ArrayList<>(Collections.nCopies(3, Victim.PROGRAM));
    victims.addAll(Collections.nCopies(2, Victim.EXECUTOR));
    Collections.shuffle(victims, random);
    int starts = victims.size() + 1;
    program.tell(CHIEF, "go-on");
    try (TonyCommand tony = submitCounting("tony.worker.instances=1", "tony.gang.max-restarts=3")) {
      for (int start = 0; start < victims.size(); start++) {
        tony.await(ALONE, start + 1);
        program.awaitSteps(tony, CHIEF, start, FIRST_NAMED + random.nextInt(LONGEST_COUNT));
        switch (victims.get(start)) {
          case PROGRAM -> killProgram(tony, CHIEF);
          case EXECUTOR -> kill(executors().values().iterator().next());
        }
      }
      tony.await(ALONE, starts);
      told(tony).awaitKeptIn(starts - 1, 2);
      program.takeBack(CHIEF, "go-on");
      tony.assertExit(0);

      assertEquals(List.of(), events(tony.application(), JobEvent.Type.CHECKPOINT_NOT_KEPT));
      assertNothingLost(told(tony), victims);
      List<Long> kept = told(tony).keptSteps();
      assertLeft(tony, kept.subList(kept.size() - 2, kept.size()), CHIEF);
    } catch (AssertionError e) {
      throw new AssertionError(victims + " with -Dtony.chaos.seed=" + seed, e);
    }
  }

  /** Each start but the first comes after the end of the victim before it. */
  private void assertNothingLost(ToldCheckpoints told, List<Victim> victims) throws Exception {
    List<Start> starts = program.starts(CHIEF);
    assertEquals(starts.toString(), victims.size() + 1, starts.size());
    List<Long> begins = new ArrayList<>();
    List<Long> named = new ArrayList<>();
    for (int session = 0; session < starts.size(); session++) {
      Start start = starts.get(session);
      String what = "start " + session + " of " + starts;
      start.assertWentOn();
      assertTrue(what, start.begin() >= told.newestBefore(session));
      if (start.begin() > 0) {
        assertTrue(what, named.contains(start.begin()));
        begins.add(start.begin());
      }
      if (session > 0 && victims.get(session - 1) == Victim.PROGRAM) {
        // What it was about to name when it was killed may not be named.
        long last = named.get(named.size() - 1);
        assertTrue(what, start.begin() >= last - CountingProgram.EVERY);
      }
      named.addAll(start.named());
    }
    assertEquals(begins, told.resumedSteps());
    assertTrue(begins.toString(), begins.size() >= 3);
  }

  @Test
  public void shouldGoOnFromWhatWasKeptBeforeAndAfterAMasterWasLost() throws Exception {
    program.tell(CHIEF, "wait-after-7");
    program.tell(CHIEF, "wait-after-12");
    try (TonyCommand tony = submitCounting("tony.worker.instances=1", "tony.gang.max-restarts=1")) {
      tony.await(ALONE);
      told(tony).awaitKept(CHIEF, 5);
      killMaster();
      tony.awaitTakeover(1);
      program.takeBack(CHIEF, "wait-after-7");
      told(tony).awaitKept(CHIEF, 10);
      killProgram(tony, CHIEF);
      told(tony).awaitResumed(); // the one before would count on
      program.takeBack(CHIEF, "wait-after-12");
      tony.assertExit(0);

      assertEquals("each once", List.of(5L, 10L), told(tony).keptSteps().subList(0, 2));
      assertEquals(List.of(10L), told(tony).resumedSteps());
      assertBegan(List.of(0L, 10L), CHIEF);
    }
  }

  /** Worker 0 is far ahead of the last step of which both have kept a checkpoint. */
  @Test
  public void shouldStartAllTasksThatKeepAtTheSameStep() throws Exception {
    program.tell(OTHER, "wait-after-12");
    program.tell(CHIEF, "wait-after-31");
    program.tell(CHIEF, "fail-after-32");
    try (TonyCommand tony =
        submitCounting(
            "tony.worker.instances=2",
            "tony.gang.max-restarts=1",
            "tony.checkpoint.roles=worker")) {
      tony.await(BOTH);
      told(tony).awaitKept(CHIEF, 30);
      told(tony).awaitKept(OTHER, 10);
      program.takeBack(CHIEF, "wait-after-31");
      told(tony).awaitResumed();
      program.takeBack(OTHER, "wait-after-12");
      tony.assertExit(0);

      assertEquals(List.of(10L), told(tony).resumedSteps());
      assertBegan(List.of(0L, 10L), CHIEF, OTHER);
      assertLeft(tony, List.of(35L, 40L), CHIEF, OTHER);
    }
  }

  /** The chief waits between two checkpoints when its peer is killed. */
  @Test
  public void shouldGoOnFromWhatAProgramNamesWhileItIsEnded() throws Exception {
    program.tell(CHIEF, "name-at-the-end");
    program.tell(CHIEF, "wait-after-12");
    program.tell(OTHER, "wait-after-3");
    try (TonyCommand tony =
        submitCounting(
            "tony.worker.instances=2",
            "tony.gang.max-restarts=1",
            "tony.task.stop-grace-ms=120000")) { // for the copy, on a busy machine
      tony.await(BOTH);
      told(tony).awaitKept(CHIEF, 10);
      program.awaitSteps(tony, CHIEF, 0, 12);
      program.awaitSteps(tony, OTHER, 0, 3);
      killProgram(tony, OTHER);
      told(tony).awaitKept(CHIEF, 12);
      program.takeBack(CHIEF, "wait-after-12");
      program.takeBack(OTHER, "wait-after-3");
      tony.assertExit(0);

      assertEquals(List.of(12L), told(tony).resumedSteps());
      assertBegan(List.of(0L, 12L), CHIEF, OTHER);
      assertEquals("only the chief keeps", List.of(), program.starts(OTHER).get(1).named());
    }
  }

  // ---- Another application of the same job ----

  /** An attempt of an Azkaban job of one worker, by what the plugin tells of it. */
  private TonyCommand attempt(String job, int attempt, String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(program.arguments(more)));
    for (String option :
        List.of(
            "tony.azkaban.project=recommender",
            "tony.azkaban.flow=nightly",
            "tony.azkaban.execution=4711",
            "tony.azkaban.job=" + job,
            "tony.azkaban.attempt=" + attempt,
            "tony.worker.instances=1")) {
      arguments.addAll(List.of("-conf", option));
    }
    return submit(arguments.toArray(String[]::new));
  }

  /** The first attempt keeps steps 5 and 10, and fails. Returns its application. */
  private String failAfterStep12(String job) throws Exception {
    program.tell(CHIEF, "wait-after-7");
    program.tell(CHIEF, "fail-after-12");
    try (TonyCommand tony = attempt(job, 0)) {
      tony.await(ALONE);
      told(tony).awaitKept(CHIEF, 5);
      program.takeBack(CHIEF, "wait-after-7");
      tony.assertExit(1);
      assertEquals(List.of(5L, 10L), told(tony).keptSteps());
      assertEquals(List.of(), told(tony).resumes());
      return tony.application();
    }
  }

  @Test
  public void shouldGoOnInTheNextAttemptOfTheAzkabanJob() throws Exception {
    String first = failAfterStep12("checkpoints-next");
    Path output = folder.getRoot().toPath().resolve("output.json");
    try (TonyCommand second = attempt("checkpoints-next", 1, "-output_file", output.toString())) {
      second.assertExit(0);
      assertTrue(second.text(), second.text().contains("resumes from step 10"));
      assertEquals(List.of(10L), told(second).resumedSteps());
      assertEquals(first, told(second).resumes().get(0).detail("application"));
    }
    assertBegan(List.of(0L, 10L), CHIEF);
    String latest =
        new ObjectMapper().readTree(output.toFile()).path("tony.checkpoint.latest").asText();
    try (FileSystem fs = cluster().fileSystem()) {
      KeptCheckpoints kept = KeptCheckpoints.in(fs, program.checkpointDir(CHIEF));
      assertEquals(latest, "40", kept.at(latest));
    }
  }

  /** As in deeply embedded flows. HDFS takes 255 bytes in the name of a folder. */
  @Test
  public void shouldKeepTheCheckpointsOfAStepWithALongName() throws Exception {
    failAfterStep12("embedded:".repeat(45) + "train");
  }

  @Test
  public void shouldStartAnotherProgramCleanUnlessItIsToldTo() throws Exception {
    failAfterStep12("checkpoints-changed");
    program.tell(CHIEF, "fail-after-3"); // it keeps nothing of its own
    try (TonyCommand other = attempt("checkpoints-changed", 1, "-task_params", "other")) {
      other.assertExit(1);
      assertTrue(other.text(), other.text().contains("starts clean"));
      assertTrue(other.text(), other.text().contains("tony.checkpoint.resume=always"));
      List<JobEvent> resumes = told(other).resumes();
      assertEquals(resumes.toString(), 1, resumes.size());
      assertNotEquals("", resumes.get(0).detail("clean"));
    }
    try (TonyCommand always =
        attempt(
            "checkpoints-changed",
            2,
            "-task_params",
            "other",
            "-conf",
            "tony.checkpoint.resume=always")) {
      always.assertExit(0);
      assertEquals(List.of(10L), told(always).resumedSteps());
    }
    assertBegan(List.of(0L, 0L, 10L), CHIEF);
  }

  @Test
  public void shouldGoOnFromTheCheckpointBeforeOneThatWasChanged() throws Exception {
    failAfterStep12("checkpoints-damaged");
    try (FileSystem fs = cluster().fileSystem()) {
      KeptCheckpoints.in(fs, program.checkpointDir(CHIEF))
          .damageTheNewest(CHIEF, "step-10.txt", "99");
    }
    try (TonyCommand second =
        attempt("checkpoints-damaged", 1, "-conf", "tony.gang.max-restarts=1")) {
      second.assertExit(0);
      assertEquals(List.of(10L, 5L), told(second).resumedSteps());
      String message =
          events(second.application(), JobEvent.Type.TASK_FAILED).get(0).detail("message");
      assertTrue(message, message.contains("checkpoint"));
    }
    // No start saw what was changed.
    assertBegan(List.of(0L, 5L), CHIEF);
  }
}
