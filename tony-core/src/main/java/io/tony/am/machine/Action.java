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
public sealed interface Action permits Action.OnPorts, Action.OnLoop {
  /** Concerns others: it is done once what it follows from is in the event log. */
  sealed interface OnPorts extends Action {
    void perform(Ports ports);
  }

  /** Concerns the loop alone, and is done at once. */
  sealed interface OnLoop extends Action {
    void perform(LoopPort loop);
  }

  /** Let executors that an earlier ApplicationMaster started find this one. */
  record PublishAddress() implements OnPorts {
    @Override
    public void perform(Ports ports) {
      ports.address().publish();
    }
  }

  /** Ask the scheduler for so many more containers of the role. */
  record RequestContainers(RoleSpec role, int count) implements OnPorts {
    @Override
    public void perform(Ports ports) {
      ports.containers().request(role, count);
    }
  }

  /** Take back so many requests of the role that are not yet served. */
  record CancelRequests(RoleSpec role, int count) implements OnPorts {
    @Override
    public void perform(Ports ports) {
      ports.containers().cancel(role, count);
    }
  }

  /** Give a container back in which nothing was launched. */
  record ReleaseContainer(String container) implements OnPorts {
    @Override
    public void perform(Ports ports) {
      ports.containers().release(container);
    }
  }

  /** Start the task's executor in its container. */
  record LaunchExecutor(TaskKey key) implements OnPorts {
    @Override
    public void perform(Ports ports) {
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
      implements OnPorts {
    /** One that starts with the others. */
    public StartTask(
        TaskKey key, int session, ClusterSpec cluster, int tensorBoardPort, String modelParams) {
      this(key, session, cluster, tensorBoardPort, modelParams, false);
    }

    @Override
    public void perform(Ports ports) {
      ports.tasks().start(this);
    }
  }

  /**
   * Let the executor end the user's process group and register again as the next attempt. {@code
   * stacks} has the program tell where it stands, because another one hangs.
   *
   * @param as which task it is from then on, of the same role
   */
  record RestartTask(TaskKey from, TaskId as, int attempt, String reason, boolean stacks)
      implements OnPorts {
    /** As the task that it is. */
    public RestartTask(TaskKey from, int attempt, String reason, boolean stacks) {
      this(from, from.task(), attempt, reason, stacks);
    }

    public RestartTask(TaskKey from, int attempt, String reason) {
      this(from, attempt, reason, false);
    }

    @Override
    public void perform(Ports ports) {
      TaskKey to = new TaskKey(as, attempt, from.container());
      if (!as.equals(from.task())) {
        ports.launcher().move(to);
      }
      ports.tasks().restart(to, reason, stacks);
    }
  }

  /**
   * Let the executor end the user's process group and report. {@code stacks} has the program tell
   * where it stands, because another one hangs.
   */
  record StopTask(TaskKey key, String reason, boolean stacks) implements OnPorts {
    public StopTask(TaskKey key, String reason) {
      this(key, reason, false);
    }

    @Override
    public void perform(Ports ports) {
      ports.tasks().stop(key, reason, stacks);
    }
  }

  /**
   * Let the program be asked for a checkpoint, so that nothing is lost by what follows.
   *
   * @param at when that was decided: what tells one question from another
   */
  record AskForCheckpoint(TaskKey key, Instant at) implements OnPorts {
    @Override
    public void perform(Ports ports) {
      ports.tasks().askForCheckpoint(key, at);
    }
  }

  /** Let the executor open somebody's shell, which is recorded by now. */
  record OpenShell(long tunnel) implements OnPorts {
    @Override
    public void perform(Ports ports) {
      ports.tasks().openShell(tunnel);
    }
  }

  /** Tell who wants a shell why it is not opened. */
  record RefuseShell(long tunnel, String why) implements OnPorts {
    @Override
    public void perform(Ports ports) {
      ports.tasks().refuseShell(tunnel, why);
    }
  }

  /** Let YARN end the container, executor and all. */
  record StopContainer(TaskKey key) implements OnPorts {
    @Override
    public void perform(Ports ports) {
      ports.launcher().stop(key);
    }
  }

  /** From now on take no container on these nodes, and on any other; the empty set forgives all. */
  record AvoidNodes(Set<String> nodes) implements OnPorts {
    public AvoidNodes {
      nodes = Set.copyOf(nodes);
    }

    @Override
    public void perform(Ports ports) {
      ports.containers().avoid(nodes);
    }
  }

  /** From now on YARN's link may lead to this TensorBoard; empty while none listens. */
  record ShowTensorBoard(String url) implements OnPorts {
    @Override
    public void perform(Ports ports) {
      ports.page().showTensorBoard(url);
    }
  }

  /** A set of checkpoints is {@code whole}, or too many are not: those that nobody needs can go. */
  record DropOldCheckpoints(boolean whole) implements OnPorts {
    @Override
    public void perform(Ports ports) {
      ports.checkpoints().dropOld(whole);
    }
  }

  record SetTimer(Timer timer, Duration after) implements OnLoop {
    @Override
    public void perform(LoopPort loop) {
      loop.set(timer, after);
    }
  }

  record CancelTimer(Timer timer) implements OnLoop {
    @Override
    public void perform(LoopPort loop) {
      loop.cancel(timer);
    }
  }

  /** The job has ended and nothing of it runs: tell YARN and the client. Emitted exactly once. */
  record Finish(JobResult result) implements OnLoop {
    @Override
    public void perform(LoopPort loop) {
      loop.finish(result);
    }
  }
}
