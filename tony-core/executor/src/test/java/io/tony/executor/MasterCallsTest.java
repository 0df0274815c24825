package io.tony.executor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.executor.rpc.ExecutorCommand;
import io.tony.executor.rpc.HandledSideCommands;
import io.tony.executor.rpc.Heartbeat;
import io.tony.executor.rpc.HeartbeatReply;
import io.tony.executor.rpc.JobToken;
import io.tony.executor.rpc.MasterCalls;
import io.tony.executor.rpc.ProgramExit;
import io.tony.executor.rpc.Request;
import io.tony.executor.rpc.TaskRegistration;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.process.ScarceKernel;
import io.tony.process.Spawner;
import io.tony.protocol.JobKey;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.security.token.Token;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** An executor's calls of Hadoop's own server, under each protection that a cluster may have. */
public class MasterCallsTest {
  private static final TaskKey TASK = new TaskKey(new TaskId("worker", 0), 1, "container_1");

  /** Of SASL; by a cluster's hadoop.rpc.protection. */
  private static final String[][] PROTECTIONS = {
    {"authentication", "auth"},
    {"integrity", "auth-int"},
    {"privacy", "auth-conf"},
    {"authentication,privacy", "auth,auth-conf"},
    {"privacy,authentication", "auth-conf,auth"}
  };

  @Rule public final Timeout limit = Timeout.seconds(60);

  private final JobKey key = JobKey.random("application_1_0001");

  private MasterCalls calls(InetSocketAddress address, JobKey of, String protection) {
    return calls(address, of, protection, Spawner.SYSTEM);
  }

  private static MasterCalls calls(
      InetSocketAddress address, JobKey of, String protection, Spawner spawner) {
    Token<TonyToken> token = of.token(TonyToken.Audience.EXECUTOR);
    return new MasterCalls(
        address,
        new JobToken(token.getIdentifier(), token.getPassword()),
        protection,
        spawner,
        caller -> {});
  }

  private static Request register() {
    return Request.register(TaskRegistration.of(TASK, "host", 1, 0), HeartbeatReply.NONE);
  }

  @Test
  public void shouldBeUnderstoodUnderEachProtection() throws Exception {
    String stderr = "é".repeat(150_000); // more than SASL wraps at once
    for (String[] protection : PROTECTIONS) {
      try (ServedMaster master = new ServedMaster(key, protection[0], 0, 1);
          MasterCalls calls = calls(master.address(), key, protection[1])) {
        calls.call(register());
        assertEquals("host", master.next(RegisterRequest.class).getHost());

        calls.call(Request.exited(TASK, ProgramExit.withoutProgram(3, stderr)));

        assertEquals(protection[0], stderr, master.next(ExitedRequest.class).getExecutorMessage());
      }
    }
  }

  /** As an IOException, for which calls are made again, and no Error, by which a thread ends. */
  @Test
  public void shouldFailACallForWhichThereIsNoThreadAndMakeTheNext() throws Exception {
    for (int thread = 1; thread <= 2; thread++) {
      Spawner spawner = new Spawner(ScarceKernel.withoutThreads(thread, 1));
      try (ServedMaster master = new ServedMaster(key);
          MasterCalls calls = calls(master.address(), key, "auth", spawner)) {
        IOException none = assertThrows(IOException.class, () -> calls.call(register()));
        assertTrue(none.getMessage(), none.getMessage().startsWith("no thread can be had for "));

        calls.call(register());

        assertEquals("host", master.next(RegisterRequest.class).getHost());
      }
    }
  }

  @Test
  public void shouldAnswerEachCallWithItsOwnAnswer() throws Exception {
    try (ServedMaster master = new ServedMaster(key);
        MasterCalls calls = calls(master.address(), key, "auth")) {
      CompletableFuture<ExecutorCommand> held = CompletableFuture.supplyAsync(() -> command(calls));

      HeartbeatReply told =
          calls.call(Request.heartbeat(TASK, Heartbeat.EMPTY, 0)).heartbeatReply();
      assertNull(told.tokens());
      master.start(1, "while that was held");

      ExecutorCommand command = held.get();
      assertTrue(command.toString(), command instanceof ExecutorCommand.Start);
      assertEquals("while that was held", ((ExecutorCommand.Start) command).command());
    }
  }

  private static ExecutorCommand command(MasterCalls calls) {
    try {
      ExecutorCommand command = null;
      while (command == null) {
        command =
            calls.call(Request.awaitCommand(TASK, false, 0, HandledSideCommands.NONE)).command();
      }
      return command;
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  public void shouldLogInNowhereWithAnotherJobsKey() throws Exception {
    for (String protection : new String[] {"auth", "auth-conf"}) {
      try (ServedMaster master = new ServedMaster(key, "authentication,privacy", 0, 1);
          MasterCalls calls =
              calls(master.address(), JobKey.random("application_1_0001"), protection)) {
        assertThrows(IOException.class, () -> calls.call(register()));
        assertFalse(master.toldMore());
      }
    }
  }

  @Test
  public void shouldGoOnAfterItsServerHasClosedTheConnection() throws Exception {
    ServedMaster first = new ServedMaster(key);
    try (MasterCalls calls = calls(first.address(), key, "auth")) {
      calls.call(register());
      int port = first.address().getPort();
      first.close();
      assertThrows(IOException.class, () -> calls.call(register()));

      try (ServedMaster second = new ServedMaster(key, "authentication", port, 2)) {
        calls.call(register());
        second.next(RegisterRequest.class);
      }
    }
  }

  /** Somebody listens where an ApplicationMaster was, and says nothing. */
  @Test
  public void shouldEndACallOfASilentServerWhenItIsClosed() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      InetSocketAddress address =
          new InetSocketAddress(silent.getInetAddress(), silent.getLocalPort());
      MasterCalls calls = calls(address, key, "auth");
      Thread caller = Thread.currentThread();
      CompletableFuture<Void> accepted =
          CompletableFuture.runAsync(
              () -> {
                try {
                  silent.accept().getInputStream().read();
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
                caller.interrupt();
              });

      assertThrows(InterruptedException.class, () -> calls.call(register()));

      accepted.get();
      calls.close();
      assertThrows(IOException.class, () -> calls.call(register()));
    }
  }
}
