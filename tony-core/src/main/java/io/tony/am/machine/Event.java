package io.tony.am.machine;

import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.ResourceSpec;
import io.tony.model.TaskKey;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/** What can happen to a job, with the instant at which the loop took it up. */
public sealed interface Event {

  Instant at();

  Kind kind();

  /** One constant per record below, so that transitions can be declared in a table. */
  enum Kind {
    AM_READY,
    CONTAINER_ALLOCATED,
    CONTAINER_ENDED,
    TASK_REGISTERED,
    TASK_STARTED,
    TASK_PROGRESSED,
    TENSORBOARD_LISTENS,
    TASK_EXITED,
    TASK_SILENT,
    STOP_REQUESTED,
    TIMER_FIRED,
    CLUSTER_CHANGED,
    SCHEDULER_FAILED,
    LOG_INCOMPLETE
  }

  /**
   * The ApplicationMaster is registered with YARN and serves its protocols. {@code alive} are the
   * containers that run on from its predecessor; none where it is the first. {@code ended} says
   * what YARN knows of others that the predecessor did not hear of any more.
   */
  record AmReady(
      Instant at, int attempt, String host, Set<String> alive, Map<String, ContainerEnd> ended)
      implements Event {
    public AmReady {
      alive = Set.copyOf(alive);
      ended = Map.copyOf(ended);
    }

    /** One that YARN tells nothing of what ended meanwhile. */
    public AmReady(Instant at, int attempt, String host, Set<String> alive) {
      this(at, attempt, host, alive, Map.of());
    }

    @Override
    public Kind kind() {
      return Kind.AM_READY;
    }
  }

  /** A container for some task of the role. {@code log} is the URL of its logs. */
  record ContainerAllocated(Instant at, String role, String container, String node, String log)
      implements Event {
    @Override
    public Kind kind() {
      return Kind.CONTAINER_ALLOCATED;
    }
  }

  /**
   * The container is gone or never came up. When the task had not reported its own end, {@code
   * cause} and {@code message} say what became of it.
   */
  record ContainerEnded(Instant at, TaskKey key, FailureKind cause, String message)
      implements Event {
    @Override
    public Kind kind() {
      return Kind.CONTAINER_ENDED;
    }
  }

  /** The executor holds its port. {@code tensorBoardPort} is 0 where none is reserved. */
  record TaskRegistered(Instant at, TaskKey key, Endpoint endpoint, int tensorBoardPort)
      implements Event {
    @Override
    public Kind kind() {
      return Kind.TASK_REGISTERED;
    }
  }

  /** The user's process runs. */
  record TaskStarted(Instant at, TaskKey key, long pid) implements Event {
    @Override
    public Kind kind() {
      return Kind.TASK_STARTED;
    }
  }

  /** The program wrote a new line to its progress file. */
  record TaskProgressed(Instant at, TaskKey key, String text) implements Event {
    @Override
    public Kind kind() {
      return Kind.TASK_PROGRESSED;
    }
  }

  /** The task's program accepts connections at the port that it has for TensorBoard. */
  record TensorBoardListens(Instant at, TaskKey key) implements Event {
    @Override
    public Kind kind() {
      return Kind.TENSORBOARD_LISTENS;
    }
  }

  /** The user's process group is gone; {@code exit} says how. */
  record TaskExited(Instant at, TaskKey key, Exit exit) implements Event {
    @Override
    public Kind kind() {
      return Kind.TASK_EXITED;
    }
  }

  /** The executor has not been heard of for as long as the limits allow. */
  record TaskSilent(Instant at, TaskKey key) implements Event {
    @Override
    public Kind kind() {
      return Kind.TASK_SILENT;
    }
  }

  /** Somebody wants the job to end. */
  record StopRequested(Instant at, String who) implements Event {
    @Override
    public Kind kind() {
      return Kind.STOP_REQUESTED;
    }
  }

  /** A timer that was set has run out. */
  record TimerFired(Instant at, Timer timer) implements Event {
    @Override
    public Kind kind() {
      return Kind.TIMER_FIRED;
    }
  }

  /**
   * What the queue can still give this job, and how many nodes there are; told once to every
   * ApplicationMaster, and while it waits.
   */
  record ClusterChanged(Instant at, ResourceSpec free, int nodes) implements Event {
    @Override
    public Kind kind() {
      return Kind.CLUSTER_CHANGED;
    }
  }

  /**
   * The scheduler does not serve this job any more. {@code cause} says whether it refuses what the
   * job asks for (INVALID) or cannot be talked to (LOST).
   */
  record SchedulerFailed(Instant at, FailureKind cause, String message) implements Event {
    @Override
    public Kind kind() {
      return Kind.SCHEDULER_FAILED;
    }
  }

  /**
   * Somebody knows of more than the event log: an ApplicationMaster was lost that could not write
   * it. {@code what} names who, and what is missing.
   */
  record LogIncomplete(Instant at, String what) implements Event {
    @Override
    public Kind kind() {
      return Kind.LOG_INCOMPLETE;
    }
  }

  /**
   * What became of a container. {@link FailureKind#AM_LOST} is one that YARN took together with the
   * ApplicationMaster, because no node had reported yet that it runs.
   */
  record ContainerEnd(FailureKind cause, String message) {}

  /**
   * How a user's process ended.
   *
   * @param code as a shell reports it: 128 + n after signal n
   * @param stderr the last lines of its stderr
   * @param outputs what it left in its output file
   * @param executorMessage why the executor could not run it or ended it; empty when it did not
   * @param portTaken another process held the port that the program was given
   */
  record Exit(
      int code,
      String stderr,
      Map<String, String> outputs,
      String executorMessage,
      boolean timedOut,
      boolean portTaken) {
    public Exit {
      outputs = Map.copyOf(outputs);
    }
  }
}
