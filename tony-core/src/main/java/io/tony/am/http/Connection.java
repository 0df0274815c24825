package io.tony.am.http;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One of those who speak with a {@link CappedServer}. Nobody waits for one that does not read: what
 * it was told is kept for it. Used by the server's thread alone.
 */
public final class Connection {
  /** Many answers more than a caller that waits for each ever leaves unread. */
  private static final int MAX_UNREAD_BYTES = 64 * 1024;

  private final CappedServer server;
  private final SocketChannel channel;
  private final SelectionKey key;
  private final Deque<ByteBuffer> unread = new ArrayDeque<>();
  private final Deque<byte[]> unreadParts = new ArrayDeque<>(); // what the unread ones are of
  private ConnectionHandler handler;
  private Runnable onClose = () -> {};
  private boolean finished; // no more is told to it
  private boolean inputIgnored; // what it still says is read by nobody
  private boolean inputEnded; // all that it will ever say
  private int heldBytes;
  private long deadlineNanos;

  Connection(CappedServer server, SocketChannel channel, SelectionKey key) {
    this.server = server;
    this.channel = channel;
    this.key = key;
  }

  void setHandler(ConnectionHandler newHandler) {
    handler = newHandler;
  }

  /** Told to one that is gone, it is told to nobody. */
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
      unread.add(ByteBuffer.wrap(part)); // not copied: many may be told the same large value
      unreadParts.add(part);
      server.bufferedBytes().add(part);
    }
  }

  /** Tells it the last thing, and ends the connection when that is sent. */
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
   * The same for one that is still speaking: it is listened to until it has read the answer, or for
   * as long as the server is patient. The kernel would take the answer back otherwise.
   */
  void interrupt(byte[]... parts) {
    inputIgnored = true;
    finish(parts);
  }

  /**
   * From now on it waits for this server, and not the other way round.
   *
   * @throws RequestRejectedException when too many do
   */
  public void park() {
    server.park(this);
  }

  /** Done once, when the connection ends, whoever ends it. */
  public void onClose(Runnable step) {
    onClose = step;
  }

  /** Where it calls from; null when it has hung up already. */
  public InetAddress address() {
    return channel.socket().getInetAddress();
  }

  /** So many bytes of what it says are kept. */
  void setHeldBytes(int bytes) {
    int before = heldBytes;
    heldBytes = bytes;
    server.addHeldBytes(this, bytes - before);
  }

  /** Something is kept for it, so that its end makes room. */
  boolean hasBufferedBytes() {
    return heldBytes > 0 || !unread.isEmpty();
  }

  int heldBytes() {
    return heldBytes;
  }

  void setDeadline(long nanoTime) {
    deadlineNanos = nanoTime;
  }

  /** When the server's patience ends, by {@link System#nanoTime}. */
  long deadlineNanos() {
    return deadlineNanos;
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  /** The kernel has something from it, or room for it. */
  void handleReady(ByteBuffer received) {
    try {
      if (key.isReadable()) {
        read(received);
      }
      if (key.isValid() && key.isWritable()) {
        flush();
      }
    } catch (IOException e) {
      close(); // it is gone, and its task's end tells the job what happened to it
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

  /** As much as the caller takes now. */
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
      // It is of no use any more, whatever the kernel says.
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
