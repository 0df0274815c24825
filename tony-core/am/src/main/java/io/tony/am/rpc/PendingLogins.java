package io.tony.am.rpc;

import io.tony.am.http.RejectionLog;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.util.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the number and duration of connections to a Hadoop RPC server that have not logged in.
 * Hadoop does not limit them, and each may take as much memory as the longest allowed message
 * before its login. If there are too many, the oldest is closed, so that idle connections cannot
 * keep others out. Connections that have logged in have the job's key and are not limited.
 *
 * <p>Hadoop has no extension point for this. By reflection, this set replaces the server's own set
 * of connections; it passes each operation on to that set. Thread-safe: one thread of the server
 * adds connections, others remove them.
 */
final class PendingLogins extends AbstractSet<Server.Connection> {
  private static final Logger LOG = LoggerFactory.getLogger(PendingLogins.class);

  /**
   * Minimum time that each connection has for its login, even if new connections wait. The
   * executors of a large gang connect faster than the server handles logins, above all to a new
   * ApplicationMaster, and must not displace each other.
   */
  private static final long MIN_LOGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Object manager;
  private final Set<Server.Connection> delegate;
  private final Method close;
  private final Field loggedIn;
  private final Field address;
  private final Field channel;
  private final int maxPending;
  private final long maxLoginNanos;
  private final RejectionLog rejections = new RejectionLog("rpc", LOG::warn, System::nanoTime);

  /**
   * When each connection without a login was accepted, oldest first. Accessed only while
   * synchronized on this map.
   */
  private final Map<Server.Connection, Long> pending = new LinkedHashMap<>();

  @SuppressWarnings("unchecked") // Hadoop's field has this type.
  private PendingLogins(Server server, int maxPending, Duration maxTime)
      throws ReflectiveOperationException {
    this.maxPending = maxPending;
    this.maxLoginNanos = maxTime.toNanos();
    manager = field(Server.class, "connectionManager").get(server);
    close = manager.getClass().getDeclaredMethod("close", Server.Connection.class);
    close.setAccessible(true);
    loggedIn = field(Server.Connection.class, "connectionContextRead");
    address = field(Server.Connection.class, "addr");
    channel = field(Server.Connection.class, "channel");
    Field connections = field(manager.getClass(), "connections");
    delegate = (Set<Server.Connection>) connections.get(manager);
    connections.set(manager, this);
  }

  /**
   * Installs the limits in a server that has not started yet.
   *
   * @param maxPending maximum number of connections that have not logged in
   * @param maxTime maximum time from accepting a connection to its login; bytes that arrive slowly
   *     do not extend it
   * @return empty, with a warning in the log file, if this Hadoop version has other internals; the
   *     job then runs without the limits
   */
  static Optional<PendingLogins> guard(Server server, int maxPending, Duration maxTime) {
    try {
      return Optional.of(new PendingLogins(server, maxPending, maxTime));
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.warn(
          "Callers without a login are not capped: the RPC server of Hadoop {} has no known set of"
              + " connections",
          VersionInfo.getVersion(),
          e);
      return Optional.empty();
    }
  }

  private static Field field(Class<?> type, String name) throws NoSuchFieldException {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  /**
   * Adds a new connection. Called only by the server's accepting thread, before anything is read
   * from the connection.
   */
  @Override
  public boolean add(Server.Connection connection) {
    preventReverseLookup(connection);
    makeRoom();
    synchronized (pending) {
      pending.put(connection, System.nanoTime());
    }
    return delegate.add(connection);
  }

  /**
   * Makes the connection's IP address its host name, too. Else Hadoop looks up the host name of a
   * peer that sends a wrong header, and a slow DNS would delay other connections.
   */
  private void preventReverseLookup(Server.Connection connection) {
    InetAddress caller = connection.getHostInetAddress();
    if (caller == null) {
      // The peer has already closed the connection.
      return;
    }
    try {
      address.set(
          connection, InetAddress.getByAddress(caller.getHostAddress(), caller.getAddress()));
    } catch (UnknownHostException | IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private void makeRoom() {
    while (pendingCount() >= maxPending) {
      Optional<Server.Connection> oldest = oldest(MIN_LOGIN_NANOS);
      if (oldest.isPresent()) {
        rejections.logRejection(
            "connections without a login", "more than " + maxPending + ": the oldest is closed");
        close(oldest.get());
      } else if (!pause()) {
        // The server is being stopped.
        return;
      }
    }
  }

  /**
   * Returns the oldest connection without a login if it was accepted at least {@code minNanos} ago;
   * else empty. Skips connections that the server has not begun to read: closing one of them would
   * log an error.
   */
  private Optional<Server.Connection> oldest(long minNanos) {
    long now = System.nanoTime();
    synchronized (pending) {
      return pending.entrySet().stream()
          .takeWhile(each -> now - each.getValue() >= minNanos)
          .map(Map.Entry::getKey)
          .filter(each -> isBeingRead(each) && !hasLoggedIn(each))
          .findFirst();
    }
  }

  private boolean isBeingRead(Server.Connection connection) {
    try {
      return ((SocketChannel) channel.get(connection)).isRegistered();
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean pause() {
    try {
      Thread.sleep(1);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Forgets the connections that have logged in, and returns the number of the others. */
  int pendingCount() {
    synchronized (pending) {
      pending.keySet().removeIf(this::hasLoggedIn);
      return pending.size();
    }
  }

  private boolean hasLoggedIn(Server.Connection connection) {
    try {
      return loggedIn.getBoolean(connection);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private void close(Server.Connection connection) {
    try {
      close.invoke(manager, connection);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    } catch (InvocationTargetException e) {
      // Probably another thread of the server closes the connection at the same time.
      LOG.info("A connection without a login does not close in order", e.getCause());
    } finally {
      synchronized (pending) {
        pending.remove(connection);
      }
    }
  }

  /** Closes the connections that have not logged in in time. */
  void closeLate() {
    pendingCount();
    Optional<Server.Connection> late = oldest(maxLoginNanos);
    while (late.isPresent()) {
      rejections.logRejection(
          "time of a login",
          "none in " + TimeUnit.NANOSECONDS.toSeconds(maxLoginNanos) + " seconds");
      close(late.get());
      late = oldest(maxLoginNanos);
    }
  }

  @Override
  public boolean remove(Object connection) {
    boolean ended;
    synchronized (pending) {
      ended = pending.remove(connection) != null && !hasLoggedIn((Server.Connection) connection);
    }
    if (ended) {
      rejections.note(
          "callers without a login",
          ((Server.Connection) connection).getHostAddress() + " has gone, or was refused");
    }
    return delegate.remove(connection);
  }

  @Override
  public Iterator<Server.Connection> iterator() {
    return delegate.iterator();
  }

  @Override
  public int size() {
    return delegate.size();
  }
}
