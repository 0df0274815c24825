package io.tony.am.machine;

import io.tony.event.ResizeFact;
import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * All tasks of a job. Immutable. A change copies one chunk of tasks, the list of chunks and the
 * counts of one role instead of the whole table. Therefore an event costs about as much in a job of
 * 10,000 tasks as in a job of 100.
 */
public final class TaskTable implements Iterable<Task> {
  private static final int CHUNK_SIZE = 128;

  /**
   * Where a role's tasks are in the table, and how many there are in each state.
   *
   * @param offset position of the role's first task
   * @param size number of the role's tasks
   * @param counts number of the role's tasks, by state
   * @param aloneCounts number of those tasks of the role that start alone, by state
   * @param firstRequested no task with a smaller index is in state REQUESTED
   */
  private record RolePart(
      int offset,
      int size,
      Map<TaskState, Integer> counts,
      Map<TaskState, Integer> aloneCounts,
      int firstRequested) {
    int count(TaskState state) {
      return counts.getOrDefault(state, 0);
    }

    int countTogether(TaskState state) {
      return count(state) - aloneCounts.getOrDefault(state, 0);
    }

    RolePart afterChange(Task before, Task after) {
      Map<TaskState, Integer> nextCounts = new EnumMap<>(counts);
      nextCounts.merge(before.state(), -1, Integer::sum);
      nextCounts.merge(after.state(), 1, Integer::sum);
      Map<TaskState, Integer> nextAlone = new EnumMap<>(TaskState.class);
      nextAlone.putAll(aloneCounts);
      nextAlone.merge(before.state(), before.alone() ? -1 : 0, Integer::sum);
      nextAlone.merge(after.state(), after.alone() ? 1 : 0, Integer::sum);
      int first = firstRequested;
      if (after.state() == TaskState.REQUESTED) {
        first = Math.min(first, after.id().index());
      } else if (after.id().index() == first) {
        first++;
      }
      return new RolePart(offset, size, nextCounts, nextAlone, first);
    }
  }

  private final Map<String, Integer> positions;
  private final RolePart[] parts;
  private final Task[][] chunks;
  private final int size;

  private TaskTable(Map<String, Integer> positions, RolePart[] parts, Task[][] chunks, int size) {
    this.positions = positions;
    this.parts = parts;
    this.chunks = chunks;
    this.size = size;
  }

  static TaskTable of(JobSpec job) {
    Map<String, Integer> positions = new LinkedHashMap<>();
    List<RolePart> parts = new ArrayList<>();
    List<Task> tasks = new ArrayList<>();
    for (RoleSpec role : job.roles()) {
      Map<TaskState, Integer> counts = new EnumMap<>(TaskState.class);
      counts.put(TaskState.WAITING, role.instances());
      positions.put(role.name(), parts.size());
      parts.add(new RolePart(tasks.size(), role.instances(), counts, Map.of(), role.instances()));
      for (int index = 0; index < role.instances(); index++) {
        tasks.add(Task.waiting(new TaskId(role.name(), index)));
      }
    }
    Task[][] chunks = new Task[(tasks.size() + CHUNK_SIZE - 1) / CHUNK_SIZE][];
    for (int i = 0; i < chunks.length; i++) {
      int end = Math.min(tasks.size(), (i + 1) * CHUNK_SIZE);
      chunks[i] = tasks.subList(i * CHUNK_SIZE, end).toArray(new Task[0]);
    }
    return new TaskTable(positions, parts.toArray(new RolePart[0]), chunks, tasks.size());
  }

  /**
   * Returns the table after a change of a role's size. Moved tasks have new indexes. New tasks are
   * requested; they start alone if they join a running gang.
   */
  TaskTable resized(JobSpec job, ResizeFact.Resized fact, Instant at) {
    TaskTable next = of(job);
    for (Task task : this) {
      if (next.contains(task.id())) {
        // A gang of another size may fail for another reason, so every streak ends. With live
        // resize, the programs run on and keep their streaks.
        next = next.with(fact.live() ? task : task.with(FailureStreak.NONE));
      }
    }
    for (Map.Entry<Integer, Integer> move : fact.movedIndices().entrySet()) {
      Task from = get(new TaskId(fact.role(), move.getKey()));
      next = next.with(from.movedTo(new TaskId(fact.role(), move.getValue()), fact.attempt(), at));
    }
    for (int index = fact.previousInstances(); index < fact.instances(); index++) {
      Task fresh = next.get(new TaskId(fact.role(), index));
      next = next.with(fresh.requestedAgain(fact.attempt(), at).withAlone(fact.live()));
    }
    return next;
  }

  /** Returns the task of the role that has the container; null if there is no such task or role. */
  @Nullable Task taskInContainer(String container, String role) {
    return positions.containsKey(role)
        ? of(role).stream()
            .filter(task -> task.container().equals(container))
            .findFirst()
            .orElse(null)
        : null;
  }

  public Task get(TaskId id) {
    int position = positionOf(id);
    return chunks[position / CHUNK_SIZE][position % CHUNK_SIZE];
  }

  /** Returns true if the job has this task. */
  public boolean contains(TaskId id) {
    Integer position = positions.get(id.role());
    return position != null && id.index() < parts[position].size();
  }

  /** Returns a copy in which this task replaces the one with the same id. */
  TaskTable with(Task task) {
    int position = positionOf(task.id());
    Task[][] nextChunks = chunks.clone();
    Task[] chunk = chunks[position / CHUNK_SIZE].clone();
    Task before = chunk[position % CHUNK_SIZE];
    chunk[position % CHUNK_SIZE] = task;
    nextChunks[position / CHUNK_SIZE] = chunk;
    if (before.state() == task.state() && before.alone() == task.alone()) {
      return new TaskTable(positions, parts, nextChunks, size);
    }
    int part = partIndex(task.id().role());
    RolePart[] nextParts = parts.clone();
    nextParts[part] = parts[part].afterChange(before, task);
    return new TaskTable(positions, nextParts, nextChunks, size);
  }

  /**
   * Returns the task of the role that gets the next container; null if none waits for a container.
   */
  @Nullable Task firstRequested(String role) {
    RolePart part = part(role);
    for (int index = part.firstRequested(); index < part.size(); index++) {
      Task task = get(new TaskId(role, index));
      if (task.state() == TaskState.REQUESTED) {
        return task;
      }
    }
    return null;
  }

  /** Returns the tasks of one role, ordered by index. */
  List<Task> of(String role) {
    RolePart part = part(role);
    List<Task> tasks = new ArrayList<>(part.size());
    for (int index = 0; index < part.size(); index++) {
      tasks.add(get(new TaskId(role, index)));
    }
    return tasks;
  }

  Stream<Task> stream() {
    return StreamSupport.stream(spliterator(), false);
  }

  public int count(TaskState state) {
    int sum = 0;
    for (RolePart part : parts) {
      sum += part.count(state);
    }
    return sum;
  }

  int count(String role, TaskState state) {
    return part(role).count(state);
  }

  /** Returns the number of the role's tasks in this state, not counting tasks that start alone. */
  int countTogether(String role, TaskState state) {
    return part(role).countTogether(state);
  }

  /** Returns the number of the role's tasks that have ended. */
  int endedCount(String role) {
    return count(role, TaskState::ended);
  }

  /** Returns the number of the role's tasks that hold a container. */
  int containerCount(String role) {
    return count(role, TaskState::holdsContainer);
  }

  private int count(String role, Predicate<TaskState> filter) {
    int sum = 0;
    for (TaskState state : TaskState.values()) {
      sum += filter.test(state) ? count(role, state) : 0;
    }
    return sum;
  }

  public int size() {
    return size;
  }

  /** Returns the number of tasks that hold a container. */
  int containerCount() {
    return positions.keySet().stream().mapToInt(this::containerCount).sum();
  }

  /**
   * Returns the cluster as programs see it. A role belongs to it if all of its tasks, except new
   * members, have registered a port and not all of them have ended. Roles that wait for other roles
   * and finished roles are left out.
   */
  ClusterSpec cluster() {
    Map<String, List<Endpoint>> members = new LinkedHashMap<>();
    for (String role : positions.keySet()) {
      int instances = part(role).size();
      List<Endpoint> endpoints = endpoints(role, instances);
      boolean complete =
          endpoints.size() == instances || get(new TaskId(role, endpoints.size())).alone();
      if (complete && endedCount(role) < instances) {
        members.put(role, endpoints);
      }
    }
    return new ClusterSpec(members);
  }

  private List<Endpoint> endpoints(String role, int instances) {
    List<Endpoint> endpoints = new ArrayList<>(instances);
    for (int index = 0; index < instances; index++) {
      Endpoint endpoint = get(new TaskId(role, index)).endpoint();
      if (endpoint == null) {
        break;
      }
      endpoints.add(endpoint);
    }
    return endpoints;
  }

  /**
   * Returns the task's position in the table, from 0.
   *
   * @throws NoSuchElementException if there is no such task
   */
  int positionOf(TaskId id) {
    if (!contains(id)) {
      throw new NoSuchElementException("no task " + id);
    }
    return part(id.role()).offset() + id.index();
  }

  private RolePart part(String role) {
    return parts[partIndex(role)];
  }

  private int partIndex(String role) {
    return Objects.requireNonNull(positions.get(role));
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
        Task task = chunks[next / CHUNK_SIZE][next % CHUNK_SIZE];
        next++;
        return task;
      }
    };
  }
}
