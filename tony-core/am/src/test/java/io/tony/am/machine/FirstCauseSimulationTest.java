package io.tony.am.machine;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.event.RootCause;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.Test;

/**
 * Gangs in which one task fails and the others fail because of it, reported in any order, some of
 * them twice, with an ApplicationMaster that may be lost between two reports. What is named is what
 * was first, and the budget of its kind has paid for it.
 */
public class FirstCauseSimulationTest {
  private static final int GANGS = 3_000;
  private static final int TASKS = 5;
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  private record Report(String task, Event event, boolean first) {}

  private int restarts;
  private int ends;

  @Test
  public void shouldNameTheFirstCauseInWhateverOrderTheReportsCome() {
    for (long seed = 0; seed < GANGS; seed++) {
      try {
        live(new Random(seed));
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertTrue(restarts + " restarts", restarts > GANGS / 4);
    assertTrue(ends + " ends", ends > GANGS / 8);
  }

  private void live(Random random) {
    boolean retry = random.nextInt(3) > 0;
    Scenario job = Scenario.running(job().workers(TASKS).retries(retry ? 1 : 0, 1));
    FailureKind kind = random.nextBoolean() ? FailureKind.PROGRAM : FailureKind.LOST;
    boolean ends = !retry && kind == FailureKind.PROGRAM;
    RetryBudget before = job.state().budget();
    List<Report> reports = reports(job, kind, retry, random);
    for (Report report : reports) {
      if (random.nextInt(8) == 0 && job.phase() != Phase.FINISHED) {
        job.nextMaster(containers(job));
      }
      job.happens(report.event());
      if (random.nextInt(6) == 0) {
        job.happens(report.event());
      }
    }
    if (ends) {
      this.ends++;
      assertEquals(Phase.FINISHED, job.phase());
      assertEquals(new TaskId("worker", 0), job.state().result().task());
      return;
    }
    restarts++;
    job.allocateAll();
    job.registerAll();
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(spent(before, kind), job.state().budget());
    List<RootCause> causes =
        job.facts(JobEvent.Type.FIRST_CAUSE).stream().map(RootCause::of).toList();
    assertTrue(causes.size() + " facts", causes.size() <= 3);
    boolean told = reports.get(0).first() && causes.isEmpty();
    assertTrue(
        "named are " + causes,
        told || causes.stream().allMatch(cause -> cause.task().equals(new TaskId("worker", 0))));
    assertTrue(reports.get(0).first() || !causes.isEmpty());
  }

  private static RetryBudget spent(RetryBudget before, FailureKind kind) {
    return before.withRemaining(kind, before.remaining(kind) - 1);
  }

  /** Where no retry is left, no program is told to end before the first cause is reported. */
  private static List<Report> reports(
      Scenario job, FailureKind kind, boolean retry, Random random) {
    List<Report> reports = new ArrayList<>();
    for (int index = 1; index < TASKS; index++) {
      TaskKey key = job.key("worker:" + index);
      boolean byItself = !retry || random.nextInt(3) > 0;
      String words = byItself ? "Connection reset by peer" : "Terminated";
      reports.add(
          new Report(key.toString(), exited(key, byItself ? 1 : 143, words, byItself), false));
    }
    TaskKey first = job.key("worker:0");
    Event cause =
        kind == FailureKind.PROGRAM
            ? exited(first, random.nextBoolean() ? 139 : 1, "ValueError: nan", true)
            : new Event.ContainerEnded(NOON, first, kind, "gone");
    reports.add(new Report(first.toString(), cause, true));
    do {
      Collections.shuffle(reports, random);
      // What the master ended itself is not what it heard of first.
    } while (reports.get(0).event() instanceof Event.TaskExited exit && !exit.exit().byItself());
    return reports;
  }

  private static Event.TaskExited exited(TaskKey key, int code, String words, boolean byItself) {
    Event.Exit exit =
        new Event.Exit(code, words, Map.of(), "", false, false, "", "", null, NOON, byItself);
    return new Event.TaskExited(NOON, key, exit);
  }

  private static Set<String> containers(Scenario job) {
    return job.state().tasks().stream()
        .filter(task -> task.state().holdsContainer())
        .map(Task::container)
        .collect(Collectors.toCollection(HashSet::new));
  }
}
