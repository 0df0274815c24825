package io.tony.am.machine;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.event.ResizeFact;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.junit.Test;

public class TaskTableTest {
  /** Several chunks, and roles that begin in the middle of one. */
  private static TaskTable table() {
    return TaskTable.of(job().role("ps", 100, Supervision.UNTRACKED).workers(200).spec());
  }

  private static TaskId worker(int index) {
    return new TaskId("worker", index);
  }

  @Test
  public void shouldHoldTheTasksInTheOrderOfTheirRoles() {
    List<String> names = new ArrayList<>();
    table().forEach(task -> names.add(task.id().toString()));

    assertEquals(300, names.size());
    assertEquals("ps:0", names.get(0));
    assertEquals("ps:99", names.get(99));
    assertEquals("worker:0", names.get(100));
    assertEquals("worker:199", names.get(299));
  }

  @Test
  public void shouldCountTasksByState() {
    TaskTable table = table();
    TaskTable next =
        table
            .with(table.get(worker(0)).withState(TaskState.RUNNING))
            .with(table.get(worker(199)).withState(TaskState.LAUNCHING))
            .with(table.get(worker(7)).withState(TaskState.FAILED));

    assertEquals(297, next.count(TaskState.WAITING));
    assertEquals(1, next.count(TaskState.RUNNING));
    assertEquals(2, next.containerCount());
    TaskTable again = next.with(next.get(worker(0)).withState(TaskState.SUCCEEDED));
    assertEquals(0, again.count(TaskState.RUNNING));
    assertEquals(1, again.containerCount());
    assertEquals(300, again.size());
  }

  @Test
  public void shouldLeaveTheOldTableAsItWas() {
    TaskTable table = table();

    TaskTable next = table.with(table.get(worker(150)).withState(TaskState.RUNNING));

    assertEquals(TaskState.WAITING, table.get(worker(150)).state());
    assertEquals(300, table.count(TaskState.WAITING));
    assertEquals(TaskState.RUNNING, next.get(worker(150)).state());
    assertEquals(TaskState.WAITING, next.get(worker(149)).state());
  }

  @Test
  public void shouldKnowWhichTasksAJobHas() {
    TaskTable table = table();

    assertTrue(table.contains(worker(199)));
    assertFalse(table.contains(worker(200)));
    assertFalse(table.contains(worker(Integer.MAX_VALUE)));
    assertFalse("the next role's first task", table.contains(new TaskId("ps", 100)));
    assertFalse(table.contains(new TaskId("chief", 0)));
    assertThrows(NoSuchElementException.class, () -> table.get(worker(200)));
    assertThrows(NoSuchElementException.class, () -> table.get(worker(Integer.MAX_VALUE)));
  }

  /** A table that is copied as a whole at each change needs more than twice the limit. */
  @Test(timeout = 4_000)
  public void shouldPayForOneChangeOfALargeTableWhatASmallOneCosts() {
    int tasks = 100_000;
    TaskTable table = TaskTable.of(job().workers(tasks).spec());
    for (TaskState state : new TaskState[] {TaskState.LAUNCHING, TaskState.RUNNING}) {
      for (int index = 0; index < tasks; index++) {
        table = table.with(table.get(worker(index)).withState(state));
      }
    }
    assertEquals(tasks, table.count(TaskState.RUNNING));
  }

  @Test
  public void shouldHoldAsManyTasksAsTheJobHas() {
    for (int tasks : new int[] {1, 126, 127, 128, 129, 255, 256, 257}) {
      TaskTable table = TaskTable.of(job().workers(tasks).spec());

      assertEquals(tasks, table.size());
      assertEquals(tasks, table.stream().count());
      assertEquals(worker(tasks - 1), table.get(worker(tasks - 1)).id());
    }
  }

  /** In a smaller gang a program may end in another way; one that others join is the same. */
  @Test
  public void shouldForgetHowTasksFailedWhereTheirGangStartsAgainWithAnotherSize() {
    FailureStreak fault = FailureStreak.NONE.withProgramStart(Instant.EPOCH);
    TaskTable two = TaskTable.of(job().workers(2).spec());
    TaskTable failed = two.with(two.get(worker(0)).with(fault));

    TaskTable joined =
        failed.resized(
            job().workers(3).spec(),
            ResizeFact.Resized.liveResize("worker", 2, 3, 1, "there is room"),
            Instant.EPOCH);
    TaskTable grown =
        failed.resized(
            job().workers(3).spec(),
            new ResizeFact.Resized("worker", 2, 3, 1, Map.of(), "there is room"),
            Instant.EPOCH);

    assertEquals(fault, joined.get(worker(0)).failureStreak());
    assertEquals(FailureStreak.NONE, grown.get(worker(0)).failureStreak());
  }
}
