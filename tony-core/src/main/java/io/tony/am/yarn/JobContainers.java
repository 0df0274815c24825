package io.tony.am.yarn;

import io.tony.model.TaskKey;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;

/**
 * The containers that YARN gave to this job, and the tasks that they are for. An entry goes when
 * YARN tells that the container has ended, and YARN tells that of every container. Thread-safe.
 */
final class JobContainers {
  /** A container, and whether an earlier ApplicationMaster got it. */
  record GrantedContainer(Container container, boolean inherited) {}

  /**
   * One container.
   *
   * @param granted null once it is released
   * @param task null while it is for none
   */
  private record Entry(GrantedContainer granted, TaskKey task) {}

  private final Map<String, Entry> entries = new ConcurrentHashMap<>();

  void grant(Container container) {
    put(new GrantedContainer(container, false));
  }

  /** Containers that run on from an earlier ApplicationMaster. */
  void inherit(Collection<Container> containers) {
    containers.forEach(container -> put(new GrantedContainer(container, true)));
  }

  private void put(GrantedContainer granted) {
    entries.compute(
        granted.container().getId().toString(),
        (id, entry) -> new Entry(granted, entry == null ? null : entry.task()));
  }

  /**
   * Takes back what YARN tells late.
   *
   * @return false when no task has it by now: it is wanted by nobody
   */
  boolean restore(Container container) {
    Entry entry =
        entries.computeIfPresent(
            container.getId().toString(),
            (id, current) ->
                current.task() == null
                    ? current
                    : new Entry(new GrantedContainer(container, true), current.task()));
    return entry != null;
  }

  /** Notes which task a container is for. False when it is gone already. */
  boolean assign(TaskKey key) {
    Entry entry =
        entries.computeIfPresent(
            key.container(),
            (id, current) ->
                current.granted() == null ? current : new Entry(current.granted(), key));
    return entry != null && entry.granted() != null;
  }

  /** Null when it has ended or was released. */
  GrantedContainer get(String container) {
    Entry entry = entries.get(container);
    return entry == null ? null : entry.granted();
  }

  /** Which task it is for; null when it has ended, or is for none. */
  TaskKey task(ContainerId container) {
    Entry entry = entries.get(container.toString());
    return entry == null ? null : entry.task();
  }

  /** Whether it is there, and for no task yet. */
  boolean isUnused(ContainerId container) {
    Entry entry = entries.get(container.toString());
    return entry != null && entry.task() == null;
  }

  /** The host that it is on; empty when it has ended or was released. */
  String node(ContainerId container) {
    GrantedContainer granted = get(container.toString());
    return granted == null ? "" : granted.container().getNodeId().getHost();
  }

  /** It is not used any more, and YARN will tell its end. Null when it has ended already. */
  GrantedContainer release(String container) {
    AtomicReference<GrantedContainer> released = new AtomicReference<>();
    entries.computeIfPresent(
        container,
        (id, current) -> {
          released.set(current.granted());
          return current.task() == null ? null : new Entry(null, current.task());
        });
    return released.get();
  }

  /** It has ended. Returns the task that it was for; null when it was for none. */
  TaskKey remove(ContainerId container) {
    Entry entry = entries.remove(container.toString());
    return entry == null ? null : entry.task();
  }

  /** Those that can be used. */
  Set<String> ids() {
    return entries.entrySet().stream()
        .filter(entry -> entry.getValue().granted() != null)
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** How many are kept in mind, for whatever reason. */
  int size() {
    return entries.size();
  }
}
