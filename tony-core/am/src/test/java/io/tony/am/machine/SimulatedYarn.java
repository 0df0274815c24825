package io.tony.am.machine;

import io.tony.model.FailureKind;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * YARN around one simulated job: it gives containers, late where its queue is busy, and takes some
 * of them; what it knows of the end of one it tells behind its node's heartbeat and the master's.
 */
final class SimulatedYarn {
  /** MiB of the largest container. */
  static final long LARGEST = 3000;

  /** Of a node's heartbeat, and of an ApplicationMaster's. */
  private static final int HEARTBEAT = 1_000;

  /** So long YARN waits for the heartbeat of a node. */
  private static final long NODE_EXPIRES = 600_000;

  private static final String ITSELF = "scheduler";

  private final SimulatedWorld world;
  private final int nodes;
  private final boolean busy;
  private final Map<String, Integer> pending = new HashMap<>();

  /** By role, what was asked for last. */
  private final Map<String, Long> memory = new HashMap<>();

  /** Containers that are granted, and that nothing was launched in. */
  private final Set<String> idle = new LinkedHashSet<>();

  /** By container, its node. */
  private final Map<String, String> places = new HashMap<>();

  private Set<String> avoided = Set.of();
  private int containers;
  private int restarts;
  private boolean gone;

  SimulatedYarn(SimulatedWorld world) {
    this.world = world;
    this.nodes = 2 + world.random.nextInt(4);
    this.busy = world.happens(world.job.isElastic() ? 4 * world.trouble : world.trouble);
  }

  boolean isGone() {
    return gone;
  }

  String nodeOf(String container) {
    return places.get(container);
  }

  // ---- What it is asked for ----

  void request(RoleSpec role, int count) {
    long size = role.resource().memoryMiB();
    Long before = memory.put(role.name(), size);
    if (before != null && before != size) {
      pending.remove(role.name()); // what was granted twice was counted once
    }
    pending.merge(role.name(), count, Integer::sum);
    for (int i = 0; i < count; i++) {
      grantSoon(role.name());
    }
  }

  private void grantSoon(String role) {
    boolean waits = busy && world.random.nextInt(3) > 0;
    long after = waits ? world.about(120_000) : world.between(300, 4_000);
    world.agenda.move(after, () -> grant(role));
  }

  void cancel(String role, int count) {
    for (int i = 0; i < count; i++) {
      if (pending.getOrDefault(role, 0) > 0) {
        pending.merge(role, -1, Integer::sum);
        if (!gone && world.happens(world.trouble / 5)) {
          allocate(role); // it was granted a moment before
        }
      }
    }
  }

  void avoid(Set<String> these) {
    avoided = these;
  }

  /** The container is used, or given back. */
  void taken(String container) {
    idle.remove(container);
  }

  // ---- What it gives ----

  private void grant(String role) {
    if (gone || pending.getOrDefault(role, 0) <= 0) {
      return;
    }
    if (world.happens(0.2)) {
      tellCluster(nodes);
    }
    pending.merge(role, -1, Integer::sum);
    allocate(role);
    if (world.happens(world.trouble / 10)) {
      allocate(role); // more than was asked for
    }
  }

  private void allocate(String role) {
    String container = "c" + containers++;
    String node = "node-" + world.random.nextInt(nodes);
    if (avoided.contains(node) && !world.happens(world.trouble / 5)) {
      node = "node-" + (nodes + world.random.nextInt(nodes)); // one that is not avoided
    }
    String place = node;
    places.put(container, place);
    int lives = restarts;
    long size = memory.get(role);
    world.agenda.own(
        ITSELF,
        world.between(0, HEARTBEAT),
        () -> {
          if (lives != restarts) {
            askAgain(role, size);
            return null;
          }
          idle.add(container);
          if (world.happens(world.trouble)) {
            world.agenda.move(world.between(500, 50_000), () -> takeBack(container));
          }
          return new Event.ContainerAllocated(world.clock(), role, container, place, "log", size);
        });
  }

  /** It forgot what it had granted: it is asked again, but for what was taken back meanwhile. */
  private void askAgain(String role, long size) {
    if (memory.get(role) == size) {
      pending.merge(role, 1, Integer::sum);
      grantSoon(role);
    }
  }

  private void takeBack(String container) {
    if (idle.remove(container)) {
      world.agenda.own(ITSELF, 0, () -> new Event.UnusedContainerEnded(world.clock(), container));
    }
  }

  void tellCluster(int known) {
    ResourceSpec free = new ResourceSpec(world.random.nextInt(4096), world.random.nextInt(4));
    world.agenda.own(
        ITSELF,
        world.between(0, HEARTBEAT),
        () -> new Event.ClusterChanged(world.clock(), free, known, LARGEST));
  }

  void tellCluster() {
    tellCluster(nodes);
  }

  /** It knows of no container that nobody had launched anything in; it is asked again. */
  void restarts() {
    restarts++;
  }

  /** Nobody talks to it any more. */
  void fails() {
    gone = true;
    world.agenda.own(
        ITSELF,
        0,
        () ->
            new Event.SchedulerFailed(
                world.clock(), FailureKind.LOST, "the ResourceManager is gone"));
  }

  // ---- What it takes ----

  /**
   * The container has ended: it says so behind two heartbeats; of a node that is gone, when that is
   * missed for long enough.
   */
  void ended(SimulatedExecutor executor, FailureKind cause, boolean withItsNode) {
    long late = withItsNode && world.random.nextBoolean() ? NODE_EXPIRES : 0;
    long after = late + world.between(0, HEARTBEAT) + world.between(0, HEARTBEAT);
    // A master that does not live then asks for what it did not hear.
    world.agenda.move(after, () -> executor.known = cause);
    tell(executor, cause, after);
  }

  private void tell(SimulatedExecutor executor, FailureKind cause, long after) {
    TaskKey key = executor.key;
    String sender = "end of " + key.container();
    String text = "the container ended";
    world.agenda.own(
        sender,
        after,
        () -> gone ? null : new Event.ContainerEnded(world.clock(), key, cause, text));
    if (world.happens(world.trouble / 4)) {
      world.agenda.own(
          sender + ", again",
          after + world.between(0, 5_000),
          () -> gone ? null : new Event.ContainerEnded(world.clock(), key, cause, text));
    }
  }

  /** It is going to take some containers, and may name one that is gone by then. */
  void announcesPreemption(SimulatedPrograms programs) {
    List<TaskKey> named = new ArrayList<>();
    for (SimulatedExecutor executor : programs.living()) {
      if (named.isEmpty() || world.random.nextInt(4) == 0) {
        named.add(executor.key);
        if (world.random.nextInt(3) > 0) {
          world.agenda.move(
              world.between(10_000, 60_000),
              () -> programs.taken(executor, FailureKind.PREEMPTED, false));
        }
      }
    }
    if (!named.isEmpty() && !gone) {
      world.agenda.own(
          ITSELF,
          world.between(0, HEARTBEAT),
          () -> new Event.PreemptionNotice(world.clock(), named));
    }
  }

  // ---- The next ApplicationMaster ----

  /**
   * What was asked for is forgotten, and another talks to it anew.
   *
   * @return what it knows of containers that have ended; {@code alive} is told the others
   */
  Map<String, Event.ContainerEnd> nextMaster(
      Iterable<SimulatedExecutor> executors, Set<String> alive) {
    gone = false;
    pending.clear();
    idle.clear();
    avoided = Set.of();
    tellCluster(1 + world.random.nextInt(nodes)); // others may have been lost with the master's
    Map<String, Event.ContainerEnd> ended = new LinkedHashMap<>();
    for (SimulatedExecutor executor : executors) {
      String container = executor.key.container();
      if (executor.known != null) {
        ended.put(container, new Event.ContainerEnd(executor.known, "the container ended"));
      } else if (!executor.alive() && executor.lost != null) {
        alive.add(container); // as far as it knows
        tell(executor, executor.lost, world.between(0, 2 * HEARTBEAT));
      }
    }
    return ended;
  }
}
