package io.tony.client.application;

import io.tony.protocol.ClientProtocol;
import io.tony.protocol.proto.TonyProtos;
import io.tony.protocol.proto.TonyProtos.PutRequest;
import io.tony.protocol.proto.TonyProtos.PutResponse;
import io.tony.protocol.proto.TonyProtos.TakeRequest;
import io.tony.protocol.proto.TonyProtos.TakeResponse;
import io.tony.tunnel.Chunk;
import io.tony.tunnel.TunnelLink;
import java.io.IOException;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.jspecify.annotations.Nullable;

/** A client's end of a tunnel to a task, over which data passes through the ApplicationMaster. */
final class ClientTunnelLink implements TunnelLink {
  private static final String CONNECTION_LOST = "the connection to the ApplicationMaster is lost";

  private final ClientProtocol master;
  private final long tunnel;

  ClientTunnelLink(ClientProtocol master, long tunnel) {
    this.master = master;
    this.tunnel = tunnel;
  }

  @Override
  public boolean put(Chunk chunk) throws IOException, TunnelClosedException {
    try {
      PutResponse response =
          master.put(
              null, PutRequest.newBuilder().setTunnel(tunnel).setChunk(message(chunk)).build());
      if (response.hasClosed()) {
        throw new TunnelClosedException(response.getClosed());
      }
      return response.getTaken();
    } catch (ServiceException e) {
      throw new IOException(CONNECTION_LOST, e);
    }
  }

  @Override
  public @Nullable Chunk take(long lastNumber) throws IOException, TunnelClosedException {
    try {
      TakeResponse response =
          master.take(
              null, TakeRequest.newBuilder().setTunnel(tunnel).setKnown(lastNumber).build());
      if (response.hasClosed()) {
        throw new TunnelClosedException(response.getClosed());
      }
      return response.hasChunk() ? chunk(response.getChunk()) : null;
    } catch (ServiceException e) {
      throw new IOException(CONNECTION_LOST, e);
    }
  }

  private static TonyProtos.Chunk message(Chunk chunk) {
    TonyProtos.Chunk.Builder message = TonyProtos.Chunk.newBuilder().setNumber(chunk.number());
    if (chunk.data().hasRemaining()) {
      message.setData(ByteString.copyFrom(chunk.bytes()));
    }
    if (chunk.window() != null) {
      message.setWindow(message(chunk.window()));
    }
    if (chunk.end() != null) {
      message.setEnd(true);
    }
    return message.build();
  }

  private static TonyProtos.Window message(Chunk.Window window) {
    return TonyProtos.Window.newBuilder()
        .setRows(window.rows())
        .setColumns(window.columns())
        .build();
  }

  private static Chunk chunk(TonyProtos.Chunk message) {
    Integer exitCode = message.hasExitCode() ? message.getExitCode() : null;
    return new Chunk(
        message.getNumber(),
        message.getData().asReadOnlyByteBuffer(),
        null, // only the client has a terminal, so the task's end sends no window size
        message.getEnd() ? new Chunk.End(exitCode, message.getProblem()) : null);
  }
}
