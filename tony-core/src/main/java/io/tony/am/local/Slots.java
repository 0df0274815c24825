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

/**
 * Which part of this machine is whose: memory, and each GPU. What is asked for first is given
 * first; a request for which there is no room lets no later one pass. Not thread-safe.
 */
final class Slots {
  /** One container that was given, and the GPUs that it has to itself. */
  record Slot(RoleSpec role, long number, List<String> gpus) {}

  private final LocalResources machine;
  private final Deque<RoleSpec> pending = new ArrayDeque<>();
  private final Map<Long, Slot> allocated = new HashMap<>();
  private final Deque<String> freeGpus;
  private long freeMemoryMiB;
  private long lastNumber;

  /**
   * All is free, but for what the ApplicationMaster itself has.
   *
   * @param master the number of its container
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
      if (latest.next().name().equals(role.name())) { // its size may be another by now
        latest.remove();
        left--;
      }
    }
  }

  boolean hasPending() {
    return !pending.isEmpty();
  }

  /**
   * Gives what there is room for. A role that can do with fewer tasks comes last: the others hold
   * up the gang until they have all.
   */
  List<Slot> allocate() {
    List<Slot> granted = new ArrayList<>();
    if (allocate(false, granted)) {
      allocate(true, granted);
    }
    return granted;
  }

  /** False when one of these has to wait. */
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

  /** It is free again. */
  void release(long number) {
    Slot slot = allocated.remove(number);
    if (slot != null) {
      freeMemoryMiB += slot.role().resource().memoryMiB();
      freeGpus.addAll(slot.gpus());
    }
  }

  /** Null where it is given to nobody. */
  Slot get(long number) {
    return allocated.get(number);
  }

  /** By which its programs know what they have to themselves. */
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
