package io.tony.am.machine;

import static io.tony.am.machine.Scenario.containersStopped;
import static io.tony.am.machine.Scenario.requested;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;

import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.ResourceSpec;
import io.tony.model.TaskKey;
import java.util.List;
import org.junit.Test;

/** Containers that the job's own check finds unfit before their tasks have registered. */
public class PreflightTest {
  private static final ResourceSpec FREE = new ResourceSpec(8192, 8);
  private static final String LACK = "exit code 1: 3 of 4 GPUs answer";

  /** Two workers on two of so many nodes, with one loss to pay for. */
  private static Scenario launched(int nodes) {
    Scenario job = Scenario.requested(job().workers(2).retries(0, 1));
    job.cluster(FREE, nodes);
    job.allocateOn("worker", "a");
    job.allocateOn("worker", "b");
    return job;
  }

  private static List<String> avoided(Scenario job) {
    return job.facts(JobEvent.Type.NODE_AVOIDED).stream()
        .map(event -> event.detail("node") + ": " + event.detail("message"))
        .toList();
  }

  private static List<String> charged(Scenario job) {
    return job.facts(JobEvent.Type.TASK_RESTARTED).stream()
        .map(event -> event.task() + " " + event.detail("charged") + " " + event.detail("left"))
        .toList();
  }

  @Test
  public void shouldAvoidTheNodeAndAskForAnotherContainerAtNobodysExpense() {
    Scenario job = launched(10);
    job.register("worker:0");

    List<Action> actions = job.failsPreflight("worker:1", LACK);

    assertEquals(List.of("worker 1"), requested(actions));
    assertEquals(List.of("worker:1"), containersStopped(actions));
    assertEquals(List.of("b: it failed the preflight of worker:1"), avoided(job));
    assertEquals(List.of("worker:1 nobody 1"), charged(job));
    JobEvent failed = job.facts(JobEvent.Type.TASK_FAILED).get(0);
    assertEquals("worker:1 on b failed the preflight: " + LACK, failed.detail("message"));
    assertEquals("LOST", failed.detail("kind"));

    job.allocateOn("worker", "c");
    job.register("worker:1");
    assertEquals(Phase.RUNNING, job.phase());
    assertEquals(new RetryBudget(0, 1, 0), job.state().budget());
  }

  /** Whatever is wrong with all nodes: each of half of the cluster is tried once. */
  @Test
  public void shouldEndWhereTooFewNodesWouldBeLeft() {
    Scenario job = launched(2);

    job.failsPreflight("worker:0", LACK);
    job.failsPreflight("worker:1", LACK);
    assertEquals(List.of("worker:0 nobody 1", "worker:1 job 0"), charged(job));
    job.allocateOn("worker", "b");
    job.allocateOn("worker", "b");
    job.failsPreflight("worker:1", LACK);

    assertEquals(List.of("a: it failed the preflight of worker:0"), avoided(job));
    assertEquals(Phase.STOPPING, job.phase());
    job.containerEnds("worker:0", FailureKind.LOST, "stopped");
    assertEquals(JobResult.Status.FAILED, job.result().status());
    assertEquals(FailureKind.LOST, job.result().kind());
    assertEquals("worker:1 on b failed the preflight: " + LACK, job.result().message());
  }

  /** Of what is on a node that is avoided by then nobody pays either. */
  @Test
  public void shouldNotChargeTheOtherContainersOfAnUnfitNode() {
    Scenario job = Scenario.requested(job().workers(2).retries(0, 0));
    job.cluster(FREE, 10);
    job.allocateOn("worker", "a");
    job.allocateOn("worker", "a");

    job.failsPreflight("worker:0", LACK);
    job.failsPreflight("worker:1", LACK);

    assertEquals(List.of("worker:0 nobody 0", "worker:1 nobody 0"), charged(job));
    assertEquals(List.of("a: it failed the preflight of worker:0"), avoided(job));
  }

  /** Nodes that are forgiven, because no others have room, fail again: not for ever. */
  @Test
  public void shouldEndWhereOnlyUnfitNodesHaveRoom() {
    Scenario job = Scenario.requested(job().workers(1).retries(0, 1));
    job.cluster(FREE, 100);
    int failures = 0;
    while (job.phase() != Phase.FINISHED && failures < 100) {
      job.allocateOn("worker", "a");
      job.failsPreflight("worker:0", LACK);
      failures++;
      if (job.phase() == Phase.ALLOCATING) {
        job.fires(Timer.NOTICE);
      }
    }

    assertEquals(12, failures);
    assertEquals(10, avoided(job).stream().filter(why -> why.contains("preflight")).count());
    assertEquals(List.of("worker:0 job 0"), charged(job).subList(10, 11));
  }

  /** The gang has started again meanwhile, and keeps the container. */
  @Test
  public void shouldTakeUpWhatIsSaidOfAnEarlierAttemptInTheSameContainer() {
    Scenario job = Scenario.requested(job().workers(2).firstComeFirstServed().retries(1, 0));
    job.cluster(FREE, 10);
    job.allocateOn("worker", "a");
    job.allocateOn("worker", "b");
    TaskKey launched = job.key("worker:1");
    job.register("worker:0");
    job.exit("worker:0", 1);
    assertEquals(1, job.key("worker:1").attempt());

    job.happens(new Event.PreflightFailed(job.now(), launched, LACK));

    assertEquals(List.of("worker:1 nobody 0"), charged(job));
    assertEquals(List.of("b: it failed the preflight of worker:1"), avoided(job));
  }

  @Test
  public void shouldPassOverWhatIsSaidOfAContainerThatWasGivenUp() {
    Scenario job = launched(10);
    TaskKey given = job.key("worker:1");
    job.containerEnds("worker:1", FailureKind.LOST, "its node is lost");

    assertEquals(List.of(), job.happens(new Event.PreflightFailed(job.now(), given, LACK)));

    assertEquals(1, job.facts(JobEvent.Type.TASK_FAILED).size());
    assertEquals(List.of("b: a task was lost on it"), avoided(job));
  }

  @Test
  public void shouldNotWaitForAContainerThatIsUnfitWhenTheJobStops() {
    Scenario job = launched(10);
    job.stopBy("someone");
    job.failsPreflight("worker:0", LACK);
    job.failsPreflight("worker:1", LACK);

    assertEquals(JobResult.Status.KILLED, job.result().status());
  }
}
