package io.tony.am.machine;

import io.tony.model.ClusterSpec;
import io.tony.model.JobResult;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/** A side effect that a {@link Decision} asks for. Actions are performed in the order given. */
public sealed interface Action permits Action.PortAction, Action.LoopAction {
  /**
   * An action with effects outside the loop. Performed only after the facts of its decision are in
   * the event log.
   */
  sealed interface PortAction extends Action {
    void perform(MachinePorts ports);
  }

  /** An action on the event loop itself. Performed at once, without waiting for the event log. */
  sealed interface LoopAction extends Action {
    void perform(LoopPort loop);
  }

  /**
   * Publishes this ApplicationMaster's address for executors that an earlier ApplicationMaster
   * started.
   */
  record PublishAddress() implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.address().publish();
    }
  }

  /** Asks the scheduler for {@code count} more containers of the role. */
  record RequestContainers(RoleSpec role, int count) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.containers().request(role, count);
    }
  }

  /** Withdraws {@code count} unserved container requests of the role. */
  record CancelRequests(RoleSpec role, int count) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.containers().cancel(role, count);
    }
  }

  /** Gives back a container in which nothing was launched. */
  record ReleaseContainer(String container) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.containers().release(container);
    }
  }

  /** Starts the task's executor in its container. */
  record LaunchExecutor(TaskKey key) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.tasks().expect(key);
      ports.launcher().launch(key);
    }
  }

  /**
   * Orders the executor to start the user's process.
   *
   * @param session number of the gang's start
   * @param tensorBoardPort 0 if the task has no TensorBoard port
   * @param modelParams output of the preprocessing program; empty if none
   * @param alone true if the task starts independently of the others; it then resumes from its own
   *     checkpoint choice, not from the gang's
   */
  record StartTask(
      TaskKey key,
      int session,
      ClusterSpec cluster,
      int tensorBoardPort,
      String modelParams,
      boolean alone)
      implements PortAction {
    /** A task that starts together with its gang. */
    public StartTask(
        TaskKey key, int session, ClusterSpec cluster, int tensorBoardPort, String modelParams) {
      this(key, session, cluster, tensorBoardPort, modelParams, false);
    }

    @Override
    public void perform(MachinePorts ports) {
      ports.tasks().start(this);
    }
  }

  /**
   * Orders the executor to end the user's process group and to register again as the next attempt.
   *
   * @param asTask the task that the executor runs from then on; of the same role
   * @param dumpStacks true if the program must dump its stacks before it ends, because the gang
   *     hangs
   */
  record RestartTask(TaskKey from, TaskId asTask, int attempt, String reason, boolean dumpStacks)
      implements PortAction {
    /** A restart as the same task. */
    public RestartTask(TaskKey from, int attempt, String reason, boolean dumpStacks) {
      this(from, from.task(), attempt, reason, dumpStacks);
    }

    public RestartTask(TaskKey from, int attempt, String reason) {
      this(from, attempt, reason, false);
    }

    @Override
    public void perform(MachinePorts ports) {
      TaskKey to = new TaskKey(asTask, attempt, from.container());
      if (!asTask.equals(from.task())) {
        ports.launcher().move(to);
      }
      ports.tasks().restart(to, reason, dumpStacks);
    }
  }

  /**
   * Orders the executor to end the user's process group and to report.
   *
   * @param dumpStacks true if the program must dump its stacks before it ends, because the gang
   *     hangs
   */
  record StopTask(TaskKey key, String reason, boolean dumpStacks) implements PortAction {
    public StopTask(TaskKey key, String reason) {
      this(key, reason, false);
    }

    @Override
    public void perform(MachinePorts ports) {
      ports.tasks().stop(key, reason, dumpStacks);
    }
  }

  /**
   * Asks the program to save a checkpoint, so that the change that follows loses no work.
   *
   * @param requestedAt when the request was decided; identifies the request
   */
  record RequestCheckpoint(TaskKey key, Instant requestedAt) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.tasks().requestCheckpoint(key, requestedAt);
    }
  }

  /** Orders the executor to open a requested shell. The shell is in the event log by then. */
  record OpenShell(long tunnel) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.tasks().openShell(tunnel);
    }
  }

  /** Sends the client that requested a shell the reason why the shell is not opened. */
  record RefuseShell(long tunnel, String reason) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.tasks().refuseShell(tunnel, reason);
    }
  }

  /** Asks YARN to stop the container, including the executor. */
  record StopContainer(TaskKey key) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.launcher().stop(key);
    }
  }

  /**
   * Sets the nodes on which no container is taken. Replaces the previous set; empty to avoid no
   * node.
   */
  record AvoidNodes(Set<String> nodes) implements PortAction {
    public AvoidNodes {
      nodes = Set.copyOf(nodes);
    }

    @Override
    public void perform(MachinePorts ports) {
      ports.containers().avoid(nodes);
    }
  }

  /** Sets the target of YARN's link to TensorBoard; empty while no TensorBoard listens. */
  record ShowTensorBoard(String url) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.page().showTensorBoard(url);
    }
  }

  /**
   * Deletes checkpoints that are no longer needed.
   *
   * @param setComplete true if a checkpoint set has become complete; false if there are too many
   *     incomplete sets
   */
  record DropOldCheckpoints(boolean setComplete) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.checkpoints().dropOld(setComplete);
    }
  }

  record SetTimer(Timer timer, Duration delay) implements LoopAction {
    @Override
    public void perform(LoopPort loop) {
      loop.set(timer, delay);
    }
  }

  record CancelTimer(Timer timer) implements LoopAction {
    @Override
    public void perform(LoopPort loop) {
      loop.cancel(timer);
    }
  }

  /**
   * Reports the result to YARN and the client. Emitted exactly once, when nothing of the job runs
   * any more.
   */
  record Finish(JobResult result) implements LoopAction {
    @Override
    public void perform(LoopPort loop) {
      loop.finish(result);
    }
  }
}
