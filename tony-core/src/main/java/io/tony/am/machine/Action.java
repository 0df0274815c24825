package io.tony.am.machine;

import io.tony.model.ClusterSpec;
import io.tony.model.JobResult;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/** What is to be done, in the order given. */
public sealed interface Action permits Action.PortAction, Action.LoopAction {
  /** Concerns others: it is done once what it follows from is in the event log. */
  sealed interface PortAction extends Action {
    void perform(MachinePorts ports);
  }

  /** Concerns the loop alone, and is done at once. */
  sealed interface LoopAction extends Action {
    void perform(LoopPort loop);
  }

  /** Let executors that an earlier ApplicationMaster started find this one. */
  record PublishAddress() implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.address().publish();
    }
  }

  /** Ask the scheduler for so many more containers of the role. */
  record RequestContainers(RoleSpec role, int count) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.containers().request(role, count);
    }
  }

  /** Take back so many requests of the role that are not yet served. */
  record CancelRequests(RoleSpec role, int count) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.containers().cancel(role, count);
    }
  }

  /** Give a container back in which nothing was launched. */
  record ReleaseContainer(String container) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.containers().release(container);
    }
  }

  /** Start the task's executor in its container. */
  record LaunchExecutor(TaskKey key) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.tasks().expect(key);
      ports.launcher().launch(key);
    }
  }

  /**
   * Let the executor start the user's process.
   *
   * @param session counts the starts of the gang
   * @param alone it starts while the others go on: not from where they all started
   * @param tensorBoardPort 0 where the task has none
   * @param modelParams what a preprocessing program handed on; empty for nothing
   */
  record StartTask(
      TaskKey key,
      int session,
      ClusterSpec cluster,
      int tensorBoardPort,
      String modelParams,
      boolean alone)
      implements PortAction {
    /** One that starts with the others. */
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
   * Let the executor end the user's process group and register again as the next attempt. {@code
   * stacks} has the program tell where it stands, because another one hangs.
   *
   * @param asTask which task it is from then on, of the same role
   */
  record RestartTask(TaskKey from, TaskId asTask, int attempt, String reason, boolean dumpStacks)
      implements PortAction {
    /** As the task that it is. */
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
   * Let the executor end the user's process group and report. {@code stacks} has the program tell
   * where it stands, because another one hangs.
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
   * Let the program be asked for a checkpoint, so that nothing is lost by what follows.
   *
   * @param requestedAt when that was decided: what tells one question from another
   */
  record RequestCheckpoint(TaskKey key, Instant requestedAt) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.tasks().requestCheckpoint(key, requestedAt);
    }
  }

  /** Let the executor open somebody's shell, which is recorded by now. */
  record OpenShell(long tunnel) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.tasks().openShell(tunnel);
    }
  }

  /** Tell who wants a shell why it is not opened. */
  record RefuseShell(long tunnel, String reason) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.tasks().refuseShell(tunnel, reason);
    }
  }

  /** Let YARN end the container, executor and all. */
  record StopContainer(TaskKey key) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.launcher().stop(key);
    }
  }

  /** From now on take no container on these nodes, and on any other; the empty set forgives all. */
  record AvoidNodes(Set<String> nodes) implements PortAction {
    public AvoidNodes {
      nodes = Set.copyOf(nodes);
    }

    @Override
    public void perform(MachinePorts ports) {
      ports.containers().avoid(nodes);
    }
  }

  /** From now on YARN's link may lead to this TensorBoard; empty while none listens. */
  record ShowTensorBoard(String url) implements PortAction {
    @Override
    public void perform(MachinePorts ports) {
      ports.page().showTensorBoard(url);
    }
  }

  /** A set of checkpoints is {@code whole}, or too many are not: those that nobody needs can go. */
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

  /** The job has ended and nothing of it runs: tell YARN and the client. Emitted exactly once. */
  record Finish(JobResult result) implements LoopAction {
    @Override
    public void perform(LoopPort loop) {
      loop.finish(result);
    }
  }
}
