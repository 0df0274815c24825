package io.tony.am.local;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import io.tony.container.local.LocalResources;
import io.tony.model.MemoryGrowth;
import io.tony.model.Placement;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.Test;

/** Which part of a machine is given to whom. */
public class SlotsTest {
  private final Slots slots = new Slots(new LocalResources(1000, 4, List.of("3", "5")), 100, 1);

  private static RoleSpec role(String name, long memoryMiB, long gpus) {
    return new RoleSpec(
        name,
        1,
        new ResourceSpec(memoryMiB, 1, new TreeMap<>(Map.of(ResourceSpec.GPU, gpus))),
        "true",
        Map.of(),
        List.of(),
        Placement.ANYWHERE,
        null,
        Set.of(),
        Supervision.TRACKED,
        false,
        0,
        MemoryGrowth.NONE);
  }

  private List<Long> given() {
    return slots.allocate().stream().map(Slots.Slot::number).toList();
  }

  @Test
  public void shouldGiveWhatThereIsRoomForAndTheRestWhenSomeIsFreeAgain() {
    slots.request(role("worker", 400, 0), 3);

    assertEquals(List.of(2L, 3L), given());
    assertEquals(100, slots.free().memoryMiB());
    slots.release(3);
    slots.release(3);

    assertEquals(List.of(4L), given());
    assertEquals(100, slots.free().memoryMiB());
  }

  @Test
  public void shouldLetNoLaterRequestPass() {
    slots.request(role("large", 901, 0), 1);
    slots.request(role("small", 1, 0), 1);

    assertEquals(List.of(), given());
    slots.withdraw(role("large", 901, 0), 1);

    assertEquals(List.of(2L), given());
  }

  @Test
  public void shouldGiveEachGpuToOneAtATime() {
    slots.request(role("worker", 1, 1), 3);

    List<Slots.Slot> given = slots.allocate();

    assertEquals(Map.of("CUDA_VISIBLE_DEVICES", "3"), slots.variables(given.get(0)));
    assertEquals(Map.of("CUDA_VISIBLE_DEVICES", "5"), slots.variables(given.get(1)));
    assertEquals(2, given.size());
    slots.release(given.get(1).number());
    assertEquals(Map.of("CUDA_VISIBLE_DEVICES", "5"), slots.variables(slots.allocate().get(0)));
  }

  /** The others hold up the gang until they have all. */
  @Test
  public void shouldGiveLastToARoleThatCanDoWithFewer() {

    slots.request(role("worker", 400, 0).withMinInstances(0), 3);
    slots.request(role("evaluator", 400, 0), 1);

    List<Slots.Slot> given = slots.allocate();

    assertEquals(
        List.of("evaluator", "worker"), given.stream().map(slot -> slot.role().name()).toList());
  }

  /** A role that grows is asked for by its new size, and given up by its old one. */
  @Test
  public void shouldWithdrawARoleWhateverItsSizeIs() {
    slots.request(role("worker", 901, 0), 2);
    slots.request(role("chief", 1, 0), 1);

    slots.withdraw(role("worker", 400, 0), 2);

    assertEquals(List.of(2L), given());
  }

  /** Whoever asked for none sees none, and takes nobody's. */
  @Test
  public void shouldHideTheGpusFromWhoHasNone() {
    slots.request(role("worker", 1, 0), 1);

    assertEquals(Map.of("CUDA_VISIBLE_DEVICES", ""), slots.variables(slots.allocate().get(0)));
    assertNull(slots.get(3));
  }
}
