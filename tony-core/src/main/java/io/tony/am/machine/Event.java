package io.tony.am.machine;

import io.tony.event.CheckpointFact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.ResourceSpec;
import io.tony.model.TaskKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What can happen to a job, with the instant at which the loop took it up. */
public sealed interface Event {

  Instant at();

  /**
   * The ApplicationMaster is registered with YARN and serves its protocols. {@code alive} are the
   * containers that run on from its predecessor; none where it is the first. {@code ended} says
   * what YARN knows of others that the predecessor did not hear of any more. {@code largest} is how
   * many MiB a container may have; 0 where YARN has not said.
   */
  record AmReady(
      Instant at,
      int attempt,
      String host,
      JobFact.LaunchTimes origin,
      JobDescription description,
      Set<String> liveContainers,
      Map<String, ContainerEnd> endedContainers,
      long maxContainerMiB)
      implements Event {
    public AmReady {
      liveContainers = Set.copyOf(liveContainers);
      endedContainers = Map.copyOf(endedContainers);
    }

    /** Where nobody says how large a container may be. */
    public AmReady(
        Instant at,
        int attempt,
        String host,
        JobFact.LaunchTimes origin,
        JobDescription description,
        Set<String> liveContainers,
        Map<String, ContainerEnd> endedContainers) {
      this(at, attempt, host, origin, description, liveContainers, endedContainers, 0);
    }

    /** One of which nothing is known before it, and that YARN tells nothing of what ended. */
    public AmReady(Instant at, int attempt, String host, Set<String> liveContainers) {
      this(
          at,
          attempt,
          host,
          JobFact.LaunchTimes.UNKNOWN,
          JobDescription.NONE,
          liveContainers,
          Map.of());
    }
  }

  /**
   * A container for some task of the role. {@code log} is the URL of its logs, {@code memory} how
   * many MiB it has; null where that is not known.
   */
  record ContainerAllocated(
      Instant at, String role, String container, String node, String logUrl, Long memoryMiB)
      implements Event {
    /** One of which nobody says how large it is. */
    public ContainerAllocated(
        Instant at, String role, String container, String node, String logUrl) {
      this(at, role, container, node, logUrl, null);
    }
  }

  /**
   * The container is gone or never came up. When the task had not reported its own end, {@code
   * cause} and {@code message} say what became of it.
   */
  record ContainerEnded(Instant at, TaskKey key, FailureKind cause, String message)
      implements Event {}

  /**
   * A container is gone in which nothing was launched yet; it may be granted to a task meanwhile.
   * {@code cause} and {@code message} say what became of it.
   */
  record ContainerGone(Instant at, String container, FailureKind cause, String message)
      implements Event {
    /** One of which nobody says more. */
    public ContainerGone(Instant at, String container) {
      this(at, container, FailureKind.LOST, "the container is gone");
    }
  }

  /** The executor holds its port. {@code tensorBoardPort} is 0 where none is reserved. */
  record TaskRegistered(Instant at, TaskKey key, Endpoint endpoint, int tensorBoardPort)
      implements Event {}

  /** The user's process runs. */
  record TaskStarted(Instant at, TaskKey key, long pid) implements Event {}

  /** The program wrote a new line to its progress file. */
  record TaskProgressed(Instant at, TaskKey key, String text) implements Event {}

  /** The task's program accepts connections at the port that it has for TensorBoard. */
  record TensorBoardListens(Instant at, TaskKey key) implements Event {}

  /**
   * The program has failed, and its container is kept for people to look into; the failure is told
   * after that.
   *
   * @param limit for how long at most
   * @param stderr its last lines
   * @param message why the executor ended it; empty where it ended by itself
   */
  record TaskHeld(
      Instant at, TaskKey key, int exitCode, Duration limit, String stderr, String message)
      implements Event {}

  /**
   * A client wants a shell beside the program of the task.
   *
   * @param requester in words
   * @param tunnel by which it is to be reached
   */
  record ShellRequested(Instant at, TaskKey key, String requester, long tunnel) implements Event {}

  /** Such a shell is no more, if it was ever opened. */
  record ShellClosed(Instant at, TaskKey key, String requester) implements Event {}

  /**
   * Where the task's program stood that was ended to be started again, because its gang hangs;
   * empty where that could not be seen.
   */
  record HangReported(Instant at, TaskKey key, String location) implements Event {}

  /** The user's process group is gone; {@code exit} says how. */
  record TaskExited(Instant at, TaskKey key, Exit exit) implements Event {}

  /**
   * The container is not fit for the task, as the job's own check has found before it registered.
   */
  record PreflightFailed(Instant at, TaskKey key, String message) implements Event {}

  /** The executor has not been heard of for as long as the limits allow. */
  record HeartbeatTimedOut(Instant at, TaskKey key) implements Event {}

  /** YARN says that it is going to take the containers of these tasks. */
  record PreemptionNotice(Instant at, List<TaskKey> tasks) implements Event {
    public PreemptionNotice {
      tasks = List.copyOf(tasks);
    }
  }

  /** Somebody wants the job to end. */
  record StopRequested(Instant at, String requester) implements Event {}

  /** A timer that was set has run out. */
  record TimerFired(Instant at, Timer timer) implements Event {}

  /**
   * What the queue can still give this job, how many nodes there are, and how many MiB the largest
   * container may have (0 where YARN has not said); told once to every ApplicationMaster, and while
   * it waits.
   */
  record ClusterChanged(Instant at, ResourceSpec free, int nodeCount, long maxContainerMiB)
      implements Event {
    /** Where nobody says how large a container may be. */
    public ClusterChanged(Instant at, ResourceSpec free, int nodeCount) {
      this(at, free, nodeCount, 0);
    }
  }

  /**
   * The scheduler does not serve this job any more. {@code cause} says whether it refuses what the
   * job asks for (INVALID) or cannot be talked to (LOST).
   */
  record SchedulerFailed(Instant at, FailureKind cause, String message) implements Event {}

  /**
   * Somebody knows of more than the event log: an ApplicationMaster was lost that could not write
   * it. {@code what} names who, and what is missing.
   */
  record LogIncomplete(Instant at, String detail) implements Event {}

  /**
   * A task's executor has kept a checkpoint that its program named, or could not. Whether its set
   * is whole with it is not known yet.
   */
  record CheckpointReported(Instant at, CheckpointFact fact) implements Event {}

  /** From which checkpoint the programs of a start of the gang go on, or one that starts alone. */
  record ResumePointChosen(Instant at, int session, CheckpointFact.ResumeDecision fact)
      implements Event {}

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
   * @param outputsLeftOut what it left beside the outputs, and why; empty when that is nothing
   * @param progress the last that it said of it; empty when it said nothing
   * @param hangLocation null where nobody asked; where it stood when it was ended because it, or
   *     another one of its gang, hung: empty where that could not be seen
   * @param endedAt when that was, by the clock of its node; null when the executor does not say
   * @param byItself it had ended before its executor was told to end it
   * @param checkpointUnusable it did not run: what it was to go on from is gone or damaged
   */
  record Exit(
      int code,
      String stderr,
      Map<String, String> outputs,
      String executorMessage,
      boolean timedOut,
      boolean portTaken,
      String outputsLeftOut,
      String progress,
      String hangLocation,
      Instant endedAt,
      boolean byItself,
      boolean checkpointUnusable) {
    public Exit {
      outputs = Map.copyOf(outputs);
    }

    /** One that had a usable checkpoint, or needed none. */
    public Exit(
        int code,
        String stderr,
        Map<String, String> outputs,
        String executorMessage,
        boolean timedOut,
        boolean portTaken,
        String outputsLeftOut,
        String progress,
        String hangLocation,
        Instant endedAt,
        boolean byItself) {
      this(
          code,
          stderr,
          outputs,
          executorMessage,
          timedOut,
          portTaken,
          outputsLeftOut,
          progress,
          hangLocation,
          endedAt,
          byItself,
          false);
    }

    /** One of which nobody knows when it was, or what ended it. */
    public Exit(
        int code,
        String stderr,
        Map<String, String> outputs,
        String executorMessage,
        boolean timedOut,
        boolean portTaken,
        String outputsLeftOut,
        String progress) {
      this(
          code,
          stderr,
          outputs,
          executorMessage,
          timedOut,
          portTaken,
          outputsLeftOut,
          progress,
          null,
          null,
          false);
    }

    /** One of which all outputs are there, and that said nothing of its progress. */
    public Exit(
        int code,
        String stderr,
        Map<String, String> outputs,
        String executorMessage,
        boolean timedOut,
        boolean portTaken) {
      this(code, stderr, outputs, executorMessage, timedOut, portTaken, "", "");
    }
  }
}
