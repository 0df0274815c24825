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

/** A client's connection to the ApplicationMaster of one application attempt. */
public final class MasterConnection implements AutoCloseable {
  /**
   * The events that {@link #watch} returns.
   *
   * @param events the job's events after those that the caller already had, in order; may be empty
   * @param finished whether the job has ended
   * @param masterAttempt number of the ApplicationMaster attempt that sent the events, from 1
   */
  public record EventBatch(List<JobEvent> events, boolean finished, int masterAttempt) {}

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
   * Waits until the job has more than {@code seenCount} events, or for {@code maxWait}, and returns
   * the further events.
   *
   * @param seenCount number of events that the caller already has
   * @param masterAttempt number of the ApplicationMaster attempt that sent the last of those
   *     events; 0 if there are none
   */
  public EventBatch watch(long seenCount, int masterAttempt, Duration maxWait) throws IOException {
    WatchRequest request =
        WatchRequest.newBuilder()
            .setSeen(seenCount)
            .setMasterAttempt(masterAttempt)
            // At least 1, so that a shorter wait is not rounded down to none.
            .setPatienceMs(Math.max(1, maxWait.toMillis()))
            .build();
    try {
      WatchResponse response = master.watch(null, request);
      List<JobEvent> events = new ArrayList<>();
      for (String line : response.getEventsList()) {
        events.add(EventJson.read(line));
      }
      return new EventBatch(events, response.getFinished(), response.getMasterAttempt());
    } catch (ServiceException e) {
      throw new IOException("the ApplicationMaster at " + address + " does not answer", e);
    }
  }

  /**
   * Asks the ApplicationMaster how long ago another client last polled it, and how many clients are
   * connected to it; returns the answer.
   */
  OtherClientWatch.PollResult.Answer clientActivity() throws IOException {
    UnwatchedResponse response = call(() -> master.unwatched(null, Empty.getDefaultInstance()));
    return new OtherClientWatch.PollResult.Answer(
        Duration.ofMillis(response.getUnwatchedMs()),
        response.hasClients() ? OptionalInt.of(response.getClients()) : OptionalInt.empty(),
        response.getWatched());
  }

  /**
   * Returns where the programs of all tasks are in their code or, for a single task, the stacks of
   * all its threads.
   */
  public List<TaskStacks> stacks(Optional<TaskId> task) throws IOException {
    StacksRequest.Builder request = StacksRequest.newBuilder();
    task.ifPresent(one -> request.setRole(one.role()).setIndex(one.index()));
    return call(() -> master.stacks(null, request.build())).getTasksList();
  }

  /**
   * Requests a tunnel to a task of the job. If the tunnel is refused, the response contains the
   * reason.
   */
  public OpenResponse openTunnel(OpenRequest request) throws IOException {
    return call(() -> master.open(null, request));
  }

  /**
   * Returns this client's end of a tunnel that was opened.
   *
   * @param tunnel number of the tunnel, from the response to {@link #openTunnel}
   */
  public TunnelLink tunnelLink(long tunnel) {
    return new ClientTunnelLink(master, tunnel);
  }

  /** Closes a tunnel and ends the process at its other end. */
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

  /**
   * Sends new delegation tokens for the job to the ApplicationMaster, which ignores them if it has
   * newer ones.
   *
   * @throws IOException if the ApplicationMaster does not answer, or accepts no tokens because it
   *     is of an earlier version
   */
  void renew(Tokens tokens) throws IOException {
    try {
      master.renew(null, tokens);
    } catch (ServiceException e) {
      throw new IOException("the ApplicationMaster at " + address + " takes no tokens", e);
    }
  }

  /**
   * Asks the ApplicationMaster to end the job. Does not wait for the end, which {@link #watch}
   * reports.
   *
   * @param who who stops the job, for its event log
   */
  void stop(String who) throws IOException {
    try {
      master.stop(null, StopRequest.newBuilder().setWho(who).build());
    } catch (ServiceException e) {
      throw new IOException("the ApplicationMaster at " + address + " cannot be asked to stop", e);
    }
  }

  /**
   * Allows the ApplicationMaster of a stopped job to exit, after YARN shows the application as
   * killed. Waits at most {@code maxWait} until the process has ended, which shows by its closed
   * port. Closes this connection.
   */
  void release(Duration maxWait) throws InterruptedException {
    try {
      master.leave(null, Empty.getDefaultInstance());
    } catch (ServiceException e) {
      // The process has already ended.
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
