package io.tony.client.follow;

import io.tony.container.LookInterval;
import io.tony.eventlog.LogTail;
import io.tony.fact.Fact;
import io.tony.fact.GangFact;
import io.tony.fact.SizeFact;
import io.tony.fact.TaskFact;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * {@code tony logs -follow}: what the programs of tasks write, as they write it, from their nodes;
 * what is left at the end from where the nodes have put it. A task that is started again in another
 * container is followed there.
 */
final class LogFollowing {
  private static final List<String> FILES = List.of("stdout", "stderr");

  /** Each is two files that nodes are asked for again and again. */
  static final int MOST_TASKS = 32;

  /** What a connection that breaks had on its way may be lost with it. */
  private static final int MAX_IN_VAIN = 2;

  /** In which nodes hand in what they have, all files together, once the application has ended. */
  private static final Duration AGGREGATED_WITHIN = Duration.ofMinutes(1);

  /** The files of one container. */
  private final class Followed {
    private final TaskFact.Allocated allocated;
    private final Map<String, PrefixedLines> lines = new TreeMap<>();
    private boolean ended;

    Followed(TaskId id, TaskFact.Allocated allocated) {
      this.allocated = allocated;
      FILES.forEach(file -> take(id, file, 0));
    }

    private void take(TaskId id, String file, long offset) {
      String task = named == null ? id + " " : "";
      lines.put(file, new PrefixedLines(task + file + ": ", offset, out));
    }

    /** The same container is another task's: what it writes from now on is told as that one's. */
    Followed movedTo(TaskId id) {
      lines.values().forEach(PrefixedLines::close);
      Followed next = new Followed(id, allocated);
      lines.forEach((file, before) -> next.take(id, file, before.offset()));
      return next;
    }

    /** Prints what is new; answers whether anything was. */
    boolean read() throws YarnException {
      boolean news = false;
      for (String file : FILES) {
        long before = lines.get(file).offset();
        read(file);
        news |= lines.get(file).offset() > before;
      }
      return news;
    }

    /** False where the node does not give the file, or all of it: not yet, or no longer. */
    private boolean read(String file) throws YarnException {
      PrefixedLines to = lines.get(file);
      try {
        logs.copyFromNode(allocated, file, to.offset(), to);
        return true;
      } catch (IOException | IllegalArgumentException e) {
        return false;
      } finally {
        to.flush();
      }
    }

    /** As {@link #read}, asking again where an answer breaks off; twice where it gave nothing. */
    private boolean readAll(String file) throws YarnException {
      PrefixedLines to = lines.get(file);
      int inVain = 0;
      while (inVain < MAX_IN_VAIN) {
        long before = to.offset();
        if (read(file)) {
          return true;
        }
        inVain = to.offset() > before ? 0 : inVain + 1;
      }
      return false;
    }

    /** All that is left, once its programs have ended. */
    void finish(boolean collected) throws YarnException, InterruptedException {
      for (String file : FILES) {
        if (!readAll(file) && collected) {
          finishFromAggregation(file);
        }
        lines.get(file).close();
      }
    }

    private void finishFromAggregation(String file) throws InterruptedException {
      LookInterval interval = EventStream.interval();
      while (true) {
        try {
          logs.copyAggregated(allocated, file, lines.get(file).offset(), lines.get(file));
          return;
        } catch (IOException e) {
          if (waited.compareTo(AGGREGATED_WITHIN) >= 0) {
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
        pause.take(wait);
        waited = waited.plus(wait);
      }
    }
  }

  private final TaskLogs logs;
  private final TaskId named; // null for all
  private final JobLog out;
  private final EventStream.Pause pause;
  private final EventStream events;
  private final Map<TaskId, Followed> tasks = new TreeMap<>();

  /** The last of every task, also of those that are not followed: they may become others'. */
  private final Map<TaskId, TaskFact.Allocated> containers = new HashMap<>();

  private final List<Followed> replaced = new ArrayList<>();
  private Duration waited = Duration.ZERO; // for what the nodes hand in
  private boolean toldOfMore;

  LogFollowing(LogTail tail, TaskLogs logs, TaskId named, JobLog out, EventStream.Pause pause) {
    this.logs = logs;
    this.named = named;
    this.out = out;
    this.pause = pause;
    this.events = new EventStream(tail, (line, event) -> take(event));
  }

  /** Returns when the task, or all of them, or the job has ended; false where there was no task. */
  boolean toTheEnd(EventStream.End end) throws IOException, YarnException, InterruptedException {
    LookInterval interval = EventStream.interval();
    boolean over;
    boolean ended;
    do {
      ended = end.isThere();
      boolean news = events.read() > 0;
      for (Followed before : replaced) {
        before.finish(false); // it may be elsewhere already, and its successor is of more interest
      }
      replaced.clear();
      for (Followed task : tasks.values()) {
        news |= task.read();
      }
      ended |= events.isFinished();
      over = ended || (!tasks.isEmpty() && tasks.values().stream().allMatch(task -> task.ended));
      if (news) {
        interval.restart();
      }
      if (!over) {
        pause.take(interval.next());
      }
    } while (!over);
    for (Followed task : tasks.values()) {
      task.finish(ended);
    }
    return !tasks.isEmpty();
  }

  private void take(JobEvent event) {
    try {
      Fact.of(event).ifPresent(this::take);
    } catch (IllegalArgumentException e) {
      // It is of another version.
    }
  }

  private void take(Fact fact) {
    if (fact instanceof TaskFact.Allocated allocated) {
      containers.put(allocated.task(), allocated);
    }
    if (fact instanceof GangFact.Restarted gang) {
      tasks.forEach((id, task) -> task.ended &= gang.done().contains(id.role()));
    } else if (fact instanceof SizeFact.Resized resized) {
      resized(resized);
    } else if (fact instanceof TaskFact about && (named == null || named.equals(about.task()))) {
      Followed task = tasks.get(about.task());
      if (about instanceof TaskFact.Allocated allocated) {
        allocated(task, allocated);
      } else if (task != null) {
        task.ended =
            about instanceof TaskFact.Succeeded
                || about instanceof TaskFact.Failed
                || about instanceof TaskFact.Stopped;
      }
    }
  }

  private void resized(SizeFact.Resized fact) {
    fact.moveIn(containers);
    fact.moved().forEach((old, now) -> moved(fact.role(), old, now));
    if (named == null) {
      tasks.entrySet().stream()
          .filter(task -> fact.isGone(task.getKey()))
          .map(Map.Entry::getValue)
          .forEach(replaced::add);
      tasks.keySet().removeIf(fact::isGone);
    } else if (fact.isGone(named)) {
      tasks.values().forEach(task -> task.ended = true);
    }
  }

  private void moved(String role, int from, int to) {
    TaskId old = new TaskId(role, from);
    TaskId now = new TaskId(role, to);
    Followed next = null;
    if (named == null && tasks.containsKey(old)) {
      next = tasks.remove(old).movedTo(now);
    } else if (now.equals(named) && containers.containsKey(now)) {
      next = new Followed(now, containers.get(now));
    }
    if (next != null) {
      Followed before = tasks.put(now, next);
      if (before != null) {
        replaced.add(before);
      }
    }
  }

  private void allocated(Followed before, TaskFact.Allocated allocated) {
    if (before != null) {
      replaced.add(before);
    } else if (tasks.size() == MOST_TASKS) {
      if (!toldOfMore) {
        out.println(
            "(only " + MOST_TASKS + " tasks are followed at once; name one to follow another)");
      }
      toldOfMore = true;
      return;
    }
    tasks.put(allocated.task(), new Followed(allocated.task(), allocated));
  }
}
