package io.tony.event;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.Test;

/** What a role's other number of tasks makes of what is known of them. */
public class ResizeFactTest {
  private static final ResizeFact.Resized FEWER =
      new ResizeFact.Resized("worker", 4, 2, 1, Map.of(3, 1), "why");

  private static TaskId worker(int index) {
    return new TaskId("worker", index);
  }

  @Test
  public void shouldNameTheTasksThatAreGone() {
    assertTrue(FEWER.shrinks());
    assertEquals(-2, FEWER.taskCountChange());
    assertFalse(FEWER.isGone(worker(1)));
    assertTrue(FEWER.isGone(worker(2)));
    assertFalse("another role", FEWER.isGone(new TaskId("ps", 7)));
  }

  @Test
  public void shouldGiveContainersToTheTasksThatHaveThemNow() {
    Map<TaskId, String> containers = new HashMap<>();
    containers.put(worker(0), "c0");
    containers.put(worker(1), "lost");
    containers.put(worker(2), "also lost");
    containers.put(worker(3), "c3");

    FEWER.moveToNewTasks(containers);

    assertEquals(Map.of(worker(0), "c0", worker(1), "c3", worker(2), "also lost"), containers);
  }

  /** Two that are moved, of which one takes a place that a map does not know. */
  @Test
  public void shouldPassOverWhatIsNotKnown() {
    Map<TaskId, String> containers = new HashMap<>(Map.of(worker(5), "c5"));
    new ResizeFact.Resized("worker", 6, 2, 1, Map.of(5, 0, 4, 1), "").moveToNewTasks(containers);
    assertEquals(Map.of(worker(0), "c5"), containers);
  }

  @Test
  public void shouldRefuseMovesThatMakeNoSense() {
    JobEvent event = FEWER.toEvent(Instant.EPOCH, 0);
    for (String moved : new String[] {"3", "a:b", "3:"}) {
      Map<String, String> details = new HashMap<>(event.details());
      details.put("moved", moved);
      JobEvent wrong = new JobEvent(event.time(), event.type(), event.session(), null, details);
      assertThrows(IllegalArgumentException.class, () -> ResizeFact.Resized.of(wrong));
    }
  }
}
