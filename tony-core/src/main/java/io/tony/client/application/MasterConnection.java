package io.tony.client.application;

import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import io.tony.protocol.ClientProtocol;
import io.tony.protocol.Connections;
import io.tony.protocol.JobKey;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.CloseRequest;
import io.tony.protocol.proto.TonyProtos.Empty;
import io.tony.protocol.proto.TonyProtos.OpenRequest;
import io.tony.protocol.proto.TonyProtos.OpenResponse;
import io.tony.protocol.proto.TonyProtos.StacksRequest;
import io.tony.protocol.proto.TonyProtos.StopRequest;
import io.tony.protocol.proto.TonyProtos.TaskStacks;
import io.tony.protocol.proto.TonyProtos.Tokens;
import io.tony.protocol.proto.TonyProtos.UnwatchedResponse;
import io.tony.protocol.proto.TonyProtos.WatchRequest;
import io.tony.protocol.proto.TonyProtos.WatchResponse;
import io.tony.tunnel.TunnelLink;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/** A client's line to one ApplicationMaster. */
public final class MasterConnection implements AutoCloseable {
  /** What came since the last look; {@code toldBy} is which ApplicationMaster tells it, from 1. */
  public record News(List<JobEvent> events, boolean finished, int masterAttempt) {}

  private static final int PROBE_TIMEOUT_MS = 1_000;

  private final InetSocketAddress address;
  private final ClientProtocol master;

  private MasterConnection(InetSocketAddress address, ClientProtocol master) {
    this.address = address;
    this.master = master;
  }

  static MasterConnection open(InetSocketAddress address, JobKey key, Configuration conf)
      throws IOException {
    return new MasterConnection(
        address,
        Connections.open(
            ClientProtocol.class, address, key.token(TonyToken.Audience.CLIENT), conf));
  }

  /**
   * Waits until there is more than what was seen, for no longer than the patience.
   *
   * @param masterAttempt which ApplicationMaster told the last of what was seen; 0 before any
   */
  public News watch(long seenCount, int masterAttempt, Duration maxWait) throws IOException {
    WatchRequest request =
        WatchRequest.newBuilder()
            .setSeen(seenCount)
            .setMasterAttempt(masterAttempt)
            .setPatienceMs(Math.max(1, maxWait.toMillis())) // 0 would be none of its own
            .build();
    try {
      WatchResponse response = master.watch(null, request);
      List<JobEvent> events = new ArrayList<>();
      for (String line : response.getEventsList()) {
        events.add(EventJson.read(line));
      }
      return new News(events, response.getFinished(), response.getMasterAttempt());
    } catch (ServiceException e) {
      throw new IOException("the ApplicationMaster at " + address + " does not answer", e);
    }
  }

  /** When another client last asked what is new, and how many are connected. */
  OtherClientWatch.PollResult.Answer clientActivity() throws IOException {
    UnwatchedResponse response = call(() -> master.unwatched(null, Empty.getDefaultInstance()));
    return new OtherClientWatch.PollResult.Answer(
        Duration.ofMillis(response.getUnwatchedMs()),
        response.hasClients() ? OptionalInt.of(response.getClients()) : OptionalInt.empty(),
        response.getWatched());
  }

  /** Where the programs of all tasks stand; of one, with all its threads. */
  public List<TaskStacks> stacks(Optional<TaskId> task) throws IOException {
    StacksRequest.Builder request = StacksRequest.newBuilder();
    task.ifPresent(one -> request.setRole(one.role()).setIndex(one.index()));
    return call(() -> master.stacks(null, request.build())).getTasksList();
  }

  /** A tunnel to a task of the job, or why there is none. */
  public OpenResponse openTunnel(OpenRequest request) throws IOException {
    return call(() -> master.open(null, request));
  }

  /** The line of a tunnel that was opened. */
  public TunnelLink tunnelLink(long tunnel) {
    return new ClientTunnelLink(master, tunnel);
  }

  /** Ends whatever is at the other end of the tunnel. */
  public void closeTunnel(long tunnel) throws IOException {
    call(() -> master.close(null, CloseRequest.newBuilder().setTunnel(tunnel).build()));
  }

  private interface RpcCall<T> {
    T invoke() throws ServiceException;
  }

  private <T> T call(RpcCall<T> rpcCall) throws IOException {
    try {
      return rpcCall.invoke();
    } catch (ServiceException e) {
      throw new IOException("the ApplicationMaster at " + address + " cannot be asked", e);
    }
  }

  /** Hands over tokens; older ones than it has have no effect. */
  void renew(Tokens tokens) throws IOException {
    try {
      master.renew(null, tokens);
    } catch (ServiceException e) {
      throw new IOException("the ApplicationMaster at " + address + " takes no tokens", e);
    }
  }

  /** Asks for the end of the job; that it has come is seen by watching. */
  void stop(String who) throws IOException {
    try {
      master.stop(null, StopRequest.newBuilder().setWho(who).build());
    } catch (ServiceException e) {
      throw new IOException("the ApplicationMaster at " + address + " cannot be asked to stop", e);
    }
  }

  /**
   * Lets an ApplicationMaster go whose job was stopped and which YARN shows as killed, and waits
   * for the end of its process, which is when its port is closed.
   */
  void release(Duration maxWait) throws InterruptedException {
    try {
      master.leave(null, Empty.getDefaultInstance());
    } catch (ServiceException e) {
      // It is gone already, and that is what was wanted.
    }
    close();
    long deadline = System.nanoTime() + maxWait.toNanos();
    while (isListening() && System.nanoTime() < deadline) {
      Thread.sleep(10);
    }
  }

  private boolean isListening() {
    try (Socket probe = new Socket()) {
      probe.connect(address, PROBE_TIMEOUT_MS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    Connections.close(master);
  }
}
