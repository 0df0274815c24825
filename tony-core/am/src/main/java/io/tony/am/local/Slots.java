package io.tony.am.local;

import io.tony.container.local.LocalResources;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Allocates this machine's memory and GPUs to containers. Requests are served in order, those of
 * elastic roles last: a request that does not fit blocks the later ones, but an elastic one never
 * blocks one of another role. Not thread-safe.
 */
final class Slots {
  /**
   * A container and its share of this machine.
   *
   * @param number container number
   * @param gpus GPUs that only this container may use
   */
  record Slot(RoleSpec role, long number, List<String> gpus) {}

  private final LocalResources machine;
  private final Deque<RoleSpec> pending = new ArrayDeque<>();
  private final Map<Long, Slot> allocated = new HashMap<>();
  private final Deque<String> freeGpus;
  private long freeMemoryMiB;
  private long lastNumber;

  /**
   * Creates the object with all resources free, except for the ApplicationMaster's memory.
   *
   * @param master container number of the ApplicationMaster; later containers get higher numbers
   */
  Slots(LocalResources machine, long masterMiB, long master) {
    this.machine = machine;
    this.freeGpus = new ArrayDeque<>(machine.gpus());
    this.freeMemoryMiB = machine.memoryMiB() - masterMiB;
    this.lastNumber = master;
  }

  void request(RoleSpec role, int count) {
    for (int i = 0; i < count; i++) {
      pending.add(role);
    }
  }

  void withdraw(RoleSpec role, int count) {
    Iterator<RoleSpec> latest = pending.descendingIterator();
    for (int left = count; left > 0 && latest.hasNext(); ) {
      // Compare names only: the role's size may have changed since the request.
      if (latest.next().name().equals(role.name())) {
        latest.remove();
        left--;
      }
    }
  }

  boolean hasPending() {
    return !pending.isEmpty();
  }

  /**
   * Allocates the pending requests that fit, and returns the new containers. Elastic roles come
   * last, because the gang waits for all tasks of the other roles.
   */
  List<Slot> allocate() {
    List<Slot> granted = new ArrayList<>();
    if (allocate(false, granted)) {
      allocate(true, granted);
    }
    return granted;
  }

  /**
   * Allocates the pending requests of the elastic (or of the other) roles, in order, and adds the
   * containers to {@code granted}. Stops at the first request that does not fit, and then returns
   * false.
   */
  private boolean allocate(boolean elastic, List<Slot> granted) {
    for (Iterator<RoleSpec> next = pending.iterator(); next.hasNext(); ) {
      RoleSpec role = next.next();
      if (role.isElastic() == elastic) {
        if (!fits(role.resource())) {
          return false;
        }
        next.remove();
        granted.add(allocate(role));
      }
    }
    return true;
  }

  private Slot allocate(RoleSpec role) {
    freeMemoryMiB -= role.resource().memoryMiB();
    List<String> slotGpus = new ArrayList<>();
    for (long i = 0; i < role.resource().gpus(); i++) {
      slotGpus.add(freeGpus.remove());
    }
    Slot slot = new Slot(role, ++lastNumber, slotGpus);
    allocated.put(slot.number(), slot);
    return slot;
  }

  private boolean fits(ResourceSpec wanted) {
    return wanted.memoryMiB() <= freeMemoryMiB && wanted.gpus() <= freeGpus.size();
  }

  /** Frees the container's resources; does nothing if there is no such container. */
  void release(long number) {
    Slot slot = allocated.remove(number);
    if (slot != null) {
      freeMemoryMiB += slot.role().resource().memoryMiB();
      freeGpus.addAll(slot.gpus());
    }
  }

  /** Returns the container with this number; null if it is not allocated. */
  @Nullable Slot get(long number) {
    return allocated.get(number);
  }

  /**
   * Returns the environment variables that restrict the container to its own GPUs; empty on a
   * machine without GPUs.
   */
  Map<String, String> variables(Slot slot) {
    return machine.gpus().isEmpty()
        ? Map.of()
        : Map.of(LocalResources.VISIBLE_DEVICES, String.join(",", slot.gpus()));
  }

  ResourceSpec free() {
    SortedMap<String, Long> others = new TreeMap<>();
    if (!machine.gpus().isEmpty()) {
      others.put(ResourceSpec.GPU, (long) freeGpus.size());
    }
    return new ResourceSpec(freeMemoryMiB, machine.vcores(), others);
  }
}
