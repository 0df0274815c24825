package io.tony.am.rpc;

import static io.tony.am.rpc.ServedJob.inBackground;
import static io.tony.am.rpc.ServedJob.wire;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;

import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.proto.TonyProtos.AskForStacks;
import io.tony.protocol.proto.TonyProtos.AwaitRequest;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.StackReport;
import io.tony.protocol.proto.TonyProtos.StacksRequest;
import io.tony.protocol.proto.TonyProtos.StacksResponse;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** A client asks where programs stand, and the executors of its job answer. */
public class StackRequestsTest {
  private static final StacksRequest ALL = StacksRequest.getDefaultInstance();

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private ServedJob served;
  private TaskProtocol executor;

  @Before
  public void serve() throws Exception {
    served = new ServedJob(job().workers(2).spec(), InstantSource.system(), folder.getRoot());
    executor = served.executor();
  }

  @After
  public void close() {
    served.close();
  }

  private TaskKey registered(int index) throws ServiceException {
    TaskKey key = new TaskKey(new TaskId("worker", index), 0, "container_" + index);
    served.server.expect(key);
    executor.register(
        null, RegisterRequest.newBuilder().setTask(wire(key)).setHost("h").setPort(1).build());
    return key;
  }

  /** A program runs, as far as the executor says. */
  private AskForStacks asked(TaskKey key, long known) throws ServiceException {
    AwaitResponse command =
        executor.awaitCommand(
            null,
            AwaitRequest.newBuilder()
                .setTask(wire(key))
                .setStarted(true)
                .setHandledStacks(known)
                .build());
    return command.getStacks();
  }

  private void tell(TaskKey key, StackReport told) throws ServiceException {
    executor.heartbeat(
        null, HeartbeatRequest.newBuilder().setTask(wire(key)).setStacks(told).build());
  }

  private static StackReport told(AskForStacks question, String place) {
    return StackReport.newBuilder().setQuestion(question.getQuestion()).setPlace(place).build();
  }

  private CompletableFuture<StacksResponse> ask(StacksRequest request) throws Exception {
    var client = served.client();
    return inBackground(() -> client.stacks(null, request));
  }

  @Test
  public void shouldAnswerWhenAllExecutorsHave() throws Exception {
    TaskKey first = registered(0);
    TaskKey second = registered(1);
    CompletableFuture<StacksResponse> answer = ask(ALL);

    AskForStacks question = asked(first, 0);
    assertFalse(question.getWhole());
    tell(first, told(question, "step (a.py:1)"));
    assertEquals(question, asked(second, 0));
    tell(second, told(question, "read (b.py:2)"));

    StacksResponse stacks = answer.get();
    assertEquals(2, stacks.getTasksCount());
    stacks
        .getTasksList()
        .forEach(
            task ->
                assertEquals(
                    task.getIndex() == 0 ? "step (a.py:1)" : "read (b.py:2)",
                    task.getReport().getPlace()));
  }

  @Test
  public void shouldAskOneTaskForAllItsThreadsAndTakeNoMoreThanItMaySay() throws Exception {
    registered(0);
    TaskKey second = registered(1);
    CompletableFuture<StacksResponse> answer =
        ask(StacksRequest.newBuilder().setRole("worker").setIndex(1).build());

    AskForStacks question = asked(second, 0);
    assertEquals(true, question.getWhole());
    tell(
        second,
        StackReport.newBuilder()
            .setQuestion(question.getQuestion())
            .setPlace("p".repeat(1_000))
            .setText("t".repeat(1_000_000))
            .build());

    assertEquals(1, answer.get().getTasksCount());
    StackReport told = answer.get().getTasks(0).getReport();
    assertEquals(ReportLimits.MAX_HANG_LOCATION_CHARS, told.getPlace().length());
    assertEquals(ReportLimits.MAX_STACKS_CHARS, told.getText().length());
  }

  /** What it has taken up, or another ApplicationMaster asked, it is not asked again. */
  @Test
  public void shouldAskEachExecutorOnceForEachQuestion() throws Exception {
    TaskKey worker = registered(0);
    CompletableFuture<StacksResponse> answer = ask(ALL);
    AskForStacks first = asked(worker, 0);
    CompletableFuture<AskForStacks> next = inBackground(() -> asked(worker, first.getQuestion()));
    tell(worker, told(first, "here"));
    answer.get();

    CompletableFuture<StacksResponse> another = ask(ALL);
    AskForStacks second = next.get();
    assertEquals(true, second.getQuestion() > first.getQuestion());
    tell(worker, told(first, "an answer that comes too late"));
    tell(worker, told(second, "there"));

    assertEquals("there", another.get().getTasks(0).getReport().getPlace());
  }

  /** The executor of the second task is busy meanwhile, and finds both questions. */
  @Test
  public void shouldAnswerTwoWhoAskAtTheSameTime() throws Exception {
    TaskKey quick = registered(0);
    TaskKey busy = registered(1);
    CompletableFuture<StacksResponse> answer = ask(ALL);
    AskForStacks first = asked(quick, 0);
    CompletableFuture<StacksResponse> another = ask(ALL);
    AskForStacks second = asked(quick, first.getQuestion());
    tell(quick, told(first, "here"));
    tell(quick, told(second, "here"));

    assertEquals(first, asked(busy, 0));
    tell(busy, told(first, "here"));
    assertEquals(second, asked(busy, first.getQuestion()));
    tell(busy, told(second, "here"));

    for (StacksResponse all : List.of(answer.get(), another.get())) {
      assertEquals(2, all.getTasksCount());
      all.getTasksList().forEach(task -> assertEquals("here", task.getReport().getPlace()));
    }
  }

  /** An executor that is silent, or whose task ends: the others are told all the same. */
  @Test
  public void shouldNotWaitForEverForAnExecutorThatDoesNotAnswer() throws Exception {
    TaskKey first = registered(0);
    registered(1);
    CompletableFuture<StacksResponse> answer = ask(ALL);
    tell(first, told(asked(first, 0), "here"));

    StacksResponse stacks = answer.get();

    assertEquals(2, stacks.getTasksCount());
    stacks.getTasksList().forEach(task -> assertEquals(task.getIndex() == 0, task.hasReport()));
  }

  @Test
  public void shouldAskNobodyWhereNobodyIs() throws Exception {
    assertEquals(0, ask(ALL).get().getTasksCount());
    registered(0);
    assertEquals(
        0, ask(StacksRequest.newBuilder().setRole("ps").setIndex(0).build()).get().getTasksCount());
  }

  @Test
  public void shouldTellNoExecutorWhereTheOthersStand() throws Exception {
    var client = served.client(served.key.token(io.tony.protocol.TonyToken.Audience.EXECUTOR));

    assertThrows(ServiceException.class, () -> client.stacks(null, ALL));
  }
}
