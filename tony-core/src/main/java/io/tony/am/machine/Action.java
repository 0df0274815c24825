package io.tony.am.machine;

import io.tony.model.ClusterSpec;
import io.tony.model.JobResult;
import io.tony.model.RoleSpec;
import io.tony.model.TaskKey;
import java.time.Duration;
import java.util.Set;

/** What the loop is to do, in the order given, once what it follows from is in the event log. */
public sealed interface Action {

  /** Ask the scheduler for so many more containers of the role. */
  record RequestContainers(RoleSpec role, int count) implements Action {}

  /** Take back so many requests of the role that are not yet served. */
  record CancelRequests(RoleSpec role, int count) implements Action {}

  /** Give a container back in which nothing was launched. */
  record ReleaseContainer(String container) implements Action {}

  /** Start the task's executor in its container. */
  record LaunchExecutor(TaskKey key) implements Action {}

  /**
   * Let the executor start the user's process.
   *
   * @param session counts the starts of the gang
   * @param tensorBoardPort 0 where the task has none
   * @param modelParams what a preprocessing program handed on; empty for nothing
   */
  record StartTask(
      TaskKey key, int session, ClusterSpec cluster, int tensorBoardPort, String modelParams)
      implements Action {}

  /** Let the executor end the user's process group and register again as the next attempt. */
  record RestartTask(TaskKey from, int attempt, String reason) implements Action {}

  /** Let the executor end the user's process group and report. */
  record StopTask(TaskKey key, String reason) implements Action {}

  /** Let YARN end the container, executor and all. */
  record StopContainer(TaskKey key) implements Action {}

  /** From now on take no container on these nodes, and on any other; the empty set forgives all. */
  record AvoidNodes(Set<String> nodes) implements Action {
    public AvoidNodes {
      nodes = Set.copyOf(nodes);
    }
  }

  /** From now on YARN's link may lead to this TensorBoard; empty while none listens. */
  record ShowTensorBoard(String url) implements Action {}

  record SetTimer(Timer timer, Duration after) implements Action {}

  record CancelTimer(Timer timer) implements Action {}

  /** The job has ended and nothing of it runs: tell YARN and the client. Emitted exactly once. */
  record Finish(JobResult result) implements Action {}
}
