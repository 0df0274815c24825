package io.tony.am.machine;

import static io.tony.am.machine.Scenario.containersStopped;
import static io.tony.am.machine.Scenario.only;
import static io.tony.am.machine.Scenario.requested;
import static io.tony.am.machine.Scenario.started;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.SetTimer;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

/** Tasks that a running gang goes on without: sidecars, and tasks of a role that is excused. */
public class SidecarTest {
  private static final RetryBudget UNTOUCHED = new RetryBudget(1, 1, 1);

  private static SampleJob workers(int retriesOfSidecar) {
    return job()
        .workers(2)
        .role("tensorboard", 1, Supervision.SIDECAR)
        .each(retriesOfSidecar)
        .retries(1, 1, 1)
        .allocationLimit(Duration.ofMinutes(5))
        .registrationLimit(Duration.ofMinutes(15));
  }

  private static void assertTheOthersRunOn(Scenario job) {
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(0, job.state().session());
    assertEquals(UNTOUCHED, job.state().budget());
    assertEquals(2, job.state().tasks().count("worker", TaskState.RUNNING));
  }

  private static List<Action> late(Scenario job) {
    job.pass(Duration.ofMinutes(15));
    return job.fires(Timer.REGISTRATION);
  }

  @Test
  public void shouldGoOnWithoutASidecarThatDoesNotRegisterAgain() {
    Scenario job = Scenario.running(workers(1));
    job.containerEnds("tensorboard:0", FailureKind.LOST, "its node is lost");
    job.allocate("tensorboard");

    List<Action> late = late(job);

    assertTheOthersRunOn(job);
    assertEquals(TaskState.FAILED, job.stateOf("tensorboard:0"));
    assertEquals("it may not listen", List.of("tensorboard:0"), containersStopped(late));
  }

  /** No option is needed for this one. */
  @Test
  public void shouldGoOnWithoutASidecarThatYarnTookWithAMasterAndThatDoesNotRegisterAgain() {
    Scenario job = Scenario.running(workers(0));
    job.nextMaster(
        Set.of(job.key("worker:0").container(), job.key("worker:1").container()),
        Map.of(
            job.key("tensorboard:0").container(),
            new Event.ContainerEnd(FailureKind.AM_LOST, "taken with it")));
    job.allocate("tensorboard");
    assertEquals(TaskState.LAUNCHING, job.stateOf("tensorboard:0"));

    late(job);

    assertTheOthersRunOn(job);
  }

  @Test
  public void shouldNotLimitTheWaitForASidecarsContainer() {
    Scenario job = Scenario.running(workers(1));

    List<Action> lost = job.containerEnds("tensorboard:0", FailureKind.LOST, "its node is lost");
    job.fires(Timer.ALLOCATION);

    assertEquals(List.of("tensorboard 1"), requested(lost));
    assertEquals(
        List.of(),
        only(SetTimer.class, lost).stream()
            .filter(set -> set.timer().equals(Timer.ALLOCATION))
            .toList());
    assertTheOthersRunOn(job);
  }

  /** Its role pays as long as it can; never the job. */
  @Test
  public void shouldChargeTheJobForNoSidecarThatIsLostBeforeItRegisters() {
    Scenario job = Scenario.running(workers(2));
    job.containerEnds("tensorboard:0", FailureKind.PREEMPTED, "taken");
    job.allocate("tensorboard");

    List<Action> again = job.containerEnds("tensorboard:0", FailureKind.LOST, "its node is lost");

    assertEquals(List.of("tensorboard 1"), requested(again));
    assertEquals("role", job.facts(JobEvent.Type.TASK_RESTARTED).get(1).detail("charged"));
    assertTheOthersRunOn(job);
    job.allocate("tensorboard");
    job.containerEnds("tensorboard:0", FailureKind.LOST, "its node is lost");
    assertTheOthersRunOn(job);
    assertEquals("its retries are spent", TaskState.FAILED, job.stateOf("tensorboard:0"));
  }

  @Test
  public void shouldGoOnWithoutATaskOfAnExcusedRoleThatStartsAgain() {
    Scenario job =
        Scenario.running(
            job()
                .workers(1)
                .role("evaluator", 1, Supervision.TRACKED)
                .each(1)
                .role("export", 1, Supervision.TRACKED)
                .groupTimeout("evaluator", Duration.ofMinutes(10), true, "worker")
                .registrationLimit(Duration.ofMinutes(15)));
    job.exit("worker:0", 0);
    job.fires(Timer.group(0));
    job.containerEnds("evaluator:0", FailureKind.LOST, "its node is lost");
    job.allocate("evaluator");

    late(job);

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(TaskState.RUNNING, job.stateOf("export:0"));
  }

  /** A wave of two roles that wait for the workers, of which one may take so long. */
  private static SampleJob wave() {
    return job()
        .workers(1)
        .role("evaluator", 1, Supervision.TRACKED)
        .after("worker")
        .role("export", 1, Supervision.TRACKED)
        .after("worker")
        .groupTimeout("evaluator", Duration.ofMinutes(10), true, "worker");
  }

  @Test
  public void shouldNotWaitForTheContainerOfARoleThatIsExcused() {
    Scenario job = Scenario.running(wave().allocationLimit(Duration.ofMinutes(30)));
    job.exit("worker:0", 0);
    job.allocate("export");
    job.register("export:0");

    List<Action> excused = job.fires(Timer.group(0));

    assertEquals(List.of("export:0"), started(excused));
    assertEquals(1, only(CancelRequests.class, excused).size());
    assertTrue(excused.contains(new CancelTimer(Timer.ALLOCATION)));
    assertTrue(excused.contains(new CancelTimer(Timer.PARTIAL_ALLOCATION)));
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(TaskState.STOPPED, job.stateOf("evaluator:0"));
  }

  @Test
  public void shouldNotWaitForTheExecutorOfARoleThatIsExcused() {
    Scenario job = Scenario.running(wave().registrationLimit(Duration.ofMinutes(15)));
    job.exit("worker:0", 0);
    job.allocate("export");
    job.register("export:0");
    job.allocate("evaluator");

    List<Action> excused = job.fires(Timer.group(0));

    assertEquals(List.of("evaluator:0"), containersStopped(excused));
    assertEquals(List.of("export:0"), started(excused));
    assertTrue(excused.contains(new CancelTimer(Timer.REGISTRATION)));
    job.containerEnds("evaluator:0", FailureKind.PREEMPTED, "taken");
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(TaskState.STOPPED, job.stateOf("evaluator:0"));
  }

  @Test
  public void shouldNotAskForARoleThatWasExcusedWhileItWaited() {
    Scenario job =
        Scenario.running(
            job()
                .workers(1)
                .role("prep", 1, Supervision.TRACKED)
                .role("trainer", 1, Supervision.TRACKED)
                .role("evaluator", 1, Supervision.TRACKED)
                .after("prep")
                .groupTimeout("evaluator", Duration.ofMinutes(10), true, "worker"));
    job.exit("worker:0", 0);
    job.fires(Timer.group(0));

    assertEquals(List.of(), requested(job.exit("prep:0", 0)));

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(TaskState.STOPPED, job.stateOf("evaluator:0"));
  }

  /** Neither its executor nor its container is waited for. */
  @Test
  public void shouldStartAStageWithoutATaskOfAnExcusedRoleThatStartsAgain() {
    Scenario job =
        Scenario.running(
            job()
                .workers(1)
                .role("prep", 1, Supervision.TRACKED)
                .role("evaluator", 1, Supervision.TRACKED)
                .each(2)
                .role("export", 2, Supervision.TRACKED)
                .after("prep")
                .groupTimeout("evaluator", Duration.ofMinutes(10), true, "worker")
                .allocationLimit(Duration.ofMinutes(5)));
    job.exit("worker:0", 0);
    job.fires(Timer.group(0));
    job.exit("prep:0", 0);
    job.allocate("export", 2);
    job.exit("evaluator:0", 1);
    job.register("export:0");
    List<Action> lost = job.containerEnds("evaluator:0", FailureKind.LOST, "its node is lost");
    assertEquals(List.of("evaluator 1"), requested(lost));
    assertEquals(Phase.REGISTERING, job.phase());

    job.fires(Timer.ALLOCATION);

    assertEquals(List.of("export:0", "export:1"), started(job.register("export:1")));
    assertEquals(Phase.RUNNING, job.phase());
  }

  /** It has given back what it had, and nothing else is asked for again. */
  @Test
  public void shouldGoOnWithoutAnExcusedRoleThatBacksOff() {
    Scenario job =
        Scenario.running(
            job()
                .workers(1)
                .role("trainer", 1, Supervision.TRACKED)
                .role("evaluator", 2, Supervision.TRACKED)
                .after("worker")
                .groupTimeout("evaluator", Duration.ofMinutes(10), true, "worker")
                .hold(Duration.ofMinutes(2)));
    job.exit("worker:0", 0);
    job.allocate("evaluator");
    job.fires(Timer.PARTIAL_ALLOCATION);
    assertEquals(Phase.BACKING_OFF, job.phase());

    assertTrue(job.fires(Timer.group(0)).contains(new CancelTimer(Timer.BACK_OFF)));

    assertEquals(Phase.RUNNING, job.phase());
    job.exit("trainer:0", 0);
    assertEquals("2 of 4 tasks succeeded", job.result().message());
  }

  @Test
  public void shouldNotAskAnyLongerForATaskOfAnExcusedRoleThatStartsAgain() {
    Scenario job =
        Scenario.running(
            job()
                .workers(1)
                .role("evaluator", 1, Supervision.TRACKED)
                .each(3)
                .role("export", 1, Supervision.TRACKED)
                .groupTimeout("evaluator", Duration.ofMinutes(10), true, "worker"));
    job.exit("worker:0", 0);
    job.containerEnds("evaluator:0", FailureKind.LOST, "its node is lost");

    List<Action> excused = job.fires(Timer.group(0));

    assertEquals(1, only(CancelRequests.class, excused).size());
    assertEquals(TaskState.STOPPED, job.stateOf("evaluator:0"));
    job.exit("export:0", 0);
    assertEquals("2 of 3 tasks succeeded", job.result().message());
  }

  /** All others are there: what is lost from then on has another cause. */
  @Test
  public void shouldCloseTheBooksOfALossWithoutASidecar() {
    Scenario job = Scenario.allocated(workers(3).firstComeFirstServed());
    job.register("worker:0");
    job.register("tensorboard:0");
    job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");
    assertEquals(Map.of(FailureKind.LOST, 1), job.state().gang().charges());
    job.containerEnds("tensorboard:0", FailureKind.LOST, "its node is lost");
    job.allocate("worker");

    job.register("worker:1");

    assertEquals(Map.of(), job.state().gang().charges());
  }

  /** In gang mode all start together, the sidecar with them. */
  @Test
  public void shouldWaitForASidecarBeforeTheGangRuns() {
    Scenario job = Scenario.allocated(workers(1));
    job.register("worker:0");
    job.register("worker:1");

    job.containerEnds("tensorboard:0", FailureKind.LOST, "its node is lost");

    assertEquals(Phase.ALLOCATING, job.phase());
    job.allocate("tensorboard");
    assertEquals(3, started(job.register("tensorboard:0")).size());
  }
}
