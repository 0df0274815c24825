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
import org.jspecify.annotations.Nullable;

/**
 * Containers that YARN has granted to this job, and their tasks. A container is removed when YARN
 * reports its end, or when it is released without ever having had a task. Thread-safe.
 */
final class JobContainers {
  /**
   * A granted container.
   *
   * @param inherited true if YARN granted it to an earlier ApplicationMaster
   */
  record GrantedContainer(Container container, boolean inherited) {}

  /**
   * What is known of a container.
   *
   * @param granted the container; null once it is released
   * @param task task attempt in the container; null if none
   */
  private record Entry(@Nullable GrantedContainer granted, @Nullable TaskKey task) {}

  private final Map<String, Entry> entries = new ConcurrentHashMap<>();

  void grant(Container container) {
    put(new GrantedContainer(container, false));
  }

  /** Adds running containers that an earlier ApplicationMaster left. */
  void inherit(Collection<Container> containers) {
    containers.forEach(container -> put(new GrantedContainer(container, true)));
  }

  private void put(GrantedContainer granted) {
    entries.compute(
        granted.container().getId().toString(),
        (id, entry) -> new Entry(granted, entry == null ? null : entry.task()));
  }

  /**
   * Adds a running container of an earlier ApplicationMaster that YARN reports late.
   *
   * @return false if the container is unknown, so that it should be released
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

  /**
   * Assigns the container to the task attempt. Returns false if the container has ended or was
   * released.
   */
  boolean assign(TaskKey key) {
    Entry entry =
        entries.computeIfPresent(
            key.container(),
            (id, current) ->
                current.granted() == null ? current : new Entry(current.granted(), key));
    return entry != null && entry.granted() != null;
  }

  /** Returns the container; null if it has ended or was released. */
  @Nullable GrantedContainer get(String container) {
    Entry entry = entries.get(container);
    return entry == null ? null : entry.granted();
  }

  /** Returns the task attempt in the container; null if the container has ended or has no task. */
  @Nullable TaskKey task(ContainerId container) {
    Entry entry = entries.get(container.toString());
    return entry == null ? null : entry.task();
  }

  /** Returns true if the container exists and has no task yet. */
  boolean isUnused(ContainerId container) {
    Entry entry = entries.get(container.toString());
    return entry != null && entry.task() == null;
  }

  /** Returns the name of the container's host; empty if the container has ended or was released. */
  String node(ContainerId container) {
    GrantedContainer granted = get(container.toString());
    return granted == null ? "" : granted.container().getNodeId().getHost();
  }

  /**
   * Marks the container as released. If it has a task, it is kept until YARN reports its end.
   *
   * @return the container; null if it has ended or was released before
   */
  @Nullable GrantedContainer release(String container) {
    AtomicReference<GrantedContainer> released = new AtomicReference<>();
    entries.computeIfPresent(
        container,
        (id, current) -> {
          released.set(current.granted());
          return current.task() == null ? null : new Entry(null, current.task());
        });
    return released.get();
  }

  /**
   * Removes a container that has ended.
   *
   * @return the task attempt in it; null if it had none
   */
  @Nullable TaskKey remove(ContainerId container) {
    Entry entry = entries.remove(container.toString());
    return entry == null ? null : entry.task();
  }

  /** Returns the IDs of the containers that are neither released nor ended. */
  Set<String> ids() {
    return entries.entrySet().stream()
        .filter(entry -> entry.getValue().granted() != null)
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns the number of containers, including released ones that are still kept. */
  int size() {
    return entries.size();
  }
}
