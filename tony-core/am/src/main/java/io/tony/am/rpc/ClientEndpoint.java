package io.tony.am.rpc;

import io.tony.am.loop.EventSink;
import io.tony.am.machine.Event;
import io.tony.protocol.ClientProtocol;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.CloseRequest;
import io.tony.protocol.proto.TonyProtos.Empty;
import io.tony.protocol.proto.TonyProtos.OpenRequest;
import io.tony.protocol.proto.TonyProtos.OpenResponse;
import io.tony.protocol.proto.TonyProtos.PutRequest;
import io.tony.protocol.proto.TonyProtos.PutResponse;
import io.tony.protocol.proto.TonyProtos.StacksRequest;
import io.tony.protocol.proto.TonyProtos.StacksResponse;
import io.tony.protocol.proto.TonyProtos.StopRequest;
import io.tony.protocol.proto.TonyProtos.TakeRequest;
import io.tony.protocol.proto.TonyProtos.TakeResponse;
import io.tony.protocol.proto.TonyProtos.Tokens;
import io.tony.protocol.proto.TonyProtos.UnwatchedResponse;
import io.tony.protocol.proto.TonyProtos.WatchRequest;
import io.tony.protocol.proto.TonyProtos.WatchResponse;
import io.tony.text.Strings;
import java.io.IOException;
import java.time.InstantSource;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.jspecify.annotations.Nullable;

/**
 * Implements the client protocol, with which the job owner's clients watch, inspect and stop the
 * job.
 */
final class ClientEndpoint implements ClientProtocol {
  private final EventSink sink;
  private final InstantSource clock;
  private final EventFeed feed;

  private final CountDownLatch released;
  private final TokenUpdates tokens;
  private final StackRequests stacks;
  private final Tunnels tunnels;
  private final Supplier<OptionalInt> connectionCount;

  /**
   * {@code released} is counted down when a client allows this ApplicationMaster to end. {@code
   * connectionCount} returns the number of open connections of clients, if known.
   */
  ClientEndpoint(
      EndpointServices services, CountDownLatch released, Supplier<OptionalInt> connectionCount) {
    this.sink = services.sink();
    this.clock = services.clock();
    this.feed = services.feed();
    this.tokens = services.tokens();
    this.stacks = services.stacks();
    this.tunnels = services.tunnels();
    this.released = released;
    this.connectionCount = connectionCount;
  }

  @Override
  public @Nullable WatchResponse watch(RpcController controller, WatchRequest request)
      throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.CLIENT);
    return feed.watch(request.getSeen(), request.getMasterAttempt(), request.getPatienceMs());
  }

  @Override
  public UnwatchedResponse unwatched(RpcController controller, Empty request)
      throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.CLIENT);
    UnwatchedResponse.Builder response =
        UnwatchedResponse.newBuilder()
            .setUnwatchedMs(feed.unwatchedTime().toMillis())
            .setWatched(feed.hasBeenWatched());
    connectionCount.get().ifPresent(response::setClients);
    return response.build();
  }

  @Override
  public Empty stop(RpcController controller, StopRequest request) throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.CLIENT);
    sink.offer(
        new Event.StopRequested(
            clock.instant(), Strings.truncate(request.getWho(), ReportLimits.MAX_HOST_CHARS)));
    return Empty.getDefaultInstance();
  }

  @Override
  public Empty renew(RpcController controller, Tokens request) throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.CLIENT);
    try {
      tokens.accept(request);
    } catch (IOException e) {
      throw new ServiceException("these are no tokens", e);
    }
    return Empty.getDefaultInstance();
  }

  @Override
  public @Nullable StacksResponse stacks(RpcController controller, StacksRequest request)
      throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.CLIENT);
    return stacks.request(request);
  }

  @Override
  public OpenResponse open(RpcController controller, OpenRequest request) throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.CLIENT);
    return tunnels.open(request);
  }

  @Override
  public @Nullable PutResponse put(RpcController controller, PutRequest request)
      throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.CLIENT);
    return tunnels.put(Tunnel.Side.CLIENT, request);
  }

  @Override
  public @Nullable TakeResponse take(RpcController controller, TakeRequest request)
      throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.CLIENT);
    return tunnels.take(Tunnel.Side.CLIENT, request);
  }

  @Override
  public Empty close(RpcController controller, CloseRequest request) throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.CLIENT);
    tunnels.close(request.getTunnel());
    return Empty.getDefaultInstance();
  }

  @Override
  public Empty leave(RpcController controller, Empty request) throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.CLIENT);
    released.countDown();
    return Empty.getDefaultInstance();
  }
}
