package io.tony.am.serve;

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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Speaks with all callers of one port on one thread, within caps. Whoever connects is a stranger
 * until its request is complete, and again while it takes the answer. Strangers have a limited
 * time; where there are too many, the oldest makes room for the next, so that nobody keeps others
 * out by saying nothing. Closing the server ends all conversations.
 */
public final class CappedServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CappedServer.class);
  private static final int ACCEPTED_AT_ONCE = 64;
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(5);
  private static final String CONNECTIONS = "connections";

  private final ByteBuffer received = ByteBuffer.allocateDirect(64 * 1024);
  private final Caps caps;
  private final Function<Caller, Conversation> welcome;
  private final RefusalLog refusals;
  private final ServerSocketChannel listener;
  private final Selector selector;
  private final String name;
  private final Alarms alarms;

  /** The one that came first is the first. */
  private final Set<Caller> strangers = new LinkedHashSet<>();

  private final Set<Caller> settled = new LinkedHashSet<>();
  private final KeptBytes kept;
  private long heldOfSettled;
  private volatile boolean closed;
  private volatile Thread thread; // null before the start

  private CappedServer(
      String name,
      Caps caps,
      Function<Caller, Conversation> welcome,
      ServerSocketChannel listener,
      Selector selector) {
    this.name = name;
    this.caps = caps;
    this.welcome = welcome;
    this.listener = listener;
    this.selector = selector;
    alarms = new Alarms(selector::wakeup);
    refusals = new RefusalLog(name, LOG::warn, System::nanoTime);
    kept = new KeptBytes(caps.heldBytes(), List.of(strangers, settled), refusals);
  }

  /**
   * Listens, and serves from {@link #start} on.
   *
   * @param name of the server, in the log
   * @param welcome begins the conversation with somebody who has connected
   */
  public static CappedServer open(
      Listening at, String name, Caps caps, Function<Caller, Conversation> welcome)
      throws IOException {
    ServerSocketChannel listener = at.open();
    try {
      listener.configureBlocking(false);
      Selector selector = Selector.open();
      listener.register(selector, SelectionKey.OP_ACCEPT);
      return new CappedServer(name, caps, welcome, listener, selector);
    } catch (IOException e) {
      listener.close();
      throw e;
    }
  }

  public void start() throws IOException {
    try {
      thread = Spawner.SYSTEM.thread(name, this::serve);
    } catch (IOException e) {
      closeAll();
      throw e;
    }
  }

  public int port() {
    return listener.socket().getLocalPort();
  }

  /** What is to be done later, by this thread. Used by it alone. */
  public Alarms alarms() {
    return alarms;
  }

  private void serve() {
    try {
      while (!closed) {
        selector.select(this::take, millisUntilNext());
        expire();
        alarms.ring(System.nanoTime());
      }
    } catch (IOException | RuntimeException e) {
      LOG.error("{}: nobody is served any more", name, e);
    } finally {
      closeAll();
    }
  }

  private long millisUntilNext() {
    long next = alarms.nanosUntilNext(System.nanoTime());
    Iterator<Caller> oldest = strangers.iterator();
    if (oldest.hasNext()) {
      next = Math.min(next, nanosLeft(oldest.next()));
    }
    return TimeUnit.NANOSECONDS.toMillis(Math.max(0, next)) + 1; // 0 would be for ever
  }

  private static long nanosLeft(Caller stranger) {
    return stranger.endNanos() - System.nanoTime();
  }

  private void expire() {
    while (!strangers.isEmpty()) {
      Caller oldest = strangers.iterator().next();
      if (nanosLeft(oldest) > 0) {
        return;
      }
      refusals.tell(
          "time of a request",
          "no complete request, or its answer not read, in " + caps.patience());
      oldest.close();
    }
  }

  private void take(SelectionKey ready) {
    if (!ready.isValid()) {
      return; // another one's request led to its end
    }
    if (ready.isAcceptable()) {
      accept(ready);
      return;
    }
    Caller caller = (Caller) ready.attachment();
    try {
      caller.ready(received);
    } catch (RuntimeException e) {
      refusals.tell("defects", "a caller cannot be answered: " + e);
      LOG.debug("A caller cannot be answered", e);
      caller.close();
    }
  }

  private void accept(SelectionKey acceptable) {
    try {
      for (int i = 0; i < ACCEPTED_AT_ONCE; i++) {
        SocketChannel channel = listener.accept();
        if (channel == null) {
          return;
        }
        greet(channel);
      }
    } catch (IOException e) {
      // The process may have no file descriptor left; the kernel lets the next ones wait.
      refusals.tell(CONNECTIONS, "one could not be accepted: " + e);
      dropOldest();
      acceptable.interestOps(0);
      alarms.set(PAUSE, () -> acceptable.interestOps(SelectionKey.OP_ACCEPT));
    }
  }

  private void greet(SocketChannel channel) throws IOException {
    if (strangers.size() >= caps.strangers()) {
      refusals.tell(
          CONNECTIONS,
          "more than "
              + caps.strangers()
              + " callers have not finished their request: the oldest is closed");
      dropOldest();
    }
    SelectionKey key;
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      key = channel.register(selector, SelectionKey.OP_READ);
    } catch (IOException e) {
      channel.close(); // it has hung up already
      return;
    }
    Caller caller = new Caller(this, channel, key);
    key.attach(caller);
    caller.converse(welcome.apply(caller));
    estrange(caller);
  }

  private void dropOldest() {
    if (!strangers.isEmpty()) {
      strangers.iterator().next().close();
    }
  }

  private void estrange(Caller caller) {
    if (!strangers.contains(caller)) {
      caller.mustEndBy(System.nanoTime() + caps.patience().toNanos());
      strangers.add(caller);
    }
  }

  // ---- For callers ----

  void settle(Caller caller) {
    if (!settled.contains(caller)) {
      if (settled.size() >= caps.settled()) {
        throw new Refusal(
            503, CONNECTIONS, "the server is busy: " + caps.settled() + " callers wait already");
      }
      if (heldOfSettled + caller.held() > caps.heldBytes() / 2) {
        throw new Refusal(
            503, "bytes of waiting requests", "the server is busy: those who wait said too much");
      }
      strangers.remove(caller);
      settled.add(caller);
      heldOfSettled += caller.held();
    }
  }

  /** It is told the last thing now, and has to take it. */
  void awaitEnd(Caller caller) {
    unsettle(caller);
    estrange(caller);
  }

  void forget(Caller caller) {
    strangers.remove(caller);
    unsettle(caller);
  }

  private void unsettle(Caller caller) {
    if (settled.remove(caller)) {
      heldOfSettled -= caller.held();
    }
  }

  /** So many bytes more, or fewer, of requests are here. */
  void hold(Caller caller, int more) {
    kept.add(more);
    if (settled.contains(caller)) {
      heldOfSettled += more;
    }
    if (more > 0) {
      kept.makeRoom();
    }
  }

  /** What is kept for callers; who adds answers to it makes room afterwards. */
  KeptBytes kept() {
    return kept;
  }

  public void refused(Refusal refusal) {
    refusals.tell(refusal.cap(), refusal.getMessage());
  }

  /** For the log: what a caller says of itself, of one of few kinds. */
  public void told(String kind, String what) {
    refusals.note(kind, what);
  }

  // ---- The end ----

  /** Returns when the port is free again; or later, where what is asked of it does not end. */
  @Override
  public void close() {
    closed = true;
    selector.wakeup();
    try {
      if (thread == null) {
        closeAll();
      } else {
        thread.join(LONGEST_CLOSE.toMillis());
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
