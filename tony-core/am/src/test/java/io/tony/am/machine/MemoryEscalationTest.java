package io.tony.am.machine;

import static io.tony.am.machine.Scenario.containersStopped;
import static io.tony.am.machine.Scenario.only;
import static io.tony.am.machine.Scenario.requested;
import static io.tony.am.machine.Scenario.restarted;
import static io.tony.am.machine.Scenario.stopped;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.RequestContainers;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.ResourceSpec;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

/** What becomes of containers in which a task had too little memory; each has 1024 MiB. */
public class MemoryEscalationTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:10:00Z");

  private static SampleJob growing(double factor, long most) {
    return job().growing(factor, most).stopsFutileRetries();
  }

  private static Scenario running(SampleJob job, long largest) {
    Scenario scenario = Scenario.running(job);
    scenario.happens(new Event.ClusterChanged(NOW, new ResourceSpec(65_536, 64), 4, largest));
    return scenario;
  }

  private static List<Action> hungers(Scenario job, String task) {
    return job.containerEnds(task, FailureKind.MEMORY, "it used 1100 MiB");
  }

  private static List<Long> asked(List<Action> actions) {
    return only(RequestContainers.class, actions).stream()
        .map(request -> request.role().resource().memoryMiB())
        .toList();
  }

  private static String why(Scenario job, JobEvent.Type type) {
    List<JobEvent> facts = job.facts(type);
    return facts.get(facts.size() - 1).detail("message");
  }

  /** Its container was ended for its memory before YARN could tell an ApplicationMaster of it. */
  @Test
  public void shouldGrowWhatTheNextApplicationMasterFindsEndedForItsMemory() {
    Scenario job = Scenario.running(growing(1.5, 0).workers(2).retries(2, 0));
    String ended = job.key("worker:1").container();

    job.nextMaster(
        Set.of(job.key("worker:0").container()),
        Map.of(ended, new Event.ContainerEnd(FailureKind.MEMORY, "too much")),
        3000);

    assertEquals("1536", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).detail("memory"));
  }

  @Test
  public void shouldReplaceTheContainersOfItsRoleByLargerOnesAndKeepTheOthers() {
    Scenario job =
        running(
            growing(1.5, 0).workers(2).role("ps", 1, Supervision.UNTRACKED).retries(2, 0), 8192);

    List<Action> actions = hungers(job, "worker:1");

    assertEquals(List.of("worker 2"), requested(actions));
    assertEquals(List.of(1536L), asked(actions));
    assertEquals(List.of("ps:0"), restarted(actions));
    assertFalse("it may copy", containersStopped(actions).contains("worker:0"));
    assertTrue(stopped(actions).contains("worker:0"));
    JobEvent fact = job.facts(JobEvent.Type.GANG_RESTARTED).get(0);
    assertEquals("1536", fact.detail("memory"));
    assertEquals("1", fact.detail("kept"));
    assertEquals("1", fact.detail("left"));
    assertEquals(
        "worker:1 on node-c1: it used 1100 MiB; worker was ended for its memory at 1024 MiB; it"
            + " starts again with 1536 MiB",
        fact.detail("message"));
  }

  @Test
  public void shouldAskAnewForWhatWasPendingInTheOldSize() {
    Scenario job = Scenario.requested(growing(2, 4096).workers(3).retries(2, 2));
    job.allocate("worker");
    job.allocate("worker");
    job.register("worker:0");

    List<Action> actions = hungers(job, "worker:1");

    assertEquals(1, only(CancelRequests.class, actions).get(0).count());
    assertEquals(List.of("worker 2"), requested(actions));
    assertEquals(List.of(2048L), asked(actions));
    // It was granted a moment before.
    List<Action> granted =
        job.happens(new Event.ContainerAllocated(NOW, "worker", "c9", "node", "log", 1024L));
    assertEquals(1, only(ReleaseContainer.class, granted).size());
    assertEquals(List.of(), requested(granted));
    assertEquals(TaskState.REQUESTED, job.stateOf("worker:1"));
  }

  @Test
  public void shouldGrowFromWhatYarnGaveNotFromWhatWasAskedFor() {
    Scenario job = Scenario.requested(growing(1.5, 8192).workers(1).retries(1, 0));
    job.happens(new Event.ContainerAllocated(NOW, "worker", "c0", "node", "log", 2048L));
    job.registerAll();

    assertEquals(List.of(3072L), asked(hungers(job, "worker:0")));
  }

  @Test
  public void shouldNeverAskForMoreThanTheLimitOrTheLargestContainer() {
    Scenario limited = running(growing(4, 1600).workers(1).retries(5, 0), 8192);
    assertEquals(List.of(1600L), asked(hungers(limited, "worker:0")));

    Scenario small = running(growing(4, 0).workers(1).retries(5, 0), 3000);
    assertEquals(List.of(3000L), asked(hungers(small, "worker:0")));
  }

  @Test
  public void shouldSayWhyItGrowsNoMoreAndEndThen() {
    Scenario job = running(growing(2, 0).workers(1).retries(9, 0), 1024);

    assertEquals(List.of(1024L), asked(hungers(job, "worker:0")));
    String message = why(job, JobEvent.Type.GANG_RESTARTED);
    assertTrue(message, message.endsWith("the cluster's largest container has 1024 MiB"));
    assertEquals("", job.facts(JobEvent.Type.GANG_RESTARTED).get(0).detail("memory"));
    job.allocateAll();
    job.registerAll();
    hungers(job, "worker:0");

    assertTrue(job.result().futile());
    assertTrue(job.result().message(), job.result().message().contains("gets no more"));
    assertEquals(FailureKind.MEMORY, job.result().kind());
  }

  @Test
  public void shouldNotCountFailuresInDifferentSizesAsTheSame() {
    Scenario job = running(growing(2, 0).workers(1).retries(9, 0), 8192);
    for (long size : new long[] {2048, 4096, 8192}) {
      assertEquals(List.of(size), asked(hungers(job, "worker:0")));
      job.allocateAll();
      job.registerAll();
    }
    assertEquals(Phase.RUNNING, job.phase());
  }

  @Test
  public void shouldGrowForATaskAloneAndLeaveTheOthersInTheirs() {
    Scenario job = running(growing(2, 0).workers(2).each(3).retries(0, 0), 8192);

    List<Action> actions = hungers(job, "worker:1");

    assertEquals(List.of(2048L), asked(actions));
    assertEquals(List.of("worker 1"), requested(actions));
    assertEquals(TaskState.RUNNING, job.stateOf("worker:0"));
    assertEquals("2048", job.facts(JobEvent.Type.TASK_RESTARTED).get(0).detail("memory"));
    job.allocateAll();
    job.registerAll();

    // The other one was short, too: it need not go through what this one went through.
    actions = hungers(job, "worker:0");
    assertEquals(List.of(2048L), asked(actions));
    String message = why(job, JobEvent.Type.TASK_RESTARTED);
    assertTrue(message, message.endsWith("at 1024 MiB; it starts again with 2048 MiB"));
    assertEquals("", job.facts(JobEvent.Type.TASK_RESTARTED).get(1).detail("memory"));
  }

  @Test
  public void shouldNotKeepASmallerContainerOfARoleThatHasGrown() {
    Scenario job = running(growing(2, 0).workers(2).each(3), 8192);
    hungers(job, "worker:1");
    job.allocateAll();
    job.registerAll();

    List<Action> actions = job.exit("worker:0", 1);

    assertEquals(List.of(), restarted(actions));
    assertEquals(List.of(2048L), asked(actions));
    assertEquals("new", job.facts(JobEvent.Type.TASK_RESTARTED).get(1).detail("where"));
  }

  @Test
  public void shouldBeKnownToTheNextApplicationMaster() {
    Scenario job = running(growing(1.5, 0).workers(2).retries(2, 2), 8192);
    hungers(job, "worker:1");

    List<Action> actions = job.nextMaster();

    assertEquals(List.of("worker 2"), requested(actions));
    assertEquals(List.of(1536L), asked(actions));
  }

  @Test
  public void shouldStayAsItIsForOtherFailuresAndWhereItIsNotWanted() {
    Scenario lost = running(growing(2, 0).workers(1).retries(0, 1), 8192);
    assertEquals(
        List.of(1024L), asked(lost.containerEnds("worker:0", FailureKind.LOST, "its node")));

    Scenario unasked = running(job().workers(1).retries(1, 0), 8192);
    assertEquals(List.of(1024L), asked(hungers(unasked, "worker:0")));
    assertFalse(why(unasked, JobEvent.Type.GANG_RESTARTED).contains("was ended for its memory"));
  }
}
