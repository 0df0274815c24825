package io.tony.client.inspect;

import io.tony.client.output.JobLog;
import io.tony.client.output.PrefixedLines;
import io.tony.container.PollInterval;
import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.eventlog.LogTail;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;

/**
 * Prints the output of the user's programs while they write it, for {@code tony logs -follow}.
 * Reads the files from the nodes and, after the end, what is missing from the aggregated logs.
 * Continues with the new container if a task is restarted in another one.
 */
final class LogFollower {
  private static final List<String> FILES = List.of("stdout", "stderr");

  /**
   * Maximum number of tasks that are followed, because each has two files for which its node is
   * polled.
   */
  static final int MAX_TASKS = 32;

  /**
   * Number of consecutive incomplete reads without new data after which a file is given up. A
   * single such read does not show that there is no data, because data in transit is lost if the
   * connection breaks.
   */
  private static final int MAX_EMPTY_ATTEMPTS = 2;

  /**
   * Maximum total wait, for all files together, until the nodes have aggregated their logs after
   * the end of the application.
   */
  private static final Duration MAX_AGGREGATION_WAIT = Duration.ofMinutes(1);

  /** Follows the stdout and stderr of one container. */
  private final class FollowedContainer {
    private final TaskFact.Allocated allocated;
    private final Map<String, PrefixedLines> lines = new TreeMap<>(); // for each of FILES
    private boolean ended;

    FollowedContainer(TaskId id, TaskFact.Allocated allocated) {
      this.allocated = allocated;
      FILES.forEach(file -> addFile(id, file, 0));
    }

    private void addFile(TaskId id, String file, long offset) {
      String task = onlyTask == null ? id + " " : "";
      lines.put(file, new PrefixedLines(task + file + ": ", offset, out));
    }

    private PrefixedLines lines(String file) {
      return Objects.requireNonNull(lines.get(file));
    }

    /**
     * Returns a follower of this container whose further output is printed under another task's
     * name, because a resize gave the container to that task.
     */
    FollowedContainer moveTo(TaskId id) {
      lines.values().forEach(PrefixedLines::close);
      FollowedContainer next = new FollowedContainer(id, allocated);
      lines.forEach((file, before) -> next.addFile(id, file, before.offset()));
      return next;
    }

    /** Prints new output of both files; returns whether there was any. */
    boolean read() throws YarnException {
      boolean news = false;
      for (String file : FILES) {
        long before = lines(file).offset();
        read(file);
        news |= lines(file).offset() > before;
      }
      return news;
    }

    /**
     * Prints new output of one file. Returns false if the node does not provide the file, or not
     * all of it.
     */
    private boolean read(String file) throws YarnException {
      PrefixedLines target = lines(file);
      try {
        logs.copyFromNode(allocated, file, target.offset(), target);
        return true;
      } catch (IOException | IllegalArgumentException e) {
        return false;
      } finally {
        target.flush();
      }
    }

    /**
     * Like {@link #read(String)}, but repeats incomplete reads, until the file is complete or
     * {@link #MAX_EMPTY_ATTEMPTS} reads in a row have got no data. Returns false in the latter
     * case.
     */
    private boolean readAll(String file) throws YarnException {
      PrefixedLines target = lines(file);
      int emptyAttempts = 0;
      while (emptyAttempts < MAX_EMPTY_ATTEMPTS) {
        long before = target.offset();
        if (read(file)) {
          return true;
        }
        emptyAttempts = target.offset() > before ? 0 : emptyAttempts + 1;
      }
      return false;
    }

    /**
     * Prints the rest of the output, after the container's programs have ended.
     *
     * @param aggregated whether to wait for the aggregated logs if the node does not provide the
     *     rest
     */
    void finish(boolean aggregated) throws YarnException, InterruptedException {
      for (String file : FILES) {
        if (!readAll(file) && aggregated) {
          finishFromAggregation(file);
        }
        lines(file).close();
      }
    }

    private void finishFromAggregation(String file) throws InterruptedException {
      PrefixedLines target = lines(file);
      PollInterval interval = EventStream.pollInterval();
      while (true) {
        try {
          logs.copyAggregated(allocated, file, target.offset(), target);
          return;
        } catch (IOException e) {
          if (aggregationWait.compareTo(MAX_AGGREGATION_WAIT) >= 0) {
            out.println(
                "("
                    + allocated.task()
                    + " "
                    + file
                    + ": the rest is neither on the node any more nor among the aggregated logs: "
                    + e.getMessage()
                    + ")");
            return;
          }
        }
        Duration wait = interval.next();
        pause.sleep(wait);
        aggregationWait = aggregationWait.plus(wait);
      }
    }
  }

  private final TaskLogs logs;
  private final @Nullable TaskId onlyTask; // null for all tasks
  private final JobLog out;
  private final EventStream.Pause pause;
  private final EventStream events;
  private final Map<TaskId, FollowedContainer> tasks = new TreeMap<>();

  /**
   * The last container of every task, including tasks that are not followed, because a resize may
   * give a container to another task.
   */
  private final Map<TaskId, TaskFact.Allocated> containers = new HashMap<>();

  private final List<FollowedContainer> replacedContainers = new ArrayList<>();
  private Duration aggregationWait = Duration.ZERO; // total time waited for aggregated logs so far
  private boolean limitReported;

  LogFollower(
      LogTail tail, TaskLogs logs, @Nullable TaskId onlyTask, JobLog out, EventStream.Pause pause) {
    this.logs = logs;
    this.onlyTask = onlyTask;
    this.out = out;
    this.pause = pause;
    this.events = new EventStream(tail, (line, event) -> handle(event));
  }

  /**
   * Follows until the application, or all followed tasks, have ended. Returns false if there was no
   * task to follow.
   */
  boolean followToEnd(EventStream.EndCheck endCheck)
      throws IOException, YarnException, InterruptedException {
    PollInterval interval = EventStream.pollInterval();
    boolean done;
    boolean ended;
    do {
      ended = endCheck.hasEnded();
      boolean news = events.read() > 0;
      for (FollowedContainer before : replacedContainers) {
        // Do not wait for aggregated logs: the output of the new container has to be printed
        // meanwhile.
        before.finish(false);
      }
      replacedContainers.clear();
      for (FollowedContainer task : tasks.values()) {
        news |= task.read();
      }
      ended |= events.isFinished();
      done = ended || (!tasks.isEmpty() && tasks.values().stream().allMatch(task -> task.ended));
      if (news) {
        interval.reset();
      }
      if (!done) {
        pause.sleep(interval.next());
      }
    } while (!done);
    for (FollowedContainer task : tasks.values()) {
      task.finish(ended);
    }
    return !tasks.isEmpty();
  }

  private void handle(JobEvent event) {
    try {
      Fact.of(event).ifPresent(this::handle);
    } catch (IllegalArgumentException e) {
      // Ignore an event whose details this version does not understand.
    }
  }

  private void handle(Fact fact) {
    if (fact instanceof TaskFact.Allocated allocated) {
      containers.put(allocated.task(), allocated);
    }
    if (fact instanceof GangFact.Restarted gang) {
      tasks.forEach((id, task) -> task.ended &= gang.finishedRoles().contains(id.role()));
    } else if (fact instanceof ResizeFact.Resized resized) {
      onResized(resized);
    } else if (fact instanceof TaskFact taskFact
        && (onlyTask == null || onlyTask.equals(taskFact.task()))) {
      FollowedContainer task = tasks.get(taskFact.task());
      if (taskFact instanceof TaskFact.Allocated allocated) {
        onAllocated(task, allocated);
      } else if (task != null) {
        task.ended =
            taskFact instanceof TaskFact.Succeeded
                || taskFact instanceof TaskFact.Failed
                || taskFact instanceof TaskFact.Stopped;
      }
    }
  }

  private void onResized(ResizeFact.Resized fact) {
    fact.moveToNewTasks(containers);
    fact.movedIndices().forEach((old, now) -> onMoved(fact.role(), old, now));
    if (onlyTask == null) {
      tasks.entrySet().stream()
          .filter(task -> fact.isGone(task.getKey()))
          .map(Map.Entry::getValue)
          .forEach(replacedContainers::add);
      tasks.keySet().removeIf(fact::isGone);
    } else if (fact.isGone(onlyTask)) {
      tasks.values().forEach(task -> task.ended = true);
    }
  }

  private void onMoved(String role, int from, int to) {
    TaskId old = new TaskId(role, from);
    TaskId now = new TaskId(role, to);
    FollowedContainer next = null;
    if (onlyTask == null && tasks.containsKey(old)) {
      next = tasks.remove(old).moveTo(now);
    } else if (now.equals(onlyTask) && containers.containsKey(now)) {
      next = new FollowedContainer(now, containers.get(now));
    }
    if (next != null) {
      FollowedContainer before = tasks.put(now, next);
      if (before != null) {
        replacedContainers.add(before);
      }
    }
  }

  private void onAllocated(@Nullable FollowedContainer before, TaskFact.Allocated allocated) {
    if (before != null) {
      replacedContainers.add(before);
    } else if (tasks.size() == MAX_TASKS) {
      if (!limitReported) {
        out.println(
            "(only " + MAX_TASKS + " tasks are followed at once; name one to follow another)");
      }
      limitReported = true;
      return;
    }
    tasks.put(allocated.task(), new FollowedContainer(allocated.task(), allocated));
  }
}
