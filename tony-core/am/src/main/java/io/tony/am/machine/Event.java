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
import org.jspecify.annotations.Nullable;

/**
 * Something that has happened and to which the {@link JobMachine} responds. {@link #at} is the time
 * at which the callback or timer created the event.
 */
public sealed interface Event {

  Instant at();

  /**
   * The ApplicationMaster has registered with YARN and accepts connections.
   *
   * @param attempt number of this ApplicationMaster
   * @param launchTimes when the application was submitted and its first steps were taken
   * @param liveContainers containers of earlier ApplicationMasters that still run; empty for the
   *     first ApplicationMaster
   * @param endedContainers YARN's reports about containers whose end no earlier ApplicationMaster
   *     recorded, by container
   * @param maxContainerMiB maximum memory of a container in MiB; 0 if YARN has not reported it
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

    /** Creates an event without the maximum memory of a container. */
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

    /**
     * Creates an event without job description, launch times, ended containers and maximum memory.
     */
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
   * YARN granted a container for a task of the role. Which task gets the container is not decided
   * yet.
   *
   * @param logUrl URL of the container's logs
   * @param memoryMiB memory of the container in MiB; null if not known
   */
  record ContainerAllocated(
      Instant at,
      String role,
      String container,
      String node,
      String logUrl,
      @Nullable Long memoryMiB)
      implements Event {
    /** Creates an event for a container whose memory is not known. */
    public ContainerAllocated(
        Instant at, String role, String container, String node, String logUrl) {
      this(at, role, container, node, logUrl, null);
    }
  }

  /**
   * The task's container has ended or could not be launched.
   *
   * @param cause failure kind of the task; not used if the executor has reported the end of the
   *     program before
   * @param message details of {@code cause}, for people
   */
  record ContainerEnded(Instant at, TaskKey key, FailureKind cause, String message)
      implements Event {}

  /**
   * A container has ended in which nothing had been launched yet. It may have been assigned to a
   * task in the meantime.
   *
   * @param message details of {@code cause}, for people
   */
  record UnusedContainerEnded(Instant at, String container, FailureKind cause, String message)
      implements Event {
    /** Creates an event for a container that was lost, without details. */
    public UnusedContainerEnded(Instant at, String container) {
      this(at, container, FailureKind.LOST, "the container is gone");
    }
  }

  /**
   * The executor has registered after it reserved its port.
   *
   * @param endpoint host and reserved port of the task
   * @param tensorBoardPort port reserved for the task's TensorBoard; 0 if none
   */
  record TaskRegistered(Instant at, TaskKey key, Endpoint endpoint, int tensorBoardPort)
      implements Event {}

  /** The task's program has started. */
  record TaskStarted(Instant at, TaskKey key, long pid) implements Event {}

  /** The task's program has reported progress: it wrote a new line to its progress file. */
  record TaskProgressed(Instant at, TaskKey key, String text) implements Event {}

  /** The task's program accepts connections at its TensorBoard port. */
  record TensorBoardListens(Instant at, TaskKey key) implements Event {}

  /**
   * The task's program has failed, and its container is kept for inspection. The executor reports
   * the end of the program when it gives the container up.
   *
   * @param limit maximum time for which the container is kept
   * @param stderr last lines of the program's stderr
   * @param message why the executor ended the program; empty if the program ended by itself
   */
  record TaskHeld(
      Instant at, TaskKey key, int exitCode, Duration limit, String stderr, String message)
      implements Event {}

  /**
   * A client requests a shell in the task's container.
   *
   * @param requester who requests the shell, for people
   * @param tunnel identifier of the tunnel that connects the shell with the client
   */
  record ShellRequested(Instant at, TaskKey key, String requester, long tunnel) implements Event {}

  /** A requested shell has ended, or could not be opened. */
  record ShellClosed(Instant at, TaskKey key, String requester) implements Event {}

  /**
   * An executor reports where in its code the task's program was when the executor ended it for a
   * restart, because the gang hangs.
   *
   * @param location code location; empty if it could not be determined
   */
  record HangReported(Instant at, TaskKey key, String location) implements Event {}

  /** The task's program has ended, including all processes of its group. */
  record TaskExited(Instant at, TaskKey key, Exit exit) implements Event {}

  /** The job's preflight check failed in the container before the executor registered. */
  record PreflightFailed(Instant at, TaskKey key, String message) implements Event {}

  /** The executor has sent no heartbeat for longer than the limit. */
  record HeartbeatTimedOut(Instant at, TaskKey key) implements Event {}

  /** YARN has announced that it will preempt the containers of these tasks. */
  record PreemptionNotice(Instant at, List<TaskKey> tasks) implements Event {
    public PreemptionNotice {
      tasks = List.copyOf(tasks);
    }
  }

  /**
   * A client requests that the job ends.
   *
   * @param requester who requests the end, for people
   */
  record StopRequested(Instant at, String requester) implements Event {}

  /** A timer has expired. */
  record TimerFired(Instant at, Timer timer) implements Event {}

  /**
   * YARN's current figures. Sent once to every ApplicationMaster, and again while the job waits for
   * containers.
   *
   * @param free resources that the job's queue has left
   * @param nodeCount number of nodes
   * @param maxContainerMiB maximum memory of a container in MiB; 0 if YARN has not reported it
   */
  record ClusterChanged(Instant at, ResourceSpec free, int nodeCount, long maxContainerMiB)
      implements Event {
    /** Creates an event without the maximum memory of a container. */
    public ClusterChanged(Instant at, ResourceSpec free, int nodeCount) {
      this(at, free, nodeCount, 0);
    }
  }

  /**
   * YARN no longer serves this job.
   *
   * @param cause {@link FailureKind#INVALID} if YARN rejects a request; {@link FailureKind#LOST} if
   *     the ResourceManager cannot be reached
   * @param message details of {@code cause}, for people
   */
  record SchedulerFailed(Instant at, FailureKind cause, String message) implements Event {}

  /**
   * The event log lacks events: an earlier ApplicationMaster was lost before it wrote them.
   *
   * @param detail what shows that events are missing, such as a client that has received more
   *     events than the log has; for people
   */
  record LogIncomplete(Instant at, String detail) implements Event {}

  /**
   * An executor has saved a checkpoint that its program named, or failed to save it. Whether the
   * checkpoint completes its set is not decided yet.
   */
  record CheckpointReported(Instant at, CheckpointFact fact) implements Event {}

  /**
   * It was decided from which checkpoint a start resumes: a start of the gang, or of a task alone.
   *
   * @param session number of the gang's start during which this was decided
   */
  record ResumePointChosen(Instant at, int session, CheckpointFact.ResumeDecision fact)
      implements Event {}

  /**
   * YARN's report about the end of a container.
   *
   * @param cause failure kind of the container's task; {@link FailureKind#AM_LOST} if YARN stopped
   *     the container together with the ApplicationMaster, because no node had yet reported that
   *     the container runs
   * @param message details of {@code cause}, for people
   */
  record ContainerEnd(FailureKind cause, String message) {}

  /**
   * How a program ended.
   *
   * @param code exit code as a shell reports it: 128 + n after signal n
   * @param stderr last lines of the program's stderr
   * @param outputs contents of the program's output file, by key
   * @param executorMessage why the executor ended the program or could not run it; empty if neither
   * @param timedOut true if the program ran into its time limit
   * @param portTaken true if another process held the port assigned to the program
   * @param omittedOutputs which outputs were dropped, and why; empty if none
   * @param progress last progress that the program reported; empty if none
   * @param hangLocation code location of the program when the executor ended it because this task
   *     or another task of the gang hung; empty if it could not be determined, null if not
   *     requested
   * @param endedAt when the program ended, by the clock of the task's node; null if the executor
   *     does not report it
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
      @Nullable String hangLocation,
      @Nullable Instant endedAt,
      boolean byItself,
      boolean checkpointUnusable) {
    public Exit {
      outputs = Map.copyOf(outputs);
    }

    /** Creates the end of a program whose checkpoint was usable or that resumed from none. */
    public Exit(
        int code,
        String stderr,
        Map<String, String> outputs,
        String executorMessage,
        boolean timedOut,
        boolean portTaken,
        String omittedOutputs,
        String progress,
        @Nullable String hangLocation,
        @Nullable Instant endedAt,
        boolean byItself) {
      this(
          code,
          stderr,
          outputs,
          executorMessage,
          timedOut,
          portTaken,
          omittedOutputs,
          progress,
          hangLocation,
          endedAt,
          byItself,
          false);
    }

    /** Creates the end of a program at an unknown time, without hang location. */
    public Exit(
        int code,
        String stderr,
        Map<String, String> outputs,
        String executorMessage,
        boolean timedOut,
        boolean portTaken,
        String omittedOutputs,
        String progress) {
      this(
          code,
          stderr,
          outputs,
          executorMessage,
          timedOut,
          portTaken,
          omittedOutputs,
          progress,
          null,
          null,
          false);
    }

    /** Creates the end of a program without dropped outputs and without progress. */
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
