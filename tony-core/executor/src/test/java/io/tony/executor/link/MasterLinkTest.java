package io.tony.executor.link;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.container.LocalStaging;
import io.tony.container.Staging;
import io.tony.executor.ServedMaster;
import io.tony.executor.bridge.HadoopCalls;
import io.tony.executor.bridge.HadoopClassPath;
import io.tony.executor.link.MasterLink.MasterLostException;
import io.tony.executor.rpc.ExecutorCommand;
import io.tony.executor.rpc.HandledSideCommands;
import io.tony.executor.rpc.Heartbeat;
import io.tony.executor.rpc.JobToken;
import io.tony.executor.rpc.ProgramExit;
import io.tony.executor.rpc.TaskRegistration;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.executor.token.ProgramTokens;
import io.tony.executor.token.TokenFile;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.process.Spawner;
import io.tony.protocol.JobKey;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.security.token.Token;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** What an executor tells the ApplicationMasters that serve its job one after the other. */
public class MasterLinkTest {
  private static final TaskKey TASK = new TaskKey(new TaskId("worker", 0), 1, "container_7");

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final JobKey jobKey = JobKey.random(LocalStaging.APPLICATION);
  private Staging staging;
  private ServedMaster master;
  private ServedMaster successor;
  private MasterLink link;
  private Thread caller;

  @Before
  public void serve() throws Exception {
    staging = LocalStaging.create(temporary.newFolder("staging"));
    master = new ServedMaster(jobKey);
    master.announce(staging);
    link = link();
  }

  @After
  public void close() throws InterruptedException {
    if (caller != null) {
      caller.interrupt();
      caller.join();
    }
    link.close();
    master.close();
    if (successor != null) {
      successor.close();
    }
  }

  private MasterLink link() throws IOException {
    ExecutorSettings settings =
        new ExecutorSettings(
            TASK,
            "127.0.0.1",
            master.address(),
            "auth",
            staging.master().toString(),
            Duration.ofMinutes(5),
            Duration.ofMillis(20),
            Duration.ZERO,
            Duration.ZERO,
            Duration.ofSeconds(20),
            2,
            false,
            false,
            "",
            false,
            new ExecutorSettings.Preflight("", Duration.ofMinutes(1), 0),
            new ExecutorSettings.Sampling(Duration.ofMillis(100), 0, "nvidia-smi"));
    Path folder = temporary.getRoot().toPath();
    ProgramTokens tokens = ProgramTokens.write(folder, TokenFile.NONE);
    HadoopCalls hadoop = new HadoopCalls(HadoopClassPath.of(System.getProperty("java.class.path")));
    Token<TonyToken> token = jobKey.token(TonyToken.Audience.EXECUTOR);
    return new MasterLink(
        settings,
        new JobToken(token.getIdentifier(), token.getPassword()),
        tokens,
        new MasterFile(settings.masterFile(), hadoop, tokens),
        Spawner.SYSTEM);
  }

  private interface Call {
    ExecutorCommand make() throws MasterLostException, InterruptedException;
  }

  private CompletableFuture<ExecutorCommand> inItsOwnThread(Call call) {
    CompletableFuture<ExecutorCommand> answer = new CompletableFuture<>();
    caller =
        new Thread(
            () -> {
              try {
                answer.complete(call.make());
              } catch (MasterLostException | InterruptedException | RuntimeException e) {
                answer.completeExceptionally(e);
              }
            });
    caller.start();
    return answer;
  }

  private void register() throws MasterLostException, InterruptedException {
    link.register(TaskRegistration.of(TASK, "node-1", 7001, 0));
    assertFalse(master.next(RegisterRequest.class).hasLastHeartbeat());
    link.sendHeartbeat(TASK, Heartbeat.EMPTY);
  }

  /** The next one listens at the port of the one that is lost. */
  private void succeed(int number) throws IOException {
    int port = master.address().getPort();
    master.close();
    successor = new ServedMaster(jobKey, "authentication", port, number);
  }

  @Test
  public void shouldRegisterOnceWithItsFirstMaster() throws Exception {
    register();

    assertFalse(master.toldMore());
  }

  @Test
  public void shouldBeIntroducedAtTheSameAddressWhileItOnlyAwaitsACommand() throws Exception {
    master.hold(Duration.ofMinutes(1));
    register();
    CompletableFuture<ExecutorCommand> command =
        inItsOwnThread(() -> link.awaitCommand(TASK, false, 0, HandledSideCommands.NONE));

    succeed(2);

    RegisterRequest introduction = successor.next(RegisterRequest.class);
    assertEquals(7001, introduction.getPort());
    assertEquals(master.answer(), introduction.getLastHeartbeat());
    successor.start(1, "true");
    assertTrue(command.get() instanceof ExecutorCommand.Start);
  }

  @Test
  public void shouldTellASuccessorAtTheSameAddressAllThatTheFirstHasTaken() throws Exception {
    register();
    link.reportStart(TASK, 4711);
    master.next(StartedRequest.class);
    link.reportExit(TASK, ProgramExit.withoutProgram(8, "it failed"));
    ExitedRequest told = master.next(ExitedRequest.class);

    succeed(2);
    link.sendHeartbeat(TASK, Heartbeat.EMPTY);

    assertEquals(4711, successor.next(RegisterRequest.class).getPid());
    assertEquals(told, successor.next(ExitedRequest.class));
    link.sendHeartbeat(TASK, Heartbeat.EMPTY);
    assertFalse("it is told once", successor.toldMore());
  }

  @Test
  public void shouldNotBeIntroducedAgainWhereOnlyTheConnectionBroke() throws Exception {
    register();

    succeed(1);
    link.sendHeartbeat(TASK, Heartbeat.EMPTY);

    assertFalse(successor.toldMore());
  }

  /** Whose address has come late into the file of addresses, say. */
  @Test
  public void shouldNotGoBackToAnEarlierMaster() throws Exception {
    register();
    succeed(3);
    link.sendHeartbeat(TASK, Heartbeat.EMPTY);
    successor.next(RegisterRequest.class);
    int port = successor.address().getPort();
    successor.close();
    try (ServedMaster earlier = new ServedMaster(jobKey, "authentication", port, 2)) {
      CompletableFuture<ExecutorCommand> command =
          inItsOwnThread(() -> link.awaitCommand(TASK, false, 0, HandledSideCommands.NONE));
      earlier.awaitHeartbeat();
      earlier.awaitHeartbeat();
      assertFalse(earlier.toldMore());

      successor = new ServedMaster(jobKey, "authentication", 0, 4);
      successor.announce(staging);
      assertEquals(3, successor.next(RegisterRequest.class).getLastHeartbeat().getMasterAttempt());
      successor.start(1, "true");
      assertTrue(command.get() instanceof ExecutorCommand.Start);
    }
  }

  @Test
  public void shouldLeaveNoConnectionToASuccessorThatRefusesIt() throws Exception {
    register();
    successor = new ServedMaster(jobKey, "authentication", 0, 2);
    successor.refuseRegistrations();
    successor.announce(staging);
    master.close();
    CompletableFuture<ExecutorCommand> command =
        inItsOwnThread(() -> link.awaitCommand(TASK, false, 0, HandledSideCommands.NONE));

    successor.awaitRefusals(3);
    caller.interrupt();
    caller.join();
    assertTrue(command.isCompletedExceptionally());
    link.close();

    while (successor.connections() > 0) {
      Thread.sleep(5); // until the server has seen that they are closed
    }
  }
}
