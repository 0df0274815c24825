package io.tony.am.machine;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;

import io.tony.model.ClusterSpec;
import io.tony.model.JobResult;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Test;

/** Which calls of which ports an action is. */
public class ActionTest {
  private static final RoleSpec ROLE = job().workers(2).spec().role("worker");
  private static final TaskKey KEY = new TaskKey(new TaskId("worker", 0), 1, "c1");
  private static final TaskKey NEXT = new TaskKey(new TaskId("worker", 0), 2, "c1");
  private static final TaskKey MOVED = new TaskKey(new TaskId("worker", 1), 2, "c1");
  private static final Instant NOW = Instant.EPOCH;

  private final Set<Class<?>> performed = new HashSet<>();
  private final List<String> calls = new ArrayList<>();

  private <T> T recorded(Class<T> port) {
    return port.cast(
        Proxy.newProxyInstance(
            port.getClassLoader(),
            new Class<?>[] {port},
            (proxy, method, arguments) -> {
              calls.add(call(method.getName(), arguments == null ? new Object[0] : arguments));
              return null;
            }));
  }

  private static String call(String method, Object... arguments) {
    return method
        + Arrays.stream(arguments).map(String::valueOf).collect(Collectors.joining(", ", "(", ")"));
  }

  private void assertCalls(Action action, String... expected) {
    calls.clear();
    performed.add(action.getClass());
    if (action instanceof Action.PortAction onPorts) {
      onPorts.perform(
          new MachinePorts(
              recorded(ContainerPort.class),
              recorded(LaunchPort.class),
              recorded(TaskPort.class),
              recorded(PagePort.class),
              recorded(AddressPort.class),
              recorded(CheckpointPort.class)));
    } else if (action instanceof Action.LoopAction onLoop) {
      onLoop.perform(recorded(LoopPort.class));
    }
    assertEquals(List.of(expected), calls);
  }

  @Test
  public void shouldEachBeWhatItSays() {
    Action.StartTask start = new Action.StartTask(KEY, 0, new ClusterSpec(Map.of()), 0, "");
    JobResult result = JobResult.succeeded("");

    assertCalls(new Action.PublishAddress(), "publish()");
    assertCalls(new Action.RequestContainers(ROLE, 2), call("request", ROLE, 2));
    assertCalls(new Action.CancelRequests(ROLE, 1), call("cancel", ROLE, 1));
    assertCalls(new Action.ReleaseContainer("c1"), "release(c1)");
    assertCalls(new Action.LaunchExecutor(KEY), call("expect", KEY), call("launch", KEY));
    assertCalls(start, call("start", start));
    assertCalls(new Action.RestartTask(KEY, 2, "lost"), call("restart", NEXT, "lost", false));
    assertCalls(new Action.StopTask(KEY, "over", true), call("stop", KEY, "over", true));
    assertCalls(new Action.RequestCheckpoint(KEY, NOW), call("requestCheckpoint", KEY, NOW));
    assertCalls(new Action.OpenShell(7), "openShell(7)");
    assertCalls(new Action.RefuseShell(7, "no"), "refuseShell(7, no)");
    assertCalls(new Action.StopContainer(KEY), call("stop", KEY));
    assertCalls(new Action.AvoidNodes(Set.of("node")), "avoid([node])");
    assertCalls(new Action.ShowTensorBoard("http://x"), "showTensorBoard(http://x)");
    assertCalls(new Action.DropOldCheckpoints(true), "dropOld(true)");
    Duration second = Duration.ofSeconds(1);
    assertCalls(
        new Action.SetTimer(Timer.PARTIAL_ALLOCATION, second),
        call("set", Timer.PARTIAL_ALLOCATION, second));
    assertCalls(
        new Action.CancelTimer(Timer.PARTIAL_ALLOCATION), call("cancel", Timer.PARTIAL_ALLOCATION));
    assertCalls(new Action.Finish(result), call("finish", result));

    Set<Class<?>> all =
        Stream.of(Action.PortAction.class, Action.LoopAction.class)
            .flatMap(kind -> Stream.of(kind.getPermittedSubclasses()))
            .collect(Collectors.toSet());
    assertEquals(all, performed);
  }

  /** The launcher knows whose container it is before the executor is told. */
  @Test
  public void shouldMoveAContainerBeforeItsExecutorIsAnotherTasks() {
    assertCalls(
        new Action.RestartTask(KEY, MOVED.task(), 2, "moved", true),
        call("move", MOVED),
        call("restart", MOVED, "moved", true));
  }
}
