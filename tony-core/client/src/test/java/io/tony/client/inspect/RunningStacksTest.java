package io.tony.client.inspect;

import static io.tony.am.rpc.ServedJob.inBackground;
import static io.tony.am.rpc.ServedJob.wire;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.rpc.ServedJob;
import io.tony.client.application.ExitCode;
import io.tony.client.input.InvalidJobException;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.proto.TonyProtos.AwaitRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.StackReport;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** {@code tony stacks}, of an ApplicationMaster's real server whose executors answer. */
public class RunningStacksTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private InspectedJob job;
  private ServedJob served;
  private TaskProtocol executor;
  private final List<TaskKey> tasks = new ArrayList<>();

  @Before
  public void serve() throws Exception {
    job = new InspectedJob(folder.getRoot().toPath());
    served = new ServedJob(job().workers(13).spec(), InstantSource.system(), folder.newFolder());
    executor = served.executor();
    job.showMaster(served.server.address(), served.key);
  }

  @After
  public void close() {
    served.close();
  }

  private void register(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      TaskKey key = new TaskKey(new TaskId("worker", i), 0, "container_" + i);
      served.server.expect(key);
      executor.register(
          null, RegisterRequest.newBuilder().setTask(wire(key)).setHost("h").setPort(1).build());
      tasks.add(key);
    }
  }

  private CompletableFuture<ExitCode> show(String task) throws Exception {
    RunningStacks stacks = new RunningStacks(job.inspected(), job.out);
    return inBackground(() -> stacks.print(task));
  }

  /** What the executor of a task says where its program stands, once it is asked. */
  private void answer(int index, StackReport.Builder told) throws Exception {
    long question =
        executor
            .awaitCommand(
                null,
                AwaitRequest.newBuilder().setTask(wire(tasks.get(index))).setStarted(true).build())
            .getStacks()
            .getQuestion();
    executor.heartbeat(
        null,
        HeartbeatRequest.newBuilder()
            .setTask(wire(tasks.get(index)))
            .setStacks(told.setQuestion(question))
            .build());
  }

  private static StackReport.Builder at(String place) {
    return StackReport.newBuilder().setPlace(place);
  }

  @Test
  public void shouldShowTheRarestPlaceFirstAndThoseTogetherThatAreAtTheSame() throws Exception {
    register(13);
    CompletableFuture<ExitCode> shown = show(null);
    for (int i = 0; i < 13; i++) {
      answer(i, at(i == 5 ? "read (data.py:7)" : "all_reduce (train.py:40)"));
    }

    assertEquals(ExitCode.SUCCEEDED, shown.get());
    assertEquals(
        List.of(
            "read (data.py:7): worker:5",
            "all_reduce (train.py:40): worker:0, worker:1, worker:2, worker:3, worker:4, worker:6,"
                + " worker:7, worker:8, worker:9, worker:10 and 2 more"),
        job.allLines());
  }

  @Test
  public void shouldNameAllWhereTheyAreFew() throws Exception {
    register(10);
    CompletableFuture<ExitCode> shown = show(null);
    for (int i = 0; i < 10; i++) {
      answer(i, at("step (a.py:1)"));
    }

    shown.get();
    assertEquals(1, job.allLines().size());
    assertTrue(job.allLines() + "", job.allLines().get(0).endsWith(", worker:8, worker:9"));
  }

  @Test
  public void shouldShowAllThreadsOfOneTask() throws Exception {
    register(2);
    CompletableFuture<ExitCode> shown = show("worker:1");
    answer(1, at("step (a.py:1)").setText("thread 1\n  step\nthread 2\n  wait"));

    assertEquals(ExitCode.SUCCEEDED, shown.get());
    assertEquals(
        List.of("worker:1 is at: step (a.py:1)", "thread 1", "  step", "thread 2", "  wait"),
        job.allLines());
  }

  @Test
  public void shouldSayWhatElseIsNotSeenOfOneTask() throws Exception {
    register(1);
    CompletableFuture<ExitCode> shown = show("worker:0");
    answer(0, at("step (a.py:1)").setText("thread 1").setProblem("its children are not shown"));

    shown.get();
    assertEquals(
        List.of("worker:0 is at: step (a.py:1)", "thread 1", "its children are not shown"),
        job.allLines());
  }

  @Test
  public void shouldSayOnceWhyNothingIsSeen() throws Exception {
    register(1);
    CompletableFuture<ExitCode> shown = show("worker:0");
    answer(0, at("").setProblem("it is no Python program"));

    shown.get();
    assertEquals(List.of("worker:0 is at: not known, it is no Python program"), job.allLines());
  }

  private String refused(String task) throws Exception {
    RunningStacks stacks = new RunningStacks(job.inspected(), job.out);
    return assertThrows(InvalidJobException.class, () -> stacks.print(task)).getMessage();
  }

  @Test
  public void shouldSayThatNobodyCanBeAsked() throws Exception {
    String all = refused(null);
    assertTrue(all, all.contains("no task of application_1_0001 has registered yet"));
    register(1);
    String other = refused("worker:7");
    assertTrue(other, other.contains("no task worker:7 of application_1_0001 has registered"));
    String name = refused("worker");
    assertTrue(name, name.contains("'worker' is not a task: it looks like worker:0"));
    job.show(YarnApplicationState.FINISHED);
    String ended = refused(null);
    assertTrue(ended, ended.contains("application_1_0001 has ended"));
  }
}
