package io.tony.am.machine;

import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskState;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * All tasks of a job, immutable. A change copies one chunk and the list of chunks, not the table,
 * so that a job of 10,000 tasks pays for one event what a job of 100 pays. Counts per state come
 * with it.
 */
public final class TaskTable implements Iterable<Task> {
  private static final int CHUNK = 128;

  private final Map<String, Integer> offsets;
  private final Task[][] chunks;
  private final Map<TaskState, Integer> counts;
  private final int size;

  private TaskTable(
      Map<String, Integer> offsets, Task[][] chunks, Map<TaskState, Integer> counts, int size) {
    this.offsets = offsets;
    this.chunks = chunks;
    this.counts = counts;
    this.size = size;
  }

  static TaskTable of(JobSpec job) {
    Map<String, Integer> offsets = new LinkedHashMap<>();
    List<Task> tasks = new ArrayList<>();
    for (RoleSpec role : job.roles()) {
      offsets.put(role.name(), tasks.size());
      for (int index = 0; index < role.instances(); index++) {
        tasks.add(Task.waiting(new TaskId(role.name(), index)));
      }
    }
    Task[][] chunks = new Task[(tasks.size() + CHUNK - 1) / CHUNK][];
    for (int i = 0; i < chunks.length; i++) {
      int end = Math.min(tasks.size(), (i + 1) * CHUNK);
      chunks[i] = tasks.subList(i * CHUNK, end).toArray(new Task[0]);
    }
    Map<TaskState, Integer> counts = new EnumMap<>(TaskState.class);
    counts.put(TaskState.WAITING, tasks.size());
    return new TaskTable(offsets, chunks, counts, tasks.size());
  }

  public Task get(TaskId id) {
    int position = position(id);
    return chunks[position / CHUNK][position % CHUNK];
  }

  /** True when the job has such a task. */
  public boolean contains(TaskId id) {
    Integer offset = offsets.get(id.role());
    return offset != null && id.index() < size - offset && get(id).id().equals(id);
  }

  /** This table with the task of the same id replaced. */
  TaskTable with(Task task) {
    int position = position(task.id());
    Task[][] nextChunks = chunks.clone();
    Task[] chunk = chunks[position / CHUNK].clone();
    Map<TaskState, Integer> nextCounts = new EnumMap<>(counts);
    nextCounts.merge(chunk[position % CHUNK].state(), -1, Integer::sum);
    nextCounts.merge(task.state(), 1, Integer::sum);
    chunk[position % CHUNK] = task;
    nextChunks[position / CHUNK] = chunk;
    return new TaskTable(offsets, nextChunks, nextCounts, size);
  }

  public int count(TaskState state) {
    return counts.getOrDefault(state, 0);
  }

  public int size() {
    return size;
  }

  /** How many tasks occupy a container. */
  int holdingContainers() {
    int sum = 0;
    for (TaskState state : TaskState.values()) {
      sum += state.holdsContainer() ? count(state) : 0;
    }
    return sum;
  }

  /** The cluster of all tasks; every task must have an endpoint. */
  ClusterSpec cluster() {
    Map<String, List<Endpoint>> members = new LinkedHashMap<>();
    for (Task task : this) {
      members.computeIfAbsent(task.id().role(), role -> new ArrayList<>()).add(task.endpoint());
    }
    return new ClusterSpec(members);
  }

  private int position(TaskId id) {
    Integer offset = offsets.get(id.role());
    if (offset == null || id.index() >= size - offset) {
      throw new NoSuchElementException("no task " + id);
    }
    return offset + id.index();
  }

  @Override
  public Iterator<Task> iterator() {
    return new Iterator<>() {
      private int next;

      @Override
      public boolean hasNext() {
        return next < size;
      }

      @Override
      public Task next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        Task task = chunks[next / CHUNK][next % CHUNK];
        next++;
        return task;
      }
    };
  }
}
