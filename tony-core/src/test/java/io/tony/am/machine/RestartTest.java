package io.tony.am.machine;

import static io.tony.am.machine.Scenario.only;
import static io.tony.am.machine.Scenario.stopped;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.Finish;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.RequestContainers;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.Supervision;
import io.tony.model.TaskState;
import java.util.List;
import org.junit.Test;

/** When a failed gang is started again, and when its budget is spent. */
public class RestartTest {

  @Test
  public void shouldAskForTheGangAgainWhenTheOldOneIsGone() {
    Scenario job = Scenario.running(job().workers(2).retries(1, 0));

    List<Action> failure = job.exit("worker:0", 3);
    assertEquals(List.of("worker:1"), stopped(failure));
    assertEquals(List.of(), only(RequestContainers.class, failure));
    List<Action> gone = job.exit("worker:1", 143);

    assertEquals(2, only(RequestContainers.class, gone).get(0).count());
    assertEquals(Phase.ALLOCATING, job.phase());
    assertEquals(1, job.state().session());
    assertEquals(TaskState.REQUESTED, job.stateOf("worker:0"));
    JobEvent fact = job.facts(JobEvent.Type.GANG_RESTARTED).get(0);
    assertEquals("worker:0 exited with code 3", fact.detail("message"));
    assertEquals("0", fact.detail("left"));
  }

  @Test
  public void shouldSucceedInTheSecondAttempt() {
    Scenario job = Scenario.running(job().workers(1).retries(1, 0));
    job.exit("worker:0", 3);
    job.allocateAll();
    job.registerAll();

    job.exit("worker:0", 0);

    assertEquals(JobResult.succeeded("1 of 1 task succeeded"), job.result());
  }

  @Test
  public void shouldFailWhenTheUsersBudgetIsSpent() {
    Scenario job = Scenario.running(job().workers(1).retries(1, 5));
    job.exit("worker:0", 3);
    job.allocateAll();
    job.registerAll();

    job.exit("worker:0", 4);

    assertEquals("worker:0 exited with code 4", job.result().message());
    assertEquals(FailureKind.USER, job.result().kind());
  }

  @Test
  public void shouldNotChargeALossToTheUsersBudget() {
    Scenario job = Scenario.running(job().workers(1).retries(1, 1));

    job.containerEnds("worker:0", FailureKind.PREEMPTED, "preempted");
    assertEquals(new JobState.RetryBudget(1, 0), job.state().budget());
    job.allocateAll();
    job.registerAll();
    job.exit("worker:0", 1);
    assertEquals(new JobState.RetryBudget(0, 0), job.state().budget());
    job.allocateAll();
    job.registerAll();
    job.containerEnds("worker:0", FailureKind.LOST, "its node was lost");

    assertEquals(FailureKind.LOST, job.result().kind());
    assertEquals(2, job.facts(JobEvent.Type.GANG_RESTARTED).size());
  }

  @Test
  public void shouldChargeTheMemoryLimitToTheUsersBudget() {
    Scenario job = Scenario.running(job().workers(1).retries(1, 0));

    job.containerEnds("worker:0", FailureKind.MEMORY, "too much memory");

    assertEquals(new JobState.RetryBudget(0, 0), job.state().budget());
    assertEquals(Phase.ALLOCATING, job.phase());
  }

  @Test
  public void shouldTakeBackWhatTheOldGangWasStillOwed() {
    Scenario job = Scenario.requested(job().workers(3).retries(0, 1));
    job.allocate("worker");

    List<Action> actions = job.containerEnds("worker:0", FailureKind.LOST, "did not start");

    assertEquals(2, only(CancelRequests.class, actions).get(0).count());
    assertEquals(3, only(RequestContainers.class, actions).get(0).count());
    assertEquals(1, job.state().session());
  }

  @Test
  public void shouldReleaseAContainerThatComesBetweenTwoAttempts() {
    Scenario job = Scenario.requested(job().workers(3).retries(0, 1));
    job.allocate("worker", 2);
    job.register("worker:1");
    job.containerEnds("worker:0", FailureKind.LOST, "did not start");

    assertEquals(List.of(new ReleaseContainer("c2")), job.allocate("worker"));
  }

  @Test
  public void shouldNotTakeASidecarsFailureForAReasonToStartAgain() {
    Scenario job =
        Scenario.running(
            job().workers(1).role("tensorboard", 1, Supervision.SIDECAR).retries(1, 1));

    job.containerEnds("tensorboard:0", FailureKind.LOST, "its node was lost");

    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(0, job.state().session());
  }

  @Test
  public void shouldEndInsteadOfStartingAgainWhenAStopComesMeanwhile() {
    Scenario job = Scenario.running(job().workers(2).retries(1, 0));
    job.exit("worker:0", 1);
    job.stopBy("ada");

    List<Action> actions = job.exit("worker:1", 143);

    assertEquals(List.of(), only(RequestContainers.class, actions));
    assertEquals(JobResult.killed("stopped by ada"), job.result());
  }

  @Test
  public void shouldEndInsteadOfStartingAgainWhenTheSchedulerFailsMeanwhile() {
    Scenario job = Scenario.running(job().workers(2).retries(1, 0));
    job.exit("worker:0", 1);
    job.schedulerFails("the ResourceManager cannot be talked to");

    List<Action> actions = job.exit("worker:1", 143);

    assertEquals(List.of(), only(RequestContainers.class, actions));
    assertEquals(
        JobResult.failed(FailureKind.LOST, "the ResourceManager cannot be talked to"),
        job.result());
  }

  @Test
  public void shouldEndInsteadOfStartingAgainWhenTheJobsTimeIsUpMeanwhile() {
    Scenario job = Scenario.running(job().workers(2).retries(1, 0));
    job.exit("worker:0", 1);
    job.fires(Timer.APPLICATION);

    job.exit("worker:1", 143);

    assertEquals(FailureKind.TIMEOUT, job.result().kind());
    assertEquals(1, job.all(Finish.class).size());
  }
}
