package io.tony.client.narrate;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.client.follow.SampleEvents;
import io.tony.client.output.JobLog;
import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.HangLocation;
import io.tony.event.JobFact;
import io.tony.event.PreemptionAnnounced;
import io.tony.event.ResizeFact;
import io.tony.event.RetryBudgetOwner;
import io.tony.event.TaskFact;
import io.tony.model.FailureKind;
import io.tony.model.TaskId;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.Before;
import org.junit.Test;

/** What a person reads of a gang that has fewer tasks for a while. */
public class ElasticNarratorTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final Narrator narrator = new Narrator(new JobLog(bytes), false, false);

  private static TaskId worker(int index) {
    return new TaskId("worker", index);
  }

  private void tell(Fact... facts) {
    for (Fact fact : facts) {
      narrator.narrate(fact.toEvent(SampleEvents.START, 0));
    }
  }

  private void allocated(int... indices) {
    for (int index : indices) {
      tell(new TaskFact.Allocated(worker(index), "c", "node", "http://node/" + index));
    }
  }

  private void started(int... indices) {
    for (int index : indices) {
      tell(new TaskFact.Started(worker(index), 1));
    }
  }

  private void requested(int tasks) {
    tell(new GangFact.Requested(tasks, tasks + " × worker", List.of("worker")));
  }

  private void resized(int from, int instances, Map<Integer, Integer> moved, String why) {
    tell(new ResizeFact.Resized("worker", from, instances, 1, moved, why));
  }

  private void restarted(FailureKind kind, int kept, String why) {
    tell(
        new GangFact.Restarted(
            worker(0), kind, why, 0, 1, RetryBudgetOwner.NOBODY, kept, false, "node", List.of()));
  }

  private void assertTold(String lines) {
    assertEquals(lines.strip(), bytes.toString(StandardCharsets.UTF_8).strip());
  }

  /** Of four tasks that are asked for. */
  @Before
  public void begin() {
    tell(new JobFact.MasterStarted(1, "h", 4, null));
    requested(4);
    bytes.reset();
  }

  @Test
  public void shouldTellThatAGangBeginsWithFewer() {
    allocated(0, 2);
    resized(4, 2, Map.of(2, 1), "YARN did not give more");
    assertFalse("nobody waits any more", narrator.isWaiting());
    tell(new GangFact.Running());
    started(0, 1);

    assertTold(
        """
        1/4 tasks allocated: worker:0 on node, log http://node/0
        2/4 tasks allocated: worker:2 on node, log http://node/2
        the gang goes on with 2 of 4 worker: YARN did not give more
        2/2 tasks running
        """);
  }

  @Test
  public void shouldTellThatAGangGoesOnWithFewer() {
    allocated(0, 1, 2, 3);
    tell(new GangFact.Running());
    started(0, 1, 2, 3);
    bytes.reset();

    tell(new PreemptionAnnounced(worker(1), "node"));
    restarted(FailureKind.PREEMPTED, 3, "YARN took worker:1");
    resized(4, 3, Map.of(3, 1), "YARN took worker:1");
    assertFalse(narrator.isWaiting());
    tell(new GangFact.Running());
    started(0, 1, 2);
    tell(
        new TaskFact.Restarted(
            worker(2),
            FailureKind.LOST,
            "",
            1,
            2,
            false,
            true,
            RetryBudgetOwner.ROLE,
            false,
            "n",
            null));
    allocated(2);

    assertTold(
        """
        YARN is going to take the container of worker:1 on node for another queue or application
        the gang is started again (PREEMPTED, not charged, 3 of 4 containers are kept): YARN took \
        worker:1
        the gang goes on with 3 of 4 worker: YARN took worker:1
        3/3 tasks running
        worker:2 is started again in a new container (LOST, 1 more after this):\s
        3/3 tasks allocated: worker:2 on node, log http://node/2
        """);
  }

  @Test
  public void shouldTellThatAGangGrowsAndNotThatItFailed() {
    allocated(0, 1);
    resized(4, 2, Map.of(), "YARN did not give more");
    tell(new GangFact.Running());
    started(0, 1);
    tell(
        new TaskFact.Failed(
            worker(0),
            FailureKind.PROGRAM,
            "it failed",
            1,
            "an old trace",
            "",
            "node",
            "http://n/"));
    bytes.reset();

    tell(new ResizeFact.ScaleUpPlanned("worker", 4));
    resized(2, 4, Map.of(), "the queue has room for more tasks, and step 7 is kept");
    restarted(FailureKind.RESIZED, 2, "the queue has room for more tasks, and step 7 is kept");
    requested(2);
    allocated(2, 3);
    tell(new GangFact.Running());
    started(0, 1, 2, 3);

    assertTold(
        """
        the queue has room for more: 4 worker instead of 2, once a checkpoint is kept
        the gang grows from 2 to 4 worker: the queue has room for more tasks, and step 7 is kept
        the gang is started again for that: 2 of 4 containers are kept
        asking for 2 × worker
        3/4 tasks allocated: worker:2 on node, log http://node/2
        4/4 tasks allocated: worker:3 on node, log http://node/3
        4/4 tasks running
        """);
  }

  @Test
  public void shouldTellThatATaskJoinsAndNotThatTheGangStartsAgain() {
    allocated(0, 1);
    resized(4, 2, Map.of(), "YARN did not give more");
    tell(new GangFact.Running());
    started(0, 1);
    bytes.reset();

    tell(
        ResizeFact.Resized.liveResize(
            "worker", 2, 3, 1, "there is room for another task, which joins"));
    assertTrue(narrator.isWaiting());
    allocated(2);
    assertFalse(narrator.isWaiting());
    started(2);

    assertTold(
        """
        the gang grows from 2 to 3 worker: there is room for another task, which joins
        3/3 tasks allocated: worker:2 on node, log http://node/2
        3/3 tasks running
        """);
  }

  @Test
  public void shouldNotWaitForWhereATaskStandsThatIsGone() {
    allocated(0, 1);
    started(0, 1);
    resized(4, 1, Map.of(), "YARN took worker:1");
    bytes.reset();
    tell(new HangLocation(worker(0), "read (loader.py:14)"));

    assertTold("worker:0 hung in read (loader.py:14)");
  }
}
