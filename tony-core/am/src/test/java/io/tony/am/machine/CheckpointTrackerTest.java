package io.tony.am.machine;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.DropOldCheckpoints;
import io.tony.am.machine.Action.StartTask;
import io.tony.event.CheckpointFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.SampleJob;
import io.tony.model.TaskId;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.Test;

/** What the machine makes of what is told of checkpoints. */
public class CheckpointTrackerTest {
  private static final Instant NOW = Instant.parse("2026-11-24T03:00:00Z");

  static String set(int session, long number) {
    return String.format("1700000000000_0000000012_%06d-%012d", session, number);
  }

  static CheckpointFact.CheckpointSaved kept(String task, int session, long number, int tasks) {
    return kept(task, session, number, tasks, null);
  }

  /** By a program that was asked then; null for never. */
  static CheckpointFact.CheckpointSaved kept(
      String task, int session, long number, int tasks, Instant asked) {
    return new CheckpointFact.CheckpointSaved(
        TaskId.parse(task),
        set(session, number),
        number,
        true,
        tasks,
        false,
        10,
        5,
        NOW,
        "model",
        "/kept",
        asked);
  }

  private static CheckpointFact.ResumeDecision resumes(int session, long number) {
    return CheckpointFact.ResumeDecision.from(
        null,
        new CheckpointFact.SourceCheckpoint(
            set(session, number), number, true, NOW, "application_1_0012", "", "/kept"));
  }

  private static List<Action> told(Scenario job, CheckpointFact fact) {
    return job.happens(new Event.CheckpointReported(NOW, fact));
  }

  private static List<Action> chosen(
      Scenario job, int session, CheckpointFact.ResumeDecision fact) {
    return job.happens(new Event.ResumePointChosen(NOW, session, fact));
  }

  private static SampleJob workers(int count) {
    return job().workers(count).retries(5, 5, 5);
  }

  private static List<String> whole(Scenario job) {
    return job.facts(JobEvent.Type.TASK_CHECKPOINT).stream()
        .filter(event -> event.detail("whole").equals("true"))
        .map(event -> event.task() + " " + event.detail("number"))
        .toList();
  }

  @Test
  public void shouldKnowASetAsWholeWithItsLastTask() {
    Scenario job = Scenario.running(workers(3));

    assertEquals(List.of(), told(job, kept("worker:2", 0, 10, 3)));
    assertEquals(List.of(), told(job, kept("worker:0", 0, 10, 3)));
    assertEquals(List.of(), told(job, kept("worker:0", 0, 20, 3)));
    assertEquals(List.of(new DropOldCheckpoints(true)), told(job, kept("worker:1", 0, 10, 3)));

    assertEquals(List.of("worker:1 10"), whole(job));
    assertEquals(4, job.facts(JobEvent.Type.TASK_CHECKPOINT).size());
    assertEquals(10, job.state().gang().checkpoints().newestNumber());
  }

  @Test
  public void shouldRecordNothingTwice() {
    Scenario job = Scenario.running(workers(2));
    told(job, kept("worker:0", 0, 10, 2));

    told(job, kept("worker:0", 0, 10, 2));
    assertEquals("a call that was repeated", List.of(), job.lastFacts());
    told(job, kept("worker:1", 0, 10, 2));
    told(job, kept("worker:1", 0, 10, 2));
    assertEquals("it is whole already", List.of(), job.lastFacts());

    assertEquals(List.of("worker:1 10"), whole(job));
  }

  @Test
  public void shouldTakeReportsOfAnEarlierAttemptAndWhileItStops() {
    Scenario job = Scenario.running(workers(1));
    job.exit("worker:0", 1);
    told(job, kept("worker:0", 0, 10, 1));
    job.stopBy("ada");

    told(job, kept("worker:0", 0, 11, 1));

    assertEquals(List.of("worker:0 10", "worker:0 11"), whole(job));
  }

  @Test
  public void shouldPassOverATaskThatTheJobDoesNotHave() {
    Scenario job = Scenario.running(workers(1));

    told(job, kept("worker:7", 0, 10, 1));
    told(job, new CheckpointFact.CheckpointNotSaved(new TaskId("evaluator", 0), "p", "why"));

    assertEquals(List.of(), job.lastFacts());
  }

  @Test
  public void shouldTellEachThatIsNotKept() {
    Scenario job = Scenario.running(workers(1));

    told(job, new CheckpointFact.CheckpointNotSaved(new TaskId("worker", 0), "out", "it is empty"));

    assertEquals("it is empty", job.lastFacts().get(0).detail("problem"));
    assertEquals(JobEvent.Type.CHECKPOINT_NOT_KEPT, job.lastFacts().get(0).type());
  }

  /** Where one task keeps none, the sets of the others must not pile up. */
  @Test
  public void shouldNotRememberSetsForEverThatDoNotBecomeWhole() {
    Scenario job = Scenario.running(workers(2));
    KeptBooks books = new KeptBooks();
    for (int step = 0; step < 1_000; step++) {
      assertEquals(
          "of those that are not waited for any more, some may go",
          step < 16 ? List.of() : List.of(new DropOldCheckpoints(false)),
          told(job, kept("worker:0", 0, step, 2)));
      JobEvent fact = job.lastFacts().get(0);
      books.note(fact);
      assertEquals("the simulation expects it, too", step >= 16, books.letOldOnesGo(fact));
    }

    assertTrue(job.state().gang().checkpoints().partialSets().size() <= 16);
    told(job, kept("worker:1", 0, 999, 2));
    assertEquals(List.of("worker:1 999"), whole(job));
    assertEquals(0, job.state().gang().checkpoints().partialSets().size());
  }

  // ---- From where a gang goes on ----

  @Test
  public void shouldRecordOnceForEachStartFromWhereItGoesOn() {
    Scenario job = Scenario.running(workers(2));
    chosen(job, 0, resumes(0, 5));
    assertEquals(1, job.lastFacts().size());
    chosen(job, 0, resumes(0, 5));
    assertEquals("told by another ApplicationMaster", List.of(), job.lastFacts());

    job.exit("worker:0", 1);
    assertNull("the next start's is open", job.state().resumedFrom());
    chosen(job, 0, resumes(0, 5));
    assertEquals("of the start before", List.of(), job.lastFacts());
    chosen(job, 1, CheckpointFact.ResumeDecision.clean(null, "it is of another code"));

    assertEquals("it is of another code", job.state().resumedFrom().cleanStartReason());
  }

  @Test
  public void shouldTellTheNextApplicationMasterFromWhereTheGangGoesOn() {
    Scenario job = Scenario.running(workers(2));
    chosen(job, 0, resumes(0, 5));
    told(job, kept("worker:0", 0, 10, 2));

    job.nextMaster("worker:0", "worker:1");

    assertEquals(resumes(0, 5), job.state().resumedFrom());
    told(job, kept("worker:1", 0, 10, 2));
    assertEquals(List.of("worker:1 10"), whole(job));
  }

  /** A task may be reading it under the next ApplicationMaster. */
  @Test
  public void shouldRememberFromWhereTasksGoOnByThemselvesUntilTheGangIsStartedAgain() {
    Scenario job = Scenario.running(workers(2));
    TaskId one = new TaskId("worker", 1);
    chosen(job, 0, CheckpointFact.ResumeDecision.from(one, resumes(0, 5).from()));
    chosen(job, 0, CheckpointFact.ResumeDecision.clean(one, "it is of another code"));

    job.nextMaster("worker:0", "worker:1");
    assertEquals(Set.of(set(0, 5)), job.state().setsResumedAlone());
    assertNull("the gang's start is another", job.state().resumedFrom());

    job.exit("worker:0", 1);
    assertEquals(Set.of(), job.state().setsResumedAlone());
  }

  @Test
  public void shouldSayOfATaskThatItStartsByItself() {
    Scenario job = Scenario.allocated(job().workers(2).each(1).retries(3, 3, 3));
    job.registerAll();
    List<StartTask> together = job.all(StartTask.class);
    assertTrue(together.stream().noneMatch(StartTask::alone));
    job.exit("worker:1", 1);
    job.registerAll();

    List<StartTask> all = job.all(StartTask.class);
    assertTrue(all.get(all.size() - 1).alone());
    Scenario served = Scenario.running(workers(1).firstComeFirstServed());
    assertTrue(served.all(StartTask.class).get(0).alone());
  }

  // ---- Retries that are in vain ----

  private static boolean failsAgain(Scenario job) {
    job.exit("worker:0", 1);
    if (job.phase() == Phase.STOPPING || job.phase() == Phase.FINISHED) {
      return false;
    }
    job.allocateAll();
    job.registerAll();
    return true;
  }

  @Test
  public void shouldCountAnewAfterANewerCheckpoint() {
    Scenario job = Scenario.running(workers(1).stopsFutileRetries());
    assertTrue(failsAgain(job));
    told(job, kept("worker:0", 1, 10, 1));
    assertTrue("it came further", failsAgain(job));
    told(job, kept("worker:0", 2, 20, 1));
    assertTrue("and further", failsAgain(job));

    assertFalse("it did not", failsAgain(job));
  }

  @Test
  public void shouldNotTakeTheSameStepOfALaterStartForANewerOne() {
    Scenario job = Scenario.running(workers(1).stopsFutileRetries());
    told(job, kept("worker:0", 0, 10, 1));
    assertTrue(failsAgain(job));
    chosen(job, 1, resumes(0, 10));
    told(job, kept("worker:0", 1, 10, 1));

    assertFalse(failsAgain(job));
  }

  @Test
  public void shouldNotCountASetThatIsNotWhole() {
    Scenario job = Scenario.running(workers(2).stopsFutileRetries());
    assertTrue(failsAgain(job));
    told(job, kept("worker:0", 1, 10, 2));

    assertFalse(failsAgain(job));
    assertEquals(FailureKind.PROGRAM, job.state().result().kind());
  }

  /** The others train on, and keep; it fails at once each time. */
  @Test
  public void shouldNotTakeWhatOthersKeepForProgressOfATaskThatStartsByItself() {
    Scenario job = Scenario.running(workers(2).each(5).stopsFutileRetries());
    int starts = failUntilItStops(job, "worker:1", "worker:0");

    assertEquals(2, starts);
  }

  @Test
  public void shouldCountAnewWhereATaskThatStartsByItselfKeepsMore() {
    Scenario job = Scenario.running(workers(2).each(5).stopsFutileRetries());
    int starts = failUntilItStops(job, "worker:0", "worker:0");

    assertTrue("all its retries: " + starts, starts > 5);
  }

  /** How often the task starts while a keeper keeps more and more. */
  private static int failUntilItStops(Scenario job, String task, String keeper) {
    int starts = 1;
    while (starts < 20) {
      told(job, kept(keeper, 0, starts, 1));
      job.exit(task, 1);
      if (job.phase() == Phase.STOPPING || job.phase() == Phase.FINISHED) {
        break;
      }
      job.allocateAll();
      job.registerAll();
      starts++;
    }
    return starts;
  }
}
