package io.tony.am.http;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a {@link CappedServer}. Sending never blocks: answers that the peer has not read
 * yet are buffered. All methods must be called on the server's thread.
 */
public final class Connection {
  /**
   * Maximum number of unread bytes after {@link #send}. A peer that waits for each answer stays far
   * below this.
   */
  private static final int MAX_UNREAD_BYTES = 64 * 1024;

  private final CappedServer server;
  private final SocketChannel channel;
  private final SelectionKey key;
  private final Deque<ByteBuffer> unread = new ArrayDeque<>();
  // The arrays behind the buffers in "unread", in the same order.
  private final Deque<byte[]> unreadParts = new ArrayDeque<>();
  private final ConnectionHandler handler;
  private Runnable onClose = () -> {};
  private boolean finished; // no more answers are accepted
  private boolean inputIgnored; // further input is read and discarded
  private boolean inputEnded; // the peer has closed its output
  private int heldBytes;
  private long deadlineNanos;

  Connection(
      CappedServer server,
      SocketChannel channel,
      SelectionKey key,
      Function<Connection, ConnectionHandler> handlerFactory) {
    this.server = server;
    this.channel = channel;
    this.key = key;
    this.handler = handlerFactory.apply(this);
  }

  /**
   * Sends the parts of an answer. Does nothing if the connection is closed or finished. Closes the
   * connection if the peer has left too many bytes unread.
   */
  public void send(byte[]... parts) {
    if (!channel.isOpen() || finished) {
      return;
    }
    add(parts);
    flush();
    if (unreadBytes() > MAX_UNREAD_BYTES && !finished) {
      server.logRejection(
          new RequestRejectedException(
              0, "unread answers", "it leaves " + unreadBytes() + " bytes unread"));
      close();
    }
    server.bufferedBytes().makeRoom();
  }

  private void add(byte[]... parts) {
    for (byte[] part : parts) {
      // Not copied, because many connections may share a large value.
      unread.add(ByteBuffer.wrap(part));
      unreadParts.add(part);
      server.bufferedBytes().add(part);
    }
  }

  /** Sends the parts of the last answer and closes the connection once they are sent. */
  public void finish(byte[]... parts) {
    if (channel.isOpen() && !finished) {
      add(parts);
      finished = true;
      server.startClosing(this);
      flush();
      server.bufferedBytes().makeRoom();
    }
  }

  /**
   * Like {@link #finish}, but may be called while the peer is still sending its request. Discards
   * the rest of the request until the peer has read the answer or the request timeout has passed:
   * if the connection were closed with unread input, the kernel would discard the answer.
   */
  void interrupt(byte[]... parts) {
    inputIgnored = true;
    finish(parts);
  }

  /**
   * Marks the request as complete, to be answered later: the connection then has no time limit.
   *
   * @throws RequestRejectedException if too many connections wait for an answer, or their requests
   *     are too large together
   */
  public void park() {
    server.park(this);
  }

  /** Sets the callback that runs once when the connection closes, whichever side closes it. */
  public void onClose(Runnable step) {
    onClose = step;
  }

  /** Returns the peer's address; null if the peer has already closed the connection. */
  public @Nullable InetAddress address() {
    return channel.socket().getInetAddress();
  }

  /** Sets the number of bytes that are buffered for the request. */
  void setHeldBytes(int bytes) {
    int before = heldBytes;
    heldBytes = bytes;
    server.addHeldBytes(this, bytes - before);
  }

  /** Returns true if closing this connection would free buffered bytes. */
  boolean hasBufferedBytes() {
    return heldBytes > 0 || !unread.isEmpty();
  }

  int heldBytes() {
    return heldBytes;
  }

  void setDeadline(long nanoTime) {
    deadlineNanos = nanoTime;
  }

  /**
   * Returns when the pending request or answer must be complete, in the time of {@link
   * System#nanoTime}.
   */
  long deadlineNanos() {
    return deadlineNanos;
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  /** Reads and writes as much as the socket is ready for, without blocking. */
  void handleReady(ByteBuffer received) {
    try {
      if (key.isReadable()) {
        read(received);
      }
      if (key.isValid() && key.isWritable()) {
        flush();
      }
    } catch (IOException e) {
      // The connection is lost. If its peer belonged to a task, the task's end is reported
      // elsewhere.
      close();
    }
  }

  private void read(ByteBuffer received) throws IOException {
    received.clear();
    int length = channel.read(received);
    received.flip();
    if (length < 0) {
      inputEnded = true;
      if (inputIgnored) {
        close();
      } else {
        finish();
        flush();
      }
    } else if (!finished) {
      try {
        handler.receive(received);
      } catch (RequestRejectedException e) {
        server.logRejection(e);
        handler.reject(e);
      }
    }
  }

  /** Writes buffered answers as far as the socket accepts them now. */
  private void flush() {
    try {
      if (!unread.isEmpty()) {
        channel.write(unread.toArray(new ByteBuffer[0]));
        while (!unread.isEmpty() && !unread.peek().hasRemaining()) {
          unread.remove();
          server.bufferedBytes().remove(unreadParts.remove());
        }
      }
      boolean sent = unread.isEmpty();
      if (finished && sent && (!inputIgnored || inputEnded)) {
        close();
        return;
      }
      if (finished && sent) {
        channel.shutdownOutput();
      }
      key.interestOps((inputEnded ? 0 : SelectionKey.OP_READ) | (sent ? 0 : SelectionKey.OP_WRITE));
    } catch (IOException e) {
      close();
    }
  }

  private long unreadBytes() {
    return unread.stream().mapToLong(ByteBuffer::remaining).sum();
  }

  void close() {
    if (!channel.isOpen()) {
      return;
    }
    try {
      channel.close();
    } catch (IOException e) {
      // The channel is unusable even if closing it has failed: release what belongs to the
      // connection.
      key.cancel();
    }
    setHeldBytes(0);
    unread.clear();
    unreadParts.forEach(server.bufferedBytes()::remove);
    unreadParts.clear();
    server.forget(this);
    onClose.run();
  }
}
