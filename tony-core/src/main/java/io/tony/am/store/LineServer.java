package io.tony.am.store;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Speaks lines with any number of callers, all on one thread: what takes a line has no other beside
 * it, and must not wait. Nobody waits for a caller that does not read: what it was told is kept for
 * it, up to a limit, above which it is left. Closing the server ends all conversations.
 */
final class LineServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LineServer.class);
  private static final int BACKLOG = 1024;
  private static final int MAX_LINE_BYTES = 8 * 1024;

  /** Many answers more than a caller that waits for each ever leaves unread. */
  private static final int MAX_UNREAD_BYTES = 64 * 1024;

  private final ByteBuffer received = ByteBuffer.allocateDirect(64 * 1024);
  private final String name;
  private final BiConsumer<Caller, String> onLine;
  private final ServerSocketChannel listener;
  private final Selector selector;
  private volatile boolean closed;

  private LineServer(
      String name,
      BiConsumer<Caller, String> onLine,
      ServerSocketChannel listener,
      Selector selector) {
    this.name = name;
    this.onLine = onLine;
    this.listener = listener;
    this.selector = selector;
  }

  /**
   * Listens on a free port of this host.
   *
   * @param onLine takes a line of one byte per character, without its end; nonsense ends the
   *     conversation by an {@link IllegalArgumentException}
   */
  static LineServer start(String host, String name, BiConsumer<Caller, String> onLine)
      throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    try {
      listener.bind(new InetSocketAddress(InetAddress.getByName(host), 0), BACKLOG);
      listener.configureBlocking(false);
      Selector selector = Selector.open();
      listener.register(selector, SelectionKey.OP_ACCEPT);
      LineServer server = new LineServer(name, onLine, listener, selector);
      Thread thread = new Thread(server::serve, name);
      thread.setDaemon(true);
      thread.start();
      return server;
    } catch (IOException e) {
      listener.close();
      throw e;
    }
  }

  int port() {
    return listener.socket().getLocalPort();
  }

  private void serve() {
    try {
      while (!closed) {
        selector.select(this::take);
      }
    } catch (IOException e) {
      LOG.error("{}: nobody is served any more", name, e);
    } finally {
      closeAll();
    }
  }

  private void take(SelectionKey key) {
    if (!key.isValid()) {
      return; // another one's line led to its end
    }
    if (key.isAcceptable()) {
      accept();
    } else {
      ((Caller) key.attachment()).ready();
    }
  }

  private void accept() {
    try {
      SocketChannel channel = listener.accept();
      if (channel != null) {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        key.attach(new Caller(channel, key));
      }
    } catch (IOException e) {
      LOG.warn("{}: a caller could not be accepted", name, e);
    }
  }

  @Override
  public void close() {
    closed = true;
    selector.wakeup();
  }

  private void closeAll() {
    try {
      for (SelectionKey key : List.copyOf(selector.keys())) {
        key.channel().close();
      }
      selector.close();
    } catch (IOException e) {
      LOG.warn("{}: does not close", name, e);
    }
  }

  /** One of those who speak with this server. Used by the server's thread alone. */
  final class Caller {
    private final SocketChannel channel;
    private final SelectionKey key;
    private final StringBuilder begun = new StringBuilder(); // a line whose end is to come
    private byte[] unread = new byte[0];
    private boolean said; // all that it will ever say

    private Caller(SocketChannel channel, SelectionKey key) {
      this.channel = channel;
      this.key = key;
    }

    /** Told to one that is gone, it is told to nobody. */
    void tell(String... lines) {
      if (!channel.isOpen()) {
        return;
      }
      byte[] more = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.ISO_8859_1);
      byte[] all = new byte[unread.length + more.length];
      System.arraycopy(unread, 0, all, 0, unread.length);
      System.arraycopy(more, 0, all, unread.length, more.length);
      unread = all;
      try {
        write();
      } catch (IOException e) {
        leave(e);
      }
    }

    private void ready() {
      try {
        if (key.isReadable()) {
          read();
        }
        if (key.isValid() && key.isWritable()) {
          write();
        }
      } catch (IOException | IllegalArgumentException e) {
        leave(e);
      } catch (RuntimeException e) {
        LOG.warn("{}: a caller cannot be answered", name, e);
        leave(e);
      }
    }

    private void read() throws IOException {
      received.clear();
      int length = channel.read(received);
      received.flip();
      while (received.hasRemaining() && channel.isOpen()) {
        char next = (char) (received.get() & 0xff);
        if (next == '\n') {
          String line = begun.toString();
          begun.setLength(0);
          onLine.accept(this, line);
        } else if (begun.length() == MAX_LINE_BYTES) {
          throw new IllegalArgumentException("a line above " + MAX_LINE_BYTES + " bytes");
        } else {
          begun.append(next);
        }
      }
      if (length < 0 && channel.isOpen()) {
        said = true;
        write();
      }
    }

    /** As much as the caller takes now. */
    private void write() throws IOException {
      if (unread.length > 0) {
        ByteBuffer bytes = ByteBuffer.wrap(unread);
        channel.write(bytes);
        unread = new byte[bytes.remaining()];
        bytes.get(unread);
      }
      if (unread.length > MAX_UNREAD_BYTES) {
        throw new IOException("it leaves more than " + MAX_UNREAD_BYTES + " bytes unread");
      }
      if (said && unread.length == 0) {
        channel.close();
      } else {
        key.interestOps(
            (said ? 0 : SelectionKey.OP_READ) | (unread.length > 0 ? SelectionKey.OP_WRITE : 0));
      }
    }

    private void leave(Exception why) {
      // The task's end tells the job what happened to it.
      LOG.info("{}: a caller left: {}", name, why.toString());
      try {
        channel.close();
      } catch (IOException e) {
        LOG.debug("{}: its connection does not close", name, e);
      }
    }
  }
}
