package io.tony.timeline;

import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.model.TaskId;
import io.tony.timeline.TaskAttempt.End;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the current attempt of each task of a job, and counts the tasks that wait for a container
 * or for the start of their program. Not thread-safe.
 */
final class TaskAttempts {
  private final Map<TaskId, Track> tracks = new TreeMap<>();
  private final Consumer<TaskAttempt> onEnded;

  /** When containers were last requested, by role. */
  private final Map<String, Instant> requested = new HashMap<>();

  /** Number of the first attempt of added tasks, by role; only for roles that have grown. */
  private final Map<String, Integer> firstNumbers = new HashMap<>();

  private int pendingContainers;
  private int waitingExecutors;

  /** {@code onEnded} receives each attempt when the attempt has ended. */
  TaskAttempts(Consumer<TaskAttempt> onEnded) {
    this.onEnded = onEnded;
  }

  /**
   * Returns how many requested containers are not allocated yet, not counting those for tasks that
   * restart on their own.
   */
  int pendingContainers() {
    return pendingContainers;
  }

  /** Returns the number of executors that have registered and whose program does not run yet. */
  int waitingExecutors() {
    return waitingExecutors;
  }

  void add(Instant at, int session, Fact fact) {
    if (fact instanceof TaskFact of) {
      add(at, session, of, track(of.task()));
    } else if (fact instanceof GangFact.Requested of) {
      of.roles().forEach(role -> requested.put(role, at));
      pendingContainers += of.taskCount();
    } else if (fact instanceof GangFact.BackedOff) {
      pendingContainers = 0;
      tracks.values().forEach(track -> track.giveBack(at));
    } else if (fact instanceof GangFact.Restarted of) {
      tracks.values().forEach(track -> track.restart(at, session + 1, of));
    } else if (fact instanceof ResizeFact.Resized of) {
      resize(at, session, of);
    } else if (fact instanceof JobFact.Finished) {
      endAll(at);
    }
  }

  private void add(Instant at, int session, TaskFact fact, Track track) {
    if (fact instanceof TaskFact.Allocated of) {
      pendingContainers = Math.max(0, pendingContainers - (track.alone ? 0 : 1));
      track.markAllocated(at, session, of.node());
    } else if (fact instanceof TaskFact.Registered) {
      track.markRegistered(at, session);
    } else if (fact instanceof TaskFact.Started) {
      track.markStarted(at, session);
    } else if (fact instanceof TaskFact.Failed) {
      track.end(at, End.FAILED);
    } else if (fact instanceof TaskFact.Succeeded) {
      track.end(at, End.SUCCEEDED);
    } else if (fact instanceof TaskFact.Stopped) {
      pendingContainers =
          Math.max(0, pendingContainers - (track.isWaiting() && !track.alone ? 1 : 0));
      track.end(at, End.STOPPED);
    } else if (fact instanceof TaskFact.Restarted of) {
      track.end(at, End.RESTARTED);
      track.begin(at, session, of.attempt(), of.sameContainer(), of.alone());
    }
  }

  /**
   * Applies a resize, and adjusts the number of containers that the gang waits for. Tasks that are
   * removed while no program runs no longer wait for containers. A task that is added while
   * programs run waits for a container until its allocation, which is the next event in the log.
   */
  private void resize(Instant at, int session, ResizeFact.Resized fact) {
    if (fact.shrinks() != fact.live()) {
      pendingContainers = Math.max(0, pendingContainers + fact.taskCountChange());
    }
    fact.movedIndices()
        .forEach(
            (old, now) -> {
              Track from = tracks.get(new TaskId(fact.role(), old));
              if (from != null) {
                track(new TaskId(fact.role(), now)).takeOver(at, session, fact.attempt(), from);
              }
            });
    tracks.values().stream()
        .filter(track -> fact.isGone(track.task))
        .forEach(track -> track.remove(at));
    tracks.keySet().removeIf(fact::isGone);
    if (!fact.shrinks()) {
      firstNumbers.put(fact.role(), fact.attempt());
      requested.put(fact.role(), at);
    }
  }

  private Track track(TaskId task) {
    return tracks.computeIfAbsent(task, Track::new);
  }

  /** Ends all attempts that have not ended, at the end {@code at} of the job. */
  void endAll(Instant at) {
    tracks.values().forEach(track -> track.end(at, End.STOPPED));
  }

  /** Returns the attempts that have not ended, in the order of the tasks. */
  List<TaskAttempt> open() {
    return tracks.values().stream().map(track -> track.open).filter(Objects::nonNull).toList();
  }

  /** The last ended attempt of a task, and its current attempt; each is null if there is none. */
  private final class Track {
    private final TaskId task;
    private @Nullable TaskAttempt last;
    private @Nullable TaskAttempt open;
    private String node = "";

    /**
     * True if the task was restarted on its own, so that the gang does not wait for its container.
     */
    private boolean alone;

    Track(TaskId task) {
      this.task = task;
    }

    /** Starts an attempt, in the existing container or in a new one. */
    void begin(Instant at, int session, int number, boolean reusesContainer, boolean startsAlone) {
      alone = startsAlone;
      open =
          new TaskAttempt(
              task,
              number,
              session,
              reusesContainer ? node : "",
              reusesContainer,
              reusesContainer ? null : at,
              reusesContainer ? at : null,
              null,
              null,
              null,
              null);
      pendingContainers += reusesContainer || alone ? 0 : 1;
    }

    /**
     * Returns the current attempt; if there is none, because its begin is not recorded, a new one.
     */
    private TaskAttempt open(int session) {
      if (open != null) {
        return open;
      }
      int number = last == null ? firstNumbers.getOrDefault(task.role(), 0) : last.number();
      return new TaskAttempt(
          task, number, session, node, false, null, null, null, null, null, null);
    }

    void markAllocated(Instant at, int session, String where) {
      TaskAttempt previous = open(session);
      Instant since =
          previous.requested() == null ? requested.get(task.role()) : previous.requested();
      node = where;
      open =
          new TaskAttempt(
              task, previous.number(), session, where, false, since, at, null, null, null, null);
    }

    void markRegistered(Instant at, int session) {
      TaskAttempt previous = open(session);
      if (previous.registered() == null) {
        waitingExecutors++;
        open = copy(previous, at, null, null, null);
      }
    }

    void markStarted(Instant at, int session) {
      TaskAttempt previous = open(session);
      if (previous.started() == null) {
        waitingExecutors -= previous.registered() == null ? 0 : 1;
        open = copy(previous, previous.registered(), at, null, null);
      }
    }

    void end(Instant at, End outcome) {
      if (open != null) {
        waitingExecutors -= open.registered() != null && open.started() == null ? 1 : 0;
        last = copy(open, open.registered(), open.started(), at, outcome);
        onEnded.accept(last);
        open = null;
      }
    }

    private TaskAttempt copy(
        TaskAttempt previous,
        @Nullable Instant registered,
        @Nullable Instant started,
        @Nullable Instant ended,
        @Nullable End end) {
      return new TaskAttempt(
          task,
          previous.number(),
          previous.session(),
          previous.node(),
          previous.reusesContainer(),
          previous.requested(),
          previous.allocated(),
          registered,
          started,
          ended,
          end);
    }

    /**
     * Ends the attempt because the gang released its container. Does nothing if the program runs,
     * which is possible for a task that was restarted on its own: this task keeps its container.
     */
    void giveBack(Instant at) {
      if (open != null && open.started() == null) {
        end(at, End.GIVEN_BACK);
      }
    }

    /**
     * Ends the attempt of task {@code other}, and starts an attempt of this task in the same
     * container.
     */
    void takeOver(Instant at, int session, int number, Track other) {
      if (open != null && open.allocated() != null) {
        // A task has a container of its own here only if the log has a gap; end its attempt, too.
        end(at, End.STOPPED);
      }
      Instant since = open == null ? requested.get(task.role()) : open.requested();
      boolean waited = since != null && since.isBefore(at);
      node = other.node;
      open =
          new TaskAttempt(
              task, number, session, node, true, waited ? since : null, at, null, null, null, null);
      other.end(at, End.RESTARTED);
    }

    boolean isWaiting() {
      return open != null && open.allocated() == null && open.registered() == null;
    }

    /**
     * Ends the attempt of a removed task. Does nothing if the task waited for a container and no
     * request before the time {@code at} is known; the attempt is then dropped.
     */
    void remove(Instant at) {
      boolean hasWaited = open != null && open.requested() != null && open.requested().isBefore(at);
      if (!isWaiting() || hasWaited) {
        end(at, End.STOPPED);
      }
    }

    void restart(Instant at, int session, GangFact.Restarted gang) {
      if (open != null) {
        if (open.allocated() != null || open.registered() != null) {
          end(at, End.RESTARTED);
          begin(at, session, gang.attempt(), true, false);
        } else {
          pendingContainers += alone ? 1 : 0;
          alone = false;
          open = open.withNumber(gang.attempt());
        }
      } else if (last != null) {
        boolean ended = last.end() == End.SUCCEEDED || last.end() == End.FAILED;
        boolean done = ended && gang.finishedRoles().contains(task.role());
        if (!done && last.end() != End.GIVEN_BACK) {
          begin(
              at,
              session,
              gang.attempt(),
              gang.failedContainerKept() && task.equals(gang.task()),
              false);
        }
      }
    }
  }
}
