package io.tony.executor.rpc;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Iterator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The connections of very many executors, by the executor's own messages and login: one thread
 * reads and writes all of them, and does whatever an executor does; only the logins, which wait for
 * their answers, have a few threads more. Whatever it is given to do is done by that one thread.
 */
public final class Swarm implements AutoCloseable {
  private static final int LOGINS = 24;
  private static final int BUFFER = 1 << 18;
  private static final byte[] GREETING = {'h', 'r', 'p', 'c', 9, 0, (byte) -33};

  /** All bytes of the messages, with those of the logins. */
  public final AtomicLong bytesSent = new AtomicLong();

  public final AtomicLong bytesReceived = new AtomicLong();

  private record Due(long nanos, Runnable step) {}

  private final Selector selector = Selector.open();
  private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
  private final PriorityQueue<Due> timers =
      new PriorityQueue<>((one, other) -> Long.signum(one.nanos() - other.nanos()));
  private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER);
  private final ExecutorService logins =
      Executors.newFixedThreadPool(
          LOGINS,
          task -> {
            Thread thread = new Thread(task, "login");
            thread.setDaemon(true);
            return thread;
          });
  private final Thread thread = new Thread(this::run, "swarm");
  private volatile boolean closed;

  /** Begins at once. */
  public Swarm() throws IOException {
    thread.setDaemon(true);
    thread.start();
  }

  /** Does something soon, by the thread of the swarm. */
  public void execute(Runnable step) {
    steps.add(step);
    selector.wakeup();
  }

  /** The same after a while. To be called by the thread of the swarm. */
  public void schedule(long afterNanos, Runnable step) {
    timers.add(new Due(System.nanoTime() + afterNanos, step));
  }

  /**
   * Connects and logs in.
   *
   * @param connected is given the connection
   * @param broken is given why there is none, or none any more: once
   */
  public void connect(
      InetSocketAddress address,
      JobToken token,
      String protocol,
      Consumer<Line> connected,
      Consumer<IOException> broken) {
    logins.execute(
        () -> {
          try {
            SocketChannel channel = loggedIn(address, token);
            execute(() -> begin(channel, protocol, connected, broken));
          } catch (IOException e) {
            execute(() -> broken.accept(e));
          }
        });
  }

  private SocketChannel loggedIn(InetSocketAddress address, JobToken token) throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.socket().connect(address, 20_000);
      channel.socket().setSoTimeout(60_000);
      CountingStreams counted = new CountingStreams(channel.socket());
      DataInputStream from = new DataInputStream(new BufferedInputStream(counted.in()));
      DataOutputStream to = new DataOutputStream(new BufferedOutputStream(counted.out()));
      to.write(GREETING);
      new TokenLogin(from, to, token, "auth").run();
      bytesReceived.addAndGet(counted.received());
      bytesSent.addAndGet(counted.sent());
      channel.configureBlocking(false);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private void begin(
      SocketChannel channel,
      String protocol,
      Consumer<Line> connected,
      Consumer<IOException> broken) {
    try {
      Line line = new Line(this, channel, protocol, broken);
      line.begin(selector);
      connected.accept(line);
    } catch (IOException e) {
      broken.accept(e);
    }
  }

  private void run() {
    try {
      while (!closed) {
        Due next = timers.peek();
        if (next == null) {
          selector.select();
        } else {
          long millis = (next.nanos() - System.nanoTime()) / 1_000_000;
          if (millis > 0) {
            selector.select(millis);
          } else {
            selector.selectNow();
          }
        }
        for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); ) {
          SelectionKey key = keys.next();
          keys.remove();
          ((Line) key.attachment()).ready(key, in);
        }
        for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
          step.run();
        }
        long now = System.nanoTime();
        while (!timers.isEmpty() && timers.peek().nanos() - now <= 0) {
          timers.remove().step().run();
        }
      }
      for (SelectionKey key : selector.keys()) {
        key.channel().close();
      }
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    closed = true;
    selector.wakeup();
    logins.shutdownNow();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
