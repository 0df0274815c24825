package io.tony.executor.rpc;

import io.tony.process.Spawner;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Calls {@code TaskService} at one ApplicationMaster. A call connects first if there is no working
 * connection. Failed calls are not retried. Thread-safe.
 */
public final class MasterCalls implements AutoCloseable {
  /**
   * SASL mechanism that Hadoop uses for tokens. It never sends the password; some other mechanisms
   * would.
   */
  public static final String LOGIN_MECHANISM = "DIGEST-MD5";

  /** Makes calls on a connection whose handshake is in progress. */
  public interface Caller {
    Reply call(Request request) throws IOException, InterruptedException;
  }

  /**
   * Calls that are made on each new connection before all others. If the handshake fails, the
   * connection is closed.
   */
  public interface Handshake {
    void run(Caller caller) throws IOException, InterruptedException;
  }

  private static final String PROTOCOL = "io.tony.protocol.TaskProtocol";

  private final InetSocketAddress address;
  private final JobToken token;
  private final String protection;
  private final Spawner spawner;
  private final Handshake handshake;
  // last connection, which may be broken; null before the first
  private volatile @Nullable RpcConnection connection;
  private volatile boolean closed;

  /**
   * Creates an instance without connecting.
   *
   * @param protection protection of messages that SASL must negotiate: a value of {@link
   *     javax.security.sasl.Sasl#QOP}
   * @param spawner starts the two threads of each connection
   * @param handshake runs first on each connection, because another ApplicationMaster may listen at
   *     the address by now
   */
  public MasterCalls(
      InetSocketAddress address,
      JobToken token,
      String protection,
      Spawner spawner,
      Handshake handshake) {
    this.address = address;
    this.token = token;
    this.protection = protection;
    this.spawner = spawner;
    this.handshake = handshake;
  }

  public InetSocketAddress address() {
    return address;
  }

  public Reply call(Request request) throws IOException, InterruptedException {
    return call(ensureConnected(), request);
  }

  private static Reply call(RpcConnection connection, Request request)
      throws IOException, InterruptedException {
    return new Reply(connection.call(request.method(), request.message()));
  }

  /** Connects and runs the handshake, if there is no working connection. */
  public void connect() throws IOException, InterruptedException {
    ensureConnected();
  }

  private synchronized RpcConnection ensureConnected() throws IOException, InterruptedException {
    if (closed) {
      throw new IOException("the connection was closed");
    }
    RpcConnection usable = connection;
    if (usable == null || usable.isBroken()) {
      usable = runHandshake(RpcConnection.open(address, token, PROTOCOL, protection, spawner));
      connection = usable;
      if (closed) {
        usable.close();
      }
    }
    return usable;
  }

  private RpcConnection runHandshake(RpcConnection opened)
      throws IOException, InterruptedException {
    boolean succeeded = false;
    try {
      handshake.run(request -> call(opened, request));
      succeeded = true;
      return opened;
    } finally {
      if (!succeeded) {
        opened.close();
      }
    }
  }

  /**
   * Closes the connection. If another thread is just connecting, does not wait for that thread; its
   * call fails.
   */
  @Override
  public void close() {
    closed = true;
    RpcConnection opened = connection;
    if (opened != null) {
      opened.close();
    }
  }
}
