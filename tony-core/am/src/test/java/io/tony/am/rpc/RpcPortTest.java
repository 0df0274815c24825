package io.tony.am.rpc;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;

import io.tony.model.PortRange;
import io.tony.protocol.ClientProtocol;
import io.tony.protocol.Connections;
import io.tony.protocol.JobKey;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.Empty;
import io.tony.protocol.proto.TonyProtos.StopRequest;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.RPC;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

public class RpcPortTest {
  @Rule public final Timeout limit = Timeout.seconds(60);

  private static <T> T answering(Class<T> protocol) {
    return protocol.cast(
        Proxy.newProxyInstance(
            protocol.getClassLoader(),
            new Class<?>[] {protocol},
            (proxy, method, arguments) -> Empty.getDefaultInstance()));
  }

  @Test
  public void shouldAnswerWhoCalledBeforeItServed() throws Exception {
    Configuration conf = new Configuration();
    JobKey key = JobKey.random("application_1_0001");
    RpcPort.BoundPort bound = new RpcPort(conf, "127.0.0.1", PortRange.ANY, 1, key).bind();
    ClientProtocol client =
        Connections.open(
            ClientProtocol.class, bound.address(), key.token(TonyToken.Audience.CLIENT), conf);
    StopRequest stop = StopRequest.newBuilder().setWho("ada").build();
    CompletableFuture<Empty> answer = ServedJob.inBackground(() -> client.stop(null, stop));
    // It is not refused: nor is the call.
    new Socket(bound.address().getAddress(), bound.address().getPort()).close();
    assertFalse(answer.isDone());

    RPC.Server server = bound.serve(answering(TaskProtocol.class), answering(ClientProtocol.class));

    assertSame(Empty.getDefaultInstance().getClass(), answer.get().getClass());
    RPC.stopProxy(client);
    server.stop();
  }
}
