package io.tony.am.machine;

import io.tony.model.ClusterSpec;
import io.tony.model.JobResult;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/**
 * Something that the ApplicationMaster does because of a {@link Decision}, such as requesting a
 * container. The actions of a decision are performed in their order.
 */
public sealed interface Action permits Action.PortAction, Action.LoopAction {
  /**
   * An action with effects outside the event loop. Performed only after the facts of its decision
   * are in the event log.
   */
  sealed interface PortAction extends Action {
    void perform(MachinePorts ports);
  }

  /** An action on the event loop itself. Performed at once, without waiting for the event log. */
  sealed interface LoopAction extends Action {
    void perform(LoopPort loop);
  }

  /**
   * Publishes the address of this ApplicationMaster, so that executors started by an earlier
   * ApplicationMaster find it.
   */
  record PublishAddress() implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.address().publish();
    }
  }

  /** Asks YARN for {@code count} more containers of the role. */
  record RequestContainers(RoleSpec role, int count) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.containers().request(role, count);
    }
  }

  /** Withdraws {@code count} of the role's container requests that YARN has not granted yet. */
  record CancelRequests(RoleSpec role, int count) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.containers().cancel(role, count);
    }
  }

  /**
   * Returns to YARN a container that belongs to no task. YARN kills the processes that still run in
   * it.
   */
  record ReleaseContainer(String container) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.containers().release(container);
    }
  }

  /** Starts the task's executor in the task's container. */
  record LaunchExecutor(TaskKey key) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.tasks().expect(key);
      ports.launcher().launch(key);
    }
  }

  /**
   * Orders the executor to start the task's program.
   *
   * @param session number of the gang's current start, from 0
   * @param tensorBoardPort port reserved for the task's TensorBoard; 0 if none
   * @param modelParams output of the job's preprocessing program; empty if none
   * @param alone true if the task starts without waiting for the other tasks; it then resumes from
   *     a checkpoint chosen for it, not from the gang's
   */
  record StartTask(
      TaskKey key,
      int session,
      ClusterSpec cluster,
      int tensorBoardPort,
      String modelParams,
      boolean alone)
      implements PortAction {
    /** Creates the order to start a task together with its gang. */
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
   * Orders the executor to end its program and to register again, as attempt {@code attempt} of the
   * task {@code asTask}.
   *
   * @param from the task that the executor runs now
   * @param asTask the task that it runs afterwards: the same one, or another of the same role
   * @param reason why the program is ended, for people
   * @param dumpStacks true if the program must dump its stacks before it ends, because the gang
   *     hangs
   */
  record RestartTask(TaskKey from, TaskId asTask, int attempt, String reason, boolean dumpStacks)
      implements PortAction {
    /** Creates the order to restart a program whose executor keeps its task. */
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
   * Orders the executor to end its program, to report the end, and to exit.
   *
   * @param reason why the program is ended, for people
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
   * Asks the task's program to save a checkpoint, so that a restart that is about to follow loses
   * no work.
   *
   * @param requestedAt when the request was decided; identifies the request
   */
  record RequestCheckpoint(TaskKey key, Instant requestedAt) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.tasks().requestCheckpoint(key, requestedAt);
    }
  }

  /**
   * Orders the executor to open the shell that a client requested. Performed only after the shell
   * is recorded in the event log.
   *
   * @param tunnel identifier of the tunnel that connects the shell with the client
   */
  record OpenShell(long tunnel) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.tasks().openShell(tunnel);
    }
  }

  /**
   * Answers a client's shell request with the reason why no shell is opened.
   *
   * @param tunnel identifier of the tunnel that connects the client
   * @param reason why no shell is opened, for people
   */
  record RefuseShell(long tunnel, String reason) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.tasks().refuseShell(tunnel, reason);
    }
  }

  /** Asks YARN to stop the container and thus the executor in it. */
  record StopContainer(TaskKey key) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.launcher().stop(key);
    }
  }

  /**
   * Sets the nodes from which the job takes no container.
   *
   * @param nodes all nodes to avoid, in place of the previous ones; empty to avoid none
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

  /**
   * Sets the TensorBoard URL to which the application's link in YARN's web page leads; empty while
   * no TensorBoard listens.
   */
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
   * Ends the event loop with the job's result. Emitted exactly once, when no task holds a container
   * any more.
   */
  record Finish(JobResult result) implements LoopAction {
    @Override
    public void perform(LoopPort loop) {
      loop.finish(result);
    }
  }
}
