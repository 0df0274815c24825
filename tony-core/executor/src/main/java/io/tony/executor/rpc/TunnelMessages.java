package io.tony.executor.rpc;

import io.tony.tunnel.Chunk;
import io.tony.tunnel.TunnelLink;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes the RPC messages of tunnels. {@code tony.proto} defines the field numbers.
 */
final class TunnelMessages {
  private static final byte[] NO_DATA = {};

  private TunnelMessages() {}

  static WireWriter of(Chunk chunk) {
    WireWriter message = new WireWriter().number(1, chunk.number());
    if (chunk.data().hasRemaining()) {
      message.bytes(2, chunk.bytes());
    }
    if (chunk.window() != null) {
      message.message(
          3, new WireWriter().number(1, chunk.window().rows()).number(2, chunk.window().columns()));
    }
    if (chunk.end() != null) {
      message.flag(4, true);
      if (chunk.end().exitCode() != null) {
        message.number(5, chunk.end().exitCode());
      }
      if (!chunk.end().problem().isEmpty()) {
        message.text(6, chunk.end().problem());
      }
    }
    return message;
  }

  static boolean accepted(WireReader message) throws IOException, TunnelLink.TunnelClosedException {
    boolean accepted = false;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> accepted = message.number() != 0;
        case 2 -> throw new TunnelLink.TunnelClosedException(message.text());
        default -> {} // skip a field that this version does not know
      }
    }
    return accepted;
  }

  static @Nullable Chunk next(WireReader message)
      throws IOException, TunnelLink.TunnelClosedException {
    Chunk chunk = null;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> chunk = chunk(message.message());
        case 2 -> throw new TunnelLink.TunnelClosedException(message.text());
        default -> {} // skip a field that this version does not know
      }
    }
    return chunk;
  }

  private static Chunk chunk(WireReader message) throws IOException {
    long number = 0;
    byte[] data = NO_DATA;
    Chunk.Window window = null;
    boolean ends = false;
    Integer exitCode = null;
    String problem = "";
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> number = message.number();
        case 2 -> data = message.bytes();
        case 3 -> window = window(message.message());
        case 4 -> ends = message.number() != 0;
        case 5 -> exitCode = (int) message.number();
        case 6 -> problem = message.text();
        default -> {} // skip a field that this version does not know
      }
    }
    return new Chunk(
        number, ByteBuffer.wrap(data), window, ends ? new Chunk.End(exitCode, problem) : null);
  }

  static Chunk.Window window(WireReader message) throws IOException {
    int rows = 0;
    int columns = 0;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> rows = (int) message.number();
        case 2 -> columns = (int) message.number();
        default -> {} // skip a field that this version does not know
      }
    }
    return new Chunk.Window(rows, columns);
  }
}
