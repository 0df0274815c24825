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

/**
 * Input of the {@link JobMachine}. {@link #at} is the instant at which the loop took the event up.
 */
public sealed interface Event {

  Instant at();

  /**
   * The ApplicationMaster is registered with YARN and serves its protocols.
   *
   * @param liveContainers containers of earlier ApplicationMasters that still run; empty for the
   *     first
   * @param endedContainers what YARN reports of containers whose end no earlier ApplicationMaster
   *     recorded
   * @param maxContainerMiB memory limit of a container in MiB; 0 if YARN has not reported it
   */
  record AmReady(
      Instant at,
      int attempt,
      String host,
      JobFact.LaunchTimes launchTimes,
      JobDescription description,
      Set<String> liveContainers,
      Map<String, ContainerEnd> endedContainers,
      long maxContainerMiB)
      implements Event {
    public AmReady {
      liveContainers = Set.copyOf(liveContainers);
      endedContainers = Map.copyOf(endedContainers);
    }

    /** An event without the memory limit of a container. */
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

    /** An event without job description, launch times and ended containers. */
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
   * YARN granted a container for some task of the role.
   *
   * @param logUrl URL of the container's logs
   * @param memoryMiB memory of the container in MiB; null if not known
   */
  record ContainerAllocated(
      Instant at, String role, String container, String node, String logUrl, Long memoryMiB)
      implements Event {
    /** A container whose size is not known. */
    public ContainerAllocated(
        Instant at, String role, String container, String node, String logUrl) {
      this(at, role, container, node, logUrl, null);
    }
  }

  /**
   * The container ended or never came up.
   *
   * @param cause failure kind that applies if the task has not reported its own end
   * @param message details of {@code cause}, for people
   */
  record ContainerEnded(Instant at, TaskKey key, FailureKind cause, String message)
      implements Event {}

  /**
   * A container ended in which nothing was launched yet. It may have been assigned to a task
   * meanwhile.
   *
   * @param message details of {@code cause}, for people
   */
  record UnusedContainerEnded(Instant at, String container, FailureKind cause, String message)
      implements Event {
    /** A container that was lost without details. */
    public UnusedContainerEnded(Instant at, String container) {
      this(at, container, FailureKind.LOST, "the container is gone");
    }
  }

  /** The executor has reserved its port. {@code tensorBoardPort} is 0 if none is reserved. */
  record TaskRegistered(Instant at, TaskKey key, Endpoint endpoint, int tensorBoardPort)
      implements Event {}

  /** The user's process has started. */
  record TaskStarted(Instant at, TaskKey key, long pid) implements Event {}

  /** The program wrote a new line to its progress file. */
  record TaskProgressed(Instant at, TaskKey key, String text) implements Event {}

  /** The task's program accepts connections at its TensorBoard port. */
  record TensorBoardListens(Instant at, TaskKey key) implements Event {}

  /**
   * The program has failed, and its container is kept for inspection. The failure itself is
   * reported when the hold ends.
   *
   * @param limit maximum duration of the hold
   * @param stderr last lines of the program's stderr
   * @param message why the executor ended the program; empty if the program ended by itself
   */
  record TaskHeld(
      Instant at, TaskKey key, int exitCode, Duration limit, String stderr, String message)
      implements Event {}

  /**
   * A client requests a shell beside the task's program.
   *
   * @param requester who requests the shell, for people
   * @param tunnel identifier of the tunnel that connects the shell
   */
  record ShellRequested(Instant at, TaskKey key, String requester, long tunnel) implements Event {}

  /** A requested shell has ended or was never opened. */
  record ShellClosed(Instant at, TaskKey key, String requester) implements Event {}

  /**
   * The code location of a task's program when it was ended for a restart because its gang hangs;
   * an empty {@code location} if it could not be determined.
   */
  record HangReported(Instant at, TaskKey key, String location) implements Event {}

  /** The user's process group has ended. */
  record TaskExited(Instant at, TaskKey key, Exit exit) implements Event {}

  /** The job's preflight check failed in the container before the task registered. */
  record PreflightFailed(Instant at, TaskKey key, String message) implements Event {}

  /** The executor has sent no heartbeat for longer than the limit. */
  record HeartbeatTimedOut(Instant at, TaskKey key) implements Event {}

  /** YARN announces that it will preempt the containers of these tasks. */
  record PreemptionNotice(Instant at, List<TaskKey> tasks) implements Event {
    public PreemptionNotice {
      tasks = List.copyOf(tasks);
    }
  }

  /** A client requests the end of the job. */
  record StopRequested(Instant at, String requester) implements Event {}

  /** A timer has fired. */
  record TimerFired(Instant at, Timer timer) implements Event {}

  /**
   * YARN's current figures; sent once to every ApplicationMaster, and while the job waits for
   * containers.
   *
   * @param free remaining resources of the queue for this job
   * @param nodeCount number of nodes
   * @param maxContainerMiB memory limit of a container in MiB; 0 if YARN has not reported it
   */
  record ClusterChanged(Instant at, ResourceSpec free, int nodeCount, long maxContainerMiB)
      implements Event {
    /** An event without the memory limit of a container. */
    public ClusterChanged(Instant at, ResourceSpec free, int nodeCount) {
      this(at, free, nodeCount, 0);
    }
  }

  /**
   * The scheduler no longer serves this job. {@code cause} is INVALID if the scheduler rejects the
   * request, LOST if it cannot be reached.
   */
  record SchedulerFailed(Instant at, FailureKind cause, String message) implements Event {}

  /**
   * The event log lacks events of an earlier ApplicationMaster that was lost before it could write
   * them. {@code detail} names who knows of them, and what is missing.
   */
  record LogIncomplete(Instant at, String detail) implements Event {}

  /**
   * A task's executor has saved a checkpoint that its program named, or failed to. Whether the
   * checkpoint completes its set is not decided yet.
   */
  record CheckpointReported(Instant at, CheckpointFact fact) implements Event {}

  /**
   * The decision from which checkpoint a start of the gang, or an individually started task,
   * resumes.
   */
  record ResumePointChosen(Instant at, int session, CheckpointFact.ResumeDecision fact)
      implements Event {}

  /**
   * How a container ended. {@link FailureKind#AM_LOST}: YARN stopped the container together with
   * the ApplicationMaster, because no node had reported yet that the container runs.
   */
  record ContainerEnd(FailureKind cause, String message) {}

  /**
   * How a user's process ended.
   *
   * @param code exit code as a shell reports it: 128 + n after signal n
   * @param stderr last lines of the program's stderr
   * @param outputs contents of the program's output file
   * @param executorMessage why the executor could not run or ended the program; empty if neither
   * @param timedOut true if the program ran into its time limit
   * @param portTaken true if another process held the port assigned to the program
   * @param omittedOutputs outputs that were dropped, and why; empty if none
   * @param progress last progress that the program reported; empty if none
   * @param hangLocation code location of the program when it was ended because it or another task
   *     of its gang hung; empty if it could not be determined, null if not requested
   * @param endedAt end time by the clock of the task's node; null if the executor does not report
   *     it
   * @param byItself true if the program had ended before its executor was ordered to end it
   * @param checkpointUnusable true if the program was not run because the checkpoint to resume from
   *     is missing or damaged
   */
  record Exit(
      int code,
      String stderr,
      Map<String, String> outputs,
      String executorMessage,
      boolean timedOut,
      boolean portTaken,
      String omittedOutputs,
      String progress,
      String hangLocation,
      Instant endedAt,
      boolean byItself,
      boolean checkpointUnusable) {
    public Exit {
      outputs = Map.copyOf(outputs);
    }

    /** An end of a program that had a usable checkpoint or needed none. */
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

    /** An end at an unknown time, without hang location. */
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

    /** An end with complete outputs and without progress. */
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
