package io.tony.am.machine;

import static io.tony.am.machine.Scenario.only;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.RestartTask;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StopTask;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobLimits;
import io.tony.model.TaskKey;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** One task hangs; where the others stand is asked for, and told. */
public class HangTest {
  private static final String SILENT = "showed no sign of life for 5 s";
  private static final String READ = "read (loader.py:14)";
  private static final String REDUCE = "all_reduce (distributed_c10d.py:2501)";

  private static List<Action> hangs(Scenario job, String task, String where) {
    return job.exit(job.key(task), exit(SILENT, where));
  }

  private static Event.Exit exit(String executorMessage, String stands) {
    return new Event.Exit(
        134, "", Map.of(), executorMessage, false, false, "", "", stands, null, true);
  }

  private static List<String> told(Scenario job) {
    return job.facts(JobEvent.Type.TASK_STANDS).stream()
        .map(fact -> fact.task() + " " + fact.detail("where"))
        .toList();
  }

  @Test
  public void shouldAskTheOthersWhereTheyStandBeforeTheyStartAgain() {
    Scenario job = Scenario.running(job().workers(3).retries(1, 0));
    TaskKey before = job.key("worker:0");

    List<RestartTask> restarts = only(RestartTask.class, hangs(job, "worker:2", READ));
    assertEquals(3, restarts.size());
    assertTrue(restarts.toString(), restarts.stream().allMatch(RestartTask::dumpStacks));
    job.stands(before, REDUCE);
    job.stands(before, "told twice (a.py:1)");
    job.stands(job.key("worker:1"), "of an attempt that has not begun (a.py:1)");

    assertEquals(List.of("worker:2 " + READ, "worker:0 " + REDUCE), told(job));
    job.registerAll();
    job.stands(before, "late (a.py:1)");
    assertEquals(2, told(job).size());
  }

  @Test
  public void shouldEndTheJobWithWhereAllStand() {
    Scenario job = Scenario.running(job().workers(4).retries(0, 0));

    List<Action> actions = hangs(job, "worker:2", READ);
    List<StopTask> stops =
        only(StopTask.class, actions).stream()
            .filter(stop -> stop.key().task().index() != 2)
            .toList();
    assertEquals(3, stops.size());
    assertTrue(stops.toString(), stops.stream().allMatch(StopTask::dumpStacks));
    assertEquals(
        List.of(
            job.state()
                .job()
                .limits()
                .stopGrace()
                .plus(JobMachine.STOP_MARGIN)
                .plus(JobLimits.STACK_DUMP_TIMEOUT)),
        only(SetTimer.class, actions).stream().map(SetTimer::delay).toList());
    for (int other : new int[] {0, 1, 3}) {
      job.exit(job.key("worker:" + other), exit("", REDUCE));
    }
    job.containerEnds("worker:2", FailureKind.LOST, "it has ended");

    assertEquals(
        "worker:2: "
            + SILENT
            + "; 3 of 4 tasks hang in "
            + REDUCE
            + "; worker:2 hangs in "
            + READ
            + ": the likely cause",
        job.result().message());
  }

  @Test
  public void shouldEndWithThePlaceOfTheOnlyTask() {
    Scenario job = Scenario.running(job().workers(1).retries(0, 0));

    hangs(job, "worker:0", READ);

    assertEquals("worker:0: " + SILENT + "; worker:0 hung in " + READ, job.result().message());
  }

  @Test
  public void shouldAskNobodyWhenNothingHangs() {
    Scenario job = Scenario.running(job().workers(2).retries(1, 0));

    List<RestartTask> restarts = only(RestartTask.class, job.exit("worker:0", 1));
    assertTrue(restarts.toString(), restarts.stream().noneMatch(RestartTask::dumpStacks));
    job.registerAll();
    List<StopTask> stops = only(StopTask.class, job.exit("worker:0", 1));
    assertTrue(stops.toString(), stops.stream().noneMatch(StopTask::dumpStacks));
    assertEquals(List.of(), told(job));
  }
}
