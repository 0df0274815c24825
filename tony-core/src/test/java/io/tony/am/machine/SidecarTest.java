package io.tony.am.machine;

import static io.tony.am.machine.Scenario.only;
import static io.tony.am.machine.Scenario.requested;
import static io.tony.am.machine.Scenario.started;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;

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

  private static void late(Scenario job) {
    job.pass(Duration.ofMinutes(15));
    job.fires(Timer.REGISTRATION);
  }

  @Test
  public void shouldGoOnWithoutASidecarThatDoesNotRegisterAgain() {
    Scenario job = Scenario.running(workers(1));
    job.containerEnds("tensorboard:0", FailureKind.LOST, "its node is lost");
    job.allocate("tensorboard");

    late(job);

    assertTheOthersRunOn(job);
    assertEquals(TaskState.FAILED, job.stateOf("tensorboard:0"));
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
