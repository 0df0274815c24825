package io.tony.runtime;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;

import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.Test;

/** That a rank is the place in the list of ranks, however it is found. */
public class GangTest {
  private static SampleJob job() {
    return SampleJob.job()
        .role("prepare", 2, Supervision.TRACKED)
        .role("ps", 2, Supervision.UNTRACKED)
        .workers(3)
        .role("evaluator", 1, Supervision.TRACKED);
  }

  /** The job's tasks without some roles, which have ended or wait. */
  private static Gang gang(JobSpec job, String... absent) {
    Map<String, List<Endpoint>> members = new LinkedHashMap<>();
    for (RoleSpec role : job.roles()) {
      if (!List.of(absent).contains(role.name())) {
        members.put(
            role.name(),
            IntStream.range(0, role.instances())
                .mapToObj(index -> new Endpoint("host", 7000 + index))
                .toList());
      }
    }
    return new Gang(job, new ClusterSpec(members), 0);
  }

  private static void assertRanksAgree(Gang gang) {
    List<TaskId> ranked = gang.ranked();
    assertEquals(ranked.size(), gang.world());
    for (RoleSpec role : gang.job().roles()) {
      for (int index = 0; index <= role.instances(); index++) {
        TaskId task = new TaskId(role.name(), index);
        assertEquals(task.toString(), ranked.indexOf(task), gang.rank(task));
      }
    }
    if (ranked.isEmpty()) {
      assertThrows(NoSuchElementException.class, gang::first);
    } else {
      assertEquals(ranked.get(0), gang.first());
    }
  }

  @Test
  public void shouldRankTheTrackedTasksWithTheChiefsRoleFirst() {
    Gang gang = gang(job().spec());

    assertRanksAgree(gang);
    assertEquals(0, gang.rank(new TaskId("worker", 0)));
    assertEquals(3, gang.rank(new TaskId("prepare", 0)));
    assertEquals(-1, gang.rank(new TaskId("ps", 0)));
  }

  @Test
  public void shouldRankOnceForAllTasks() {
    Gang gang = gang(job().spec());

    assertSame(gang.ranked(), gang.ranked());
  }

  @Test
  public void shouldMakeWhatAllTasksShareForTheFirstThatAsks() {
    Gang gang = gang(job().spec());
    AtomicInteger made = new AtomicInteger();

    for (int task = 0; task < 3; task++) {
      assertEquals("6 ranks", gang.once("text", () -> text(gang, made)));
    }

    assertEquals(1, made.get());
    assertEquals(
        "for another gang", "6 ranks", gang(job().spec()).once("text", () -> text(gang, made)));
    assertEquals(2, made.get());
  }

  /** Asks for something else that is shared in turn. */
  private static String text(Gang gang, AtomicInteger made) {
    made.incrementAndGet();
    return gang.ranked().size() + " ranks";
  }

  @Test
  public void shouldRankOnlyWhatIsInTheCluster() {
    assertRanksAgree(gang(job().spec(), "prepare"));
    assertRanksAgree(gang(job().spec(), "worker", "evaluator"));
    assertRanksAgree(gang(job().spec(), "prepare", "worker", "evaluator"));
  }

  @Test
  public void shouldRankNobodyWhereTasksAreServedAsTheyCome() {
    assertRanksAgree(gang(job().firstComeFirstServed().spec()));
  }
}
