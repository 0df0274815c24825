package io.tony.executor.rpc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/** One logged-in connection of a {@link Swarm}; used by the swarm's thread only. */
public final class Line {
  private final Swarm swarm;
  private final SocketChannel channel;
  private final String protocol;
  private final Consumer<IOException> broken;
  private final byte[] client = new byte[16];
  private final Map<Integer, Consumer<Reply>> awaited = new HashMap<>();
  private final Deque<ByteBuffer> unsent = new ArrayDeque<>();
  private SelectionKey key;
  private ByteBuffer partial; // of a message; null between two
  private int calls;
  private boolean closed;

  Line(Swarm swarm, SocketChannel channel, String protocol, Consumer<IOException> broken) {
    this.swarm = swarm;
    this.channel = channel;
    this.protocol = protocol;
    this.broken = broken;
    ThreadLocalRandom.current().nextBytes(client);
  }

  void begin(Selector selector) throws IOException {
    key = channel.register(selector, SelectionKey.OP_READ, this);
    byte[] context = new WireWriter().bytes(2, new byte[0]).text(3, protocol).toBytes();
    send(RpcHeaders.request(RpcHeaders.CONTEXT_CALL_ID, client).delimited(context));
  }

  /** Makes a call; nothing comes of it when the connection breaks. */
  public void call(Request request, Consumer<Reply> answered) {
    byte[] what =
        new WireWriter().text(1, request.method()).text(2, protocol).number(3, 1).toBytes();
    int call = calls++;
    awaited.put(call, answered);
    try {
      send(RpcHeaders.request(call, client).delimited(what).delimited(request.message()));
    } catch (IOException e) {
      breakOff(e);
    }
  }

  private void send(WireWriter message) throws IOException {
    byte[] frame = message.toBytes();
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + frame.length);
    bytes.putInt(frame.length).put(frame).flip();
    swarm.bytesSent.addAndGet(bytes.remaining());
    if (unsent.isEmpty()) {
      channel.write(bytes);
    }
    if (bytes.hasRemaining()) {
      unsent.add(bytes);
      key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    }
  }

  void ready(SelectionKey selected, ByteBuffer in) {
    try {
      if (selected.isWritable()) {
        flush();
      }
      if (selected.isReadable()) {
        read(in);
      }
    } catch (IOException e) {
      breakOff(e);
    } catch (CancelledKeyException e) {
      // It was closed by what it answered.
    }
  }

  private void flush() throws IOException {
    while (!unsent.isEmpty()) {
      channel.write(unsent.peek());
      if (unsent.peek().hasRemaining()) {
        return;
      }
      unsent.remove();
    }
    key.interestOps(SelectionKey.OP_READ);
  }

  private void read(ByteBuffer in) throws IOException {
    in.clear();
    int length = channel.read(in);
    if (length < 0) {
      throw new IOException("the server has closed the connection");
    }
    swarm.bytesReceived.addAndGet(length);
    in.flip();
    while (in.hasRemaining() && !closed) {
      if (partial == null) {
        partial = ByteBuffer.allocate(Integer.BYTES);
      }
      while (partial.hasRemaining() && in.hasRemaining()) {
        int some = Math.min(partial.remaining(), in.remaining());
        partial.put(partial.position(), in, in.position(), some);
        partial.position(partial.position() + some);
        in.position(in.position() + some);
        if (!partial.hasRemaining() && partial.capacity() == Integer.BYTES) {
          ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + partial.getInt(0));
          partial = frame.position(Integer.BYTES);
        }
      }
      if (!partial.hasRemaining()) {
        byte[] frame = new byte[partial.capacity() - Integer.BYTES];
        partial.get(Integer.BYTES, frame);
        partial = null;
        take(new WireReader(frame));
      }
    }
  }

  private void take(WireReader frame) throws IOException {
    Consumer<Reply> answered = awaited.remove(RpcHeaders.readResponseHeader(frame));
    if (answered != null) {
      answered.accept(new Reply(frame.delimited()));
    }
  }

  private void breakOff(IOException why) {
    if (!closed) {
      close();
      broken.accept(why);
    }
  }

  /** Nobody is told of that. */
  public void close() {
    closed = true;
    try {
      channel.close();
    } catch (IOException e) {
      throw new IllegalStateException("a socket is not closed", e);
    }
  }
}
