package io.tony.am.yarn;

import io.tony.model.TaskKey;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;

/**
 * The containers that YARN gave to this job, and the tasks that they are for. An entry goes when
 * YARN tells that the container has ended, and YARN tells that of every container. Thread-safe.
 */
final class JobContainers {
  /** A container, and whether an earlier ApplicationMaster got it. */
  record Granted(Container container, boolean inherited) {}

  private final Map<String, Granted> granted = new ConcurrentHashMap<>();
  private final Map<String, TaskKey> assigned = new ConcurrentHashMap<>();

  void grant(Container container) {
    granted.put(container.getId().toString(), new Granted(container, false));
  }

  /** Containers that run on from an earlier ApplicationMaster. */
  void inherit(Collection<Container> containers) {
    for (Container container : containers) {
      granted.put(container.getId().toString(), new Granted(container, true));
    }
  }

  /**
   * Takes back what YARN tells late.
   *
   * @return false when no task has it by now: it is wanted by nobody
   */
  boolean takeBack(Container container) {
    String id = container.getId().toString();
    if (assigned.containsKey(id)) {
      granted.put(id, new Granted(container, true));
    }
    return granted.containsKey(id);
  }

  /** Notes which task a container is for. False when it is gone already. */
  boolean assign(TaskKey key) {
    assigned.put(key.container(), key); // before the look: it may end between the two
    boolean there = granted.containsKey(key.container());
    if (!there) {
      assigned.remove(key.container());
    }
    return there;
  }

  /** Null when it has ended or was released. */
  Granted get(String container) {
    return granted.get(container);
  }

  /** Which task it is for; null when it has ended, or is for none. */
  TaskKey task(ContainerId container) {
    return assigned.get(container.toString());
  }

  /** It is not used any more, and YARN will tell its end. Null when it has ended already. */
  Granted release(String container) {
    return granted.remove(container);
  }

  /** It has ended. Returns the task that it was for; null when it was for none. */
  TaskKey end(ContainerId container) {
    granted.remove(container.toString());
    return assigned.remove(container.toString());
  }

  Set<String> ids() {
    return Set.copyOf(granted.keySet());
  }

  /** How many are kept in mind, for whatever reason. */
  int size() {
    Set<String> all = new HashSet<>(granted.keySet());
    all.addAll(assigned.keySet());
    return all.size();
  }
}
