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
  private final Deque<RoleSpec> waiting = new ArrayDeque<>();
  private final Map<Long, Slot> given = new HashMap<>();
  private final Deque<String> gpus;
  private long memoryMiB;
  private long last;

  /**
   * All is free, but for what the ApplicationMaster itself has.
   *
   * @param master the number of its container
   */
  Slots(LocalResources machine, long masterMiB, long master) {
    this.machine = machine;
    this.gpus = new ArrayDeque<>(machine.gpus());
    this.memoryMiB = machine.memoryMiB() - masterMiB;
    this.last = master;
  }

  void ask(RoleSpec role, int count) {
    for (int i = 0; i < count; i++) {
      waiting.add(role);
    }
  }

  void withdraw(RoleSpec role, int count) {
    Iterator<RoleSpec> latest = waiting.descendingIterator();
    for (int left = count; left > 0 && latest.hasNext(); ) {
      if (latest.next().name().equals(role.name())) { // its size may be another by now
        latest.remove();
        left--;
      }
    }
  }

  boolean waits() {
    return !waiting.isEmpty();
  }

  /**
   * Gives what there is room for. A role that can do with fewer tasks comes last: the others hold
   * up the gang until they have all.
   */
  List<Slot> give() {
    List<Slot> more = new ArrayList<>();
    if (give(false, more)) {
      give(true, more);
    }
    return more;
  }

  /** False when one of these has to wait. */
  private boolean give(boolean elastic, List<Slot> more) {
    for (Iterator<RoleSpec> next = waiting.iterator(); next.hasNext(); ) {
      RoleSpec role = next.next();
      if (role.isElastic() == elastic) {
        if (!fits(role.resource())) {
          return false;
        }
        next.remove();
        more.add(give(role));
      }
    }
    return true;
  }

  private Slot give(RoleSpec role) {
    memoryMiB -= role.resource().memoryMiB();
    List<String> own = new ArrayList<>();
    for (long i = 0; i < role.resource().gpus(); i++) {
      own.add(gpus.remove());
    }
    Slot slot = new Slot(role, ++last, own);
    given.put(slot.number(), slot);
    return slot;
  }

  private boolean fits(ResourceSpec wanted) {
    return wanted.memoryMiB() <= memoryMiB && wanted.gpus() <= gpus.size();
  }

  /** It is free again. */
  void takeBack(long number) {
    Slot slot = given.remove(number);
    if (slot != null) {
      memoryMiB += slot.role().resource().memoryMiB();
      gpus.addAll(slot.gpus());
    }
  }

  /** Null where it is given to nobody. */
  Slot at(long number) {
    return given.get(number);
  }

  /** By which its programs know what they have to themselves. */
  Map<String, String> variables(Slot slot) {
    return machine.gpus().isEmpty()
        ? Map.of()
        : Map.of(LocalResources.VISIBLE, String.join(",", slot.gpus()));
  }

  ResourceSpec free() {
    SortedMap<String, Long> others = new TreeMap<>();
    if (!machine.gpus().isEmpty()) {
      others.put(ResourceSpec.GPU, (long) gpus.size());
    }
    return new ResourceSpec(memoryMiB, machine.vcores(), others);
  }
}
