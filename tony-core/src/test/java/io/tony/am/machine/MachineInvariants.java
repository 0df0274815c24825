package io.tony.am.machine;

import io.tony.model.ClusterSpec;
import io.tony.model.DistributedMode;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What must hold whatever happens (ARCHITECTURE.md, the first decision). It is shown every event
 * with the state before it and the decision, and keeps books of its own, without looking at how the
 * machine came to it.
 */
final class MachineInvariants {
  private final JobSpec job;
  private final Map<String, Integer> owed = new HashMap<>();
  private final Set<String> unused = new HashSet<>();
  private final Map<String, TaskKey> launched = new HashMap<>();
  private final Set<TaskKey> over = new HashSet<>();
  private final Set<TaskKey> registered = new HashSet<>();
  private final Set<TaskKey> started = new HashSet<>();
  private final List<JobEvent> facts = new ArrayList<>();
  private final Set<Event.Kind> seen = new HashSet<>();
  private boolean programTimedOut;

  /** Somebody stopped the job, its time is up, or nobody serves it any more. */
  private boolean mustEnd;

  private JobResult result;

  MachineInvariants(JobSpec job) {
    this.job = job;
  }

  boolean finished() {
    return result != null;
  }

  JobResult result() {
    return result;
  }

  void check(JobState before, Event event, Decision decision) {
    note(event);
    taskEndsAreFinal(before, decision.state());
    if (before.phase() == Phase.FINISHED) {
      require(decision.state().equals(before), "the end of the job has changed");
    }
    List<TaskKey> startedNow = new ArrayList<>();
    for (Action action : decision.actions()) {
      if (action instanceof Action.StartTask start) {
        startedNow.add(start.key());
        checkStart(start, decision.state());
      } else {
        check(action);
      }
    }
    if (!startedNow.isEmpty() && job.mode() == DistributedMode.GANG) {
      long running = decision.state().tasks().count(TaskState.RUNNING);
      require(running == startedNow.size(), "a partial gang was started: " + startedNow);
    }
    require(
        (decision.state().phase() == Phase.FINISHED) == finished(),
        "the phase is " + decision.state().phase() + ", the result " + result);
  }

  private void note(Event event) {
    seen.add(event.kind());
    if (event instanceof Event.ContainerAllocated allocated) {
      unused.add(allocated.container());
    } else if (event instanceof Event.ContainerEnded ended) {
      over.add(ended.key());
    } else if (event instanceof Event.TaskRegistered registration) {
      registered.add(registration.key());
    } else if (event instanceof Event.TaskExited exited) {
      over.add(exited.key());
      programTimedOut |= exited.exit().timedOut();
    } else if (event instanceof Event.TimerFired fired) {
      mustEnd |= fired.timer() == Timer.APPLICATION;
    } else if (event.kind() == Event.Kind.STOP_REQUESTED
        || event.kind() == Event.Kind.SCHEDULER_FAILED) {
      mustEnd = true;
    }
  }

  private static void taskEndsAreFinal(JobState before, JobState after) {
    if (before.session() == after.session() && before.phase() != Phase.NEW) {
      for (Task task : before.tasks()) {
        TaskState next = after.tasks().get(task.id()).state();
        require(
            !task.state().ended() || next == task.state(),
            task.id() + " was " + task.state() + " and is " + next);
      }
    }
  }

  private void check(Action action) {
    if (action instanceof Action.RequestContainers request) {
      require(!mustEnd, "asked for while the job must end: " + request);
      owed.merge(request.role().name(), request.count(), Integer::sum);
    } else if (action instanceof Action.CancelRequests cancel) {
      owed.merge(cancel.role().name(), -cancel.count(), Integer::sum);
      require(owed.get(cancel.role().name()) >= 0, "more taken back than asked for: " + cancel);
    } else if (action instanceof Action.ReleaseContainer release) {
      require(unused.remove(release.container()), "released while in use: " + release);
    } else if (action instanceof Action.LaunchExecutor launch) {
      checkLaunch(launch.key());
    } else if (action instanceof Action.StopTask stop) {
      require(launched.containsValue(stop.key()), "stopped and never launched: " + stop);
    } else if (action instanceof Action.StopContainer stop) {
      require(launched.containsValue(stop.key()), "stopped and never launched: " + stop);
      over.add(stop.key());
    } else if (action instanceof Action.AppendEvent append) {
      checkFact(append.event());
    } else if (action instanceof Action.Finish finish) {
      require(result == null, "finished twice");
      result = finish.result();
      checkEnd();
    }
  }

  private void checkLaunch(TaskKey key) {
    require(unused.remove(key.container()), "launched without a container of its own: " + key);
    require(launched.put(key.container(), key) == null, "launched twice: " + key);
    owed.merge(key.task().role(), -1, Integer::sum);
    require(owed.get(key.task().role()) >= 0, "more launched than asked for: " + key);
  }

  private void checkStart(Action.StartTask start, JobState state) {
    require(started.add(start.key()), "started twice: " + start.key());
    require(registered.contains(start.key()), "started and never registered: " + start.key());
    require(start.key().attempt() == state.session(), "of another attempt: " + start.key());
    ClusterSpec expected = clusterFor(start.key().task(), state.tasks());
    require(start.cluster().equals(expected), start + " and not " + expected);
  }

  /** The whole cluster, or the task alone where tasks are served as they come. */
  private ClusterSpec clusterFor(TaskId self, TaskTable tasks) {
    Map<String, List<Endpoint>> members = new HashMap<>();
    for (Task task : tasks) {
      if (job.mode() == DistributedMode.GANG || task.id().equals(self)) {
        require(task.endpoint() != null, task.id() + " is missing in the cluster");
        members.computeIfAbsent(task.id().role(), r -> new ArrayList<>()).add(task.endpoint());
      }
    }
    return new ClusterSpec(members);
  }

  private void checkFact(JobEvent fact) {
    require(facts.isEmpty() || !fact.time().isBefore(last().time()), "a fact of the past: " + fact);
    require(
        facts.isEmpty() || last().type() != JobEvent.Type.JOB_FINISHED, "after the end: " + fact);
    if (fact.type() == JobEvent.Type.TASK_PROGRESS) {
      require(fact.task().equals(job.chief()), "progress of another than the chief: " + fact);
      Instant earliest =
          facts.stream()
              .filter(earlier -> earlier.type() == fact.type())
              .map(earlier -> earlier.time().plus(JobMachine.PROGRESS_INTERVAL))
              .reduce(Instant.MIN, (first, second) -> second);
      require(!fact.time().isBefore(earliest), "progress too often: " + fact);
    }
    facts.add(fact);
  }

  private JobEvent last() {
    return facts.get(facts.size() - 1);
  }

  // ---- The end ----

  private void checkEnd() {
    require(last().type() == JobEvent.Type.JOB_FINISHED, "the log ends with " + last());
    require(unused.isEmpty(), "containers that nobody gave back: " + unused);
    launched.values().stream()
        .filter(key -> !over.contains(key))
        .forEach(key -> require(false, "a container that nobody ended: " + key));
    owed.forEach((role, count) -> require(count == 0, "still asked for: " + count + " " + role));
    checkRestarts();
    switch (result.status()) {
      case SUCCEEDED -> checkSuccess();
      case KILLED -> require(seen.contains(Event.Kind.STOP_REQUESTED), "nobody stopped it");
      case FAILED -> checkFailure();
    }
  }

  private void checkRestarts() {
    long user = restarts(FailureKind.USER) + restarts(FailureKind.MEMORY);
    long lost = restarts(FailureKind.LOST) + restarts(FailureKind.PREEMPTED);
    require(user <= job.limits().retries().user(), user + " restarts for the program");
    require(lost <= job.limits().retries().lost(), lost + " restarts for losses");
    if (result.task() != null) {
      switch (result.kind()) {
        case USER, MEMORY ->
            require(user == job.limits().retries().user(), "its budget is not spent");
        case LOST, PREEMPTED ->
            require(lost == job.limits().retries().lost(), "its budget is not spent");
        case INVALID, AM_LOST, TIMEOUT, KILLED -> {}
      }
    }
  }

  private long restarts(FailureKind kind) {
    return facts.stream()
        .filter(fact -> fact.type() == JobEvent.Type.GANG_RESTARTED)
        .filter(fact -> fact.detail("kind").equals(kind.name()))
        .count();
  }

  private void checkSuccess() {
    Set<TaskId> succeeded = lastOf(JobEvent.Type.TASK_SUCCEEDED);
    Set<TaskId> failed = lastOf(JobEvent.Type.TASK_FAILED);
    long tracked =
        job.roles().stream()
            .filter(role -> role.supervision() == Supervision.TRACKED)
            .mapToInt(role -> role.instances())
            .sum();
    if (job.end().failOnAnyTask()) {
      require(succeeded.size() == tracked, "only " + succeeded + " succeeded");
    } else {
      require(!succeeded.isEmpty(), "none succeeded");
      require(succeeded.size() + failed.size() == tracked, "not all have ended");
    }
  }

  /** The tracked tasks with such a fact in the last attempt. */
  private Set<TaskId> lastOf(JobEvent.Type type) {
    Set<TaskId> tasks = new HashSet<>();
    for (JobEvent fact : facts) {
      if (fact.type() == type
          && fact.session() == last().session()
          && job.role(fact.task().role()).supervision() == Supervision.TRACKED) {
        tasks.add(fact.task());
      }
    }
    return tasks;
  }

  private void checkFailure() {
    if (result.task() != null) {
      boolean known =
          facts.stream()
              .anyMatch(
                  fact ->
                      fact.type() == JobEvent.Type.TASK_FAILED
                          && fact.session() == last().session()
                          && fact.task().equals(result.task())
                          && fact.detail("kind").equals(result.kind().name())
                          && fact.detail("message").equals(result.message()));
      require(known, "no such failure is in the log");
      require(result.kind() != FailureKind.TIMEOUT || programTimedOut, "no program timed out");
    } else if (result.kind() == FailureKind.TIMEOUT) {
      require(seen.contains(Event.Kind.TIMER_FIRED), "no limit of time has passed");
    } else {
      require(seen.contains(Event.Kind.SCHEDULER_FAILED), "failed for no reason");
    }
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }
}
