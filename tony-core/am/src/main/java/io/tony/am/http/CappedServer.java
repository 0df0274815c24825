package io.tony.am.http;

import io.tony.process.Spawner;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves all connections of one port on a single thread, within limits. A connection is pending
 * until its request is complete, and again while its answer is sent. A pending connection has a
 * time limit; if too many are pending, the oldest is closed when a new one arrives, so that idle
 * connections cannot keep others out.
 */
public final class CappedServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CappedServer.class);
  private static final int MAX_ACCEPTED_AT_ONCE = 64;
  private static final Duration ACCEPT_PAUSE = Duration.ofSeconds(1);
  private static final Duration MAX_CLOSE_WAIT = Duration.ofSeconds(5);
  private static final String CONNECTIONS = "connections";

  private final ByteBuffer receiveBuffer = ByteBuffer.allocateDirect(64 * 1024);
  private final ConnectionCaps caps;
  private final Function<Connection, ConnectionHandler> handlerFactory;
  private final RejectionLog rejections;
  private final ServerSocketChannel listener;
  private final Selector selector;
  private final String name;
  private final DeadlineQueue deadlines;

  /** Pending connections, in the order in which they became pending. */
  private final Set<Connection> pending = new LinkedHashSet<>();

  private final Set<Connection> parked = new LinkedHashSet<>();
  private final BufferedBytes bufferedBytes;
  private long heldByParked;
  private volatile boolean closed;
  private volatile @Nullable Thread thread; // null before start()

  private CappedServer(
      String name,
      ConnectionCaps caps,
      Function<Connection, ConnectionHandler> handlerFactory,
      ServerSocketChannel listener,
      Selector selector) {
    this.name = name;
    this.caps = caps;
    this.handlerFactory = handlerFactory;
    this.listener = listener;
    this.selector = selector;
    deadlines = new DeadlineQueue(selector::wakeup);
    rejections = new RejectionLog(name, LOG::warn, System::nanoTime);
    bufferedBytes =
        new BufferedBytes(caps.maxBufferedBytes(), List.of(pending, parked), rejections);
  }

  /**
   * Opens the listening socket. Connections are served only after {@link #start}.
   *
   * @param name name of the server, for its thread and log messages
   * @param handlerFactory creates the handler of a new connection
   */
  public static CappedServer open(
      ListeningPorts listeningPorts,
      String name,
      ConnectionCaps caps,
      Function<Connection, ConnectionHandler> handlerFactory)
      throws IOException {
    ServerSocketChannel listener = listeningPorts.open();
    try {
      listener.configureBlocking(false);
      Selector selector = Selector.open();
      listener.register(selector, SelectionKey.OP_ACCEPT);
      return new CappedServer(name, caps, handlerFactory, listener, selector);
    } catch (IOException e) {
      listener.close();
      throw e;
    }
  }

  public void start() throws IOException {
    try {
      thread = Spawner.SYSTEM.startThread(name, this::serve);
    } catch (IOException e) {
      closeAll();
      throw e;
    }
  }

  public int port() {
    return listener.socket().getLocalPort();
  }

  /** Returns the queue of the steps that this server's thread runs later. */
  public DeadlineQueue deadlines() {
    return deadlines;
  }

  private void serve() {
    try {
      while (!closed) {
        selector.select(this::handleReady, millisUntilNext());
        expire();
        deadlines.runDue(System.nanoTime());
      }
    } catch (IOException | RuntimeException e) {
      LOG.error("{}: no request is served any more", name, e);
    } finally {
      closeAll();
    }
  }

  private long millisUntilNext() {
    long next = deadlines.nanosUntilNext(System.nanoTime());
    Iterator<Connection> oldest = pending.iterator();
    if (oldest.hasNext()) {
      next = Math.min(next, nanosLeft(oldest.next()));
    }
    // At least 1 ms, because a timeout of 0 would wait forever.
    return TimeUnit.NANOSECONDS.toMillis(Math.max(0, next)) + 1;
  }

  private static long nanosLeft(Connection connection) {
    return connection.deadlineNanos() - System.nanoTime();
  }

  private void expire() {
    while (!pending.isEmpty()) {
      Connection oldest = pending.iterator().next();
      if (nanosLeft(oldest) > 0) {
        return;
      }
      rejections.logRejection(
          "time of a request",
          "no complete request, or its answer not read, in " + caps.requestTimeout());
      oldest.close();
    }
  }

  private void handleReady(SelectionKey ready) {
    if (!ready.isValid()) {
      // The connection was closed while an earlier one was handled.
      return;
    }
    if (ready.isAcceptable()) {
      accept(ready);
      return;
    }
    Connection connection = (Connection) ready.attachment();
    try {
      connection.handleReady(receiveBuffer);
    } catch (RuntimeException e) {
      rejections.logRejection("defects", "a caller cannot be answered: " + e);
      LOG.debug("A caller cannot be answered", e);
      connection.close();
    }
  }

  private void accept(SelectionKey acceptable) {
    try {
      for (int i = 0; i < MAX_ACCEPTED_AT_ONCE; i++) {
        SocketChannel channel = listener.accept();
        if (channel == null) {
          return;
        }
        register(channel);
      }
    } catch (IOException e) {
      // Probably no file descriptor is left. Pending connections stay in the kernel's queue.
      rejections.logRejection(CONNECTIONS, "one could not be accepted: " + e);
      dropOldest();
      acceptable.interestOps(0);
      deadlines.schedule(ACCEPT_PAUSE, () -> acceptable.interestOps(SelectionKey.OP_ACCEPT));
    }
  }

  private void register(SocketChannel channel) throws IOException {
    if (pending.size() >= caps.maxPending()) {
      rejections.logRejection(
          CONNECTIONS,
          "more than "
              + caps.maxPending()
              + " callers have not finished their request: the oldest is closed");
      dropOldest();
    }
    SelectionKey key;
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      key = channel.register(selector, SelectionKey.OP_READ);
    } catch (IOException e) {
      // The peer has already closed the connection.
      channel.close();
      return;
    }
    Connection connection = new Connection(this, channel, key, handlerFactory);
    key.attach(connection);
    addPending(connection);
  }

  private void dropOldest() {
    if (!pending.isEmpty()) {
      pending.iterator().next().close();
    }
  }

  private void addPending(Connection connection) {
    if (!pending.contains(connection)) {
      connection.setDeadline(System.nanoTime() + caps.requestTimeout().toNanos());
      pending.add(connection);
    }
  }

  // ---- Called by connections ----

  void park(Connection connection) {
    if (!parked.contains(connection)) {
      if (parked.size() >= caps.maxParked()) {
        throw new RequestRejectedException(
            503, CONNECTIONS, "the server is busy: " + caps.maxParked() + " callers wait already");
      }
      if (heldByParked + connection.heldBytes() > caps.maxBufferedBytes() / 2) {
        throw new RequestRejectedException(
            503,
            "bytes of waiting requests",
            "the server is busy: the waiting requests hold too much data");
      }
      pending.remove(connection);
      parked.add(connection);
      heldByParked += connection.heldBytes();
    }
  }

  /**
   * Makes the connection pending again while its last answer is sent; the peer must read the answer
   * in time.
   */
  void startClosing(Connection connection) {
    unpark(connection);
    addPending(connection);
  }

  void forget(Connection connection) {
    pending.remove(connection);
    unpark(connection);
  }

  private void unpark(Connection connection) {
    if (parked.remove(connection)) {
      heldByParked -= connection.heldBytes();
    }
  }

  /** Adds {@code delta} buffered bytes of the connection's incomplete request; may be negative. */
  void addHeldBytes(Connection connection, int delta) {
    bufferedBytes.add(delta);
    if (parked.contains(connection)) {
      heldByParked += delta;
    }
    if (delta > 0) {
      bufferedBytes.makeRoom();
    }
  }

  /**
   * Returns the counter of buffered bytes. After adding answers to it, call {@link
   * BufferedBytes#makeRoom}.
   */
  BufferedBytes bufferedBytes() {
    return bufferedBytes;
  }

  public void logRejection(RequestRejectedException rejection) {
    rejections.logRejection(rejection.cap(), rejection.getMessage());
  }

  /**
   * Logs {@code detail}, a text from a peer, at a limited rate per kind. There must be few kinds.
   */
  public void note(String kind, String detail) {
    rejections.note(kind, detail);
  }

  // ---- Shutdown ----

  /** Closes the port and all connections. Waits up to 5 s for the server's thread to end. */
  @Override
  public void close() {
    closed = true;
    selector.wakeup();
    Thread started = thread;
    try {
      if (started == null) {
        closeAll();
      } else {
        started.join(MAX_CLOSE_WAIT.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
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
}
