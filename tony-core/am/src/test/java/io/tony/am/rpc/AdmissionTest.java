package io.tony.am.rpc;

import static io.tony.am.rpc.ServedJob.wire;
import static io.tony.model.SampleJob.job;
import static org.apache.hadoop.fs.CommonConfigurationKeysPublic.HADOOP_RPC_PROTECTION;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Event;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.ClientProtocol;
import io.tony.protocol.Connections;
import io.tony.protocol.DelegatedTokens;
import io.tony.protocol.JobKey;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.AwaitRequest;
import io.tony.protocol.proto.TonyProtos.Chunk;
import io.tony.protocol.proto.TonyProtos.CloseRequest;
import io.tony.protocol.proto.TonyProtos.Empty;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.OpenRequest;
import io.tony.protocol.proto.TonyProtos.PutRequest;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import io.tony.protocol.proto.TonyProtos.StopRequest;
import io.tony.protocol.proto.TonyProtos.TakeRequest;
import io.tony.protocol.proto.TonyProtos.WatchRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import java.time.InstantSource;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RpcConstants;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.function.ThrowingRunnable;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Who may call what. Nothing that is refused reaches the loop. */
public class AdmissionTest {
  private static final TaskKey WORKER = new TaskKey(new TaskId("worker", 0), 0, "container_1");
  private static final StopRequest STOP = StopRequest.newBuilder().setWho("eve").build();
  private static final RegisterRequest REGISTER =
      RegisterRequest.newBuilder().setTask(wire(WORKER)).setHost("h").setPort(1).build();
  private static final PutRequest PUT =
      PutRequest.newBuilder()
          .setTask(wire(WORKER))
          .setTunnel(1)
          .setChunk(Chunk.newBuilder().setNumber(1))
          .build();
  private static final TakeRequest TAKE =
      TakeRequest.newBuilder().setTask(wire(WORKER)).setTunnel(1).setKnown(0).build();

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private ServedJob served;

  @Before
  public void serve() throws IOException {
    served = new ServedJob(job().workers(1).spec(), InstantSource.system(), folder.getRoot());
  }

  @After
  public void close() {
    served.close();
  }

  private void refused(String why, ThrowingRunnable call) {
    ServiceException e = assertThrows(ServiceException.class, call);
    assertTrue(String.valueOf(e.getCause()), String.valueOf(e.getCause()).contains(why));
    assertTrue("it reached the loop", served.noEvent());
  }

  @Test
  public void shouldRefuseExecutorsTheClientsProtocol() throws IOException {
    ClientProtocol client = served.client(served.key.token(TonyToken.Audience.EXECUTOR));

    String why = "this protocol is for CLIENT";
    refused(why, () -> client.stop(null, STOP));
    refused(why, () -> client.leave(null, Empty.getDefaultInstance()));
    refused(why, () -> client.renew(null, DelegatedTokens.message(1, new Credentials())));
    refused(why, () -> client.watch(null, WatchRequest.newBuilder().setSeen(0).build()));
    refused(why, () -> client.open(null, OpenRequest.newBuilder().setWho("eve").build()));
    refused(why, () -> client.put(null, PUT));
    refused(why, () -> client.take(null, TAKE));
    refused(why, () -> client.close(null, CloseRequest.newBuilder().setTunnel(1).build()));
  }

  @Test
  public void shouldRefuseClientsTheExecutorsProtocol() throws IOException {
    TaskProtocol task = served.executor(served.key.token(TonyToken.Audience.CLIENT));

    String why = "this protocol is for EXECUTOR";
    refused(why, () -> task.register(null, REGISTER));
    refused(
        why,
        () -> task.awaitCommand(null, AwaitRequest.newBuilder().setTask(wire(WORKER)).build()));
    refused(
        why,
        () ->
            task.started(
                null, StartedRequest.newBuilder().setTask(wire(WORKER)).setPid(1).build()));
    refused(
        why,
        () -> task.heartbeat(null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).build()));
    refused(
        why,
        () ->
            task.exited(
                null, ExitedRequest.newBuilder().setTask(wire(WORKER)).setExitCode(0).build()));
    refused(why, () -> task.put(null, PUT));
    refused(why, () -> task.take(null, TAKE));
  }

  @Test
  public void shouldRefuseATokenThatWasMadeWithAnotherKey() throws IOException {
    JobKey wrong = JobKey.random(ServedJob.APPLICATION);
    ClientProtocol client = served.client(wrong.token(TonyToken.Audience.CLIENT));

    refused("SaslException", () -> client.stop(null, STOP));
  }

  @Test
  public void shouldRefuseATokenOfAnotherApplication() throws IOException {
    JobKey wrong = JobKey.random("application_1_0002");
    ClientProtocol client = served.client(wrong.token(TonyToken.Audience.CLIENT));

    refused("another application than " + ServedJob.APPLICATION, () -> client.stop(null, STOP));
  }

  @Test
  public void shouldRefuseATokenWhoseAudienceWasChanged() throws IOException {
    Token<TonyToken> executors = served.key.token(TonyToken.Audience.EXECUTOR);
    byte[] clients = new TonyToken(ServedJob.APPLICATION, TonyToken.Audience.CLIENT).getBytes();
    Token<TonyToken> forged =
        new Token<>(clients, executors.getPassword(), executors.getKind(), executors.getService());

    ClientProtocol client = served.client(forged);

    refused("SaslException", () -> client.stop(null, STOP));
  }

  @Test
  public void shouldTalkToNobodyInTheClearWhereTheClusterEncrypts() throws Exception {
    Configuration encrypts = new Configuration();
    encrypts.set(HADOOP_RPC_PROTECTION, "privacy");
    try (ServedJob job =
        new ServedJob(
            job().workers(1).spec(), InstantSource.system(), folder.newFolder(), 1, encrypts)) {
      job.conf.set(HADOOP_RPC_PROTECTION, "authentication");
      TaskProtocol inTheClear = job.executor();
      ServiceException e =
          assertThrows(ServiceException.class, () -> inTheClear.register(null, REGISTER));
      String why = String.valueOf(e.getCause());
      assertTrue(why, why.contains("No common protection layer between client and server"));
      assertTrue("it reached the loop", job.noEvent());

      job.conf.set(HADOOP_RPC_PROTECTION, "privacy");
      job.executor().register(null, REGISTER);
      assertEquals(WORKER, ((Event.TaskRegistered) job.event()).key());
    }
  }

  @Test
  public void shouldRefuseCallersWithoutAToken() throws Exception {
    String why = answerToACallerWithoutAToken();
    assertTrue(why, why.contains("AccessControlException"));
    RPC.setProtocolEngine(served.conf, ClientProtocol.class, ProtobufRpcEngine2.class);
    for (String user : List.of("eve", UserGroupInformation.getCurrentUser().getShortUserName())) {
      UserGroupInformation caller = UserGroupInformation.createRemoteUser(user);
      ClientProtocol client =
          caller.doAs(
              (PrivilegedExceptionAction<ClientProtocol>)
                  () ->
                      RPC.getProxy(
                          ClientProtocol.class,
                          RPC.getProtocolVersion(ClientProtocol.class),
                          served.server.address(),
                          caller,
                          served.conf,
                          NetUtils.getDefaultSocketFactory(served.conf)));
      try {
        // It goes on before it is answered, and may find the connection closed before it reads why.
        assertThrows(ServiceException.class, () -> client.stop(null, STOP));
        assertTrue("it reached the loop", served.noEvent());
      } finally {
        Connections.close(client);
      }
    }
  }

  /** What the server says before it hangs up, to one who says no more than that it has none. */
  private String answerToACallerWithoutAToken() throws IOException {
    InetSocketAddress server = served.server.address();
    try (Socket socket = new Socket(server.getAddress(), server.getPort())) {
      byte service = 0;
      byte simple = 0;
      byte[] header = {'h', 'r', 'p', 'c', RpcConstants.CURRENT_VERSION, service, simple};
      socket.getOutputStream().write(header);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }
}
