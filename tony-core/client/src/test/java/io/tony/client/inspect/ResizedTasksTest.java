package io.tony.client.inspect;

import static org.junit.Assert.assertEquals;

import io.tony.client.follow.SampleEvents;
import io.tony.event.Fact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.Test;

/** What {@code tony status} and {@code tony logs} show of a gang that has become smaller. */
public class ResizedTasksTest {
  private static final ResizeFact.Resized FEWER =
      new ResizeFact.Resized("worker", 4, 2, 1, Map.of(3, 1), "YARN did not give more");

  /** All but the second have a container; the third has lost its own. */
  private static final List<JobEvent> EVENTS =
      Stream.<Fact>of(
              allocated(0),
              allocated(2),
              allocated(3),
              new TaskFact.Stopped(worker(2)),
              new TaskFact.Progressed(worker(3), "step 1"),
              FEWER)
          .map(fact -> fact.toEvent(SampleEvents.START, 0))
          .toList();

  private static TaskId worker(int index) {
    return new TaskId("worker", index);
  }

  private static TaskFact.Allocated allocated(int index) {
    return new TaskFact.Allocated(worker(index), "c" + index, "node", "log");
  }

  @Test
  public void shouldShowTheTasksThatThereAre() {
    StatusText status = new StatusText();
    EVENTS.forEach(status::add);
    Map<TaskId, JobEvent> last = status.lastEvents();

    assertEquals(List.of(worker(0), worker(1)), List.copyOf(last.keySet()));
    assertEquals(JobEvent.Type.TASK_ALLOCATED, last.get(worker(1)).type());
    assertEquals(worker(1), last.get(worker(1)).task());
  }

  @Test
  public void shouldFindTheLogOfATaskInTheContainerThatItHas() {
    Map<TaskId, TaskFact.Allocated> last = new TreeMap<>();
    EVENTS.forEach(event -> ApplicationLogs.noteContainer(event, last));

    assertEquals(List.of(worker(0), worker(1), worker(2)), List.copyOf(last.keySet()));
    assertEquals("c3", last.get(worker(1)).container());
    assertEquals("one that is gone has written, too", "c2", last.get(worker(2)).container());
  }
}
