package io.tony.executor.rpc;

import io.tony.process.Spawner;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * Calls {@code TaskService} at one ApplicationMaster. A call connects if there is no connection,
 * and fails if none can be made; retries are up to the caller.
 */
public final class MasterCalls implements AutoCloseable {
  /** SASL mechanism that Hadoop uses for tokens. Some other mechanisms would send the password. */
  public static final String LOGIN_MECHANISM = "DIGEST-MD5";

  /** Makes one call on one connection. */
  public interface Caller {
    Reply call(Request request) throws IOException, InterruptedException;
  }

  /** Calls made first on each new connection. If the handshake fails, the connection is closed. */
  public interface Handshake {
    void run(Caller caller) throws IOException, InterruptedException;
  }

  private static final String PROTOCOL = "io.tony.protocol.TaskProtocol";

  private final InetSocketAddress address;
  private final JobToken token;
  private final String protection;
  private final Spawner spawner;
  private final Handshake handshake;
  private volatile RpcConnection connection; // null before the first connection
  private volatile boolean closed;

  /**
   * Creates an instance without connecting.
   *
   * @param protection quality of protection that SASL is to negotiate: a value of {@link
   *     javax.security.sasl.Sasl#QOP}
   * @param spawner starts the two threads of each connection
   * @param handshake precedes all calls of a connection, because another server may listen at the
   *     address by now
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

  /** Connects if there is no connection. */
  public void connect() throws IOException, InterruptedException {
    ensureConnected();
  }

  private synchronized RpcConnection ensureConnected() throws IOException, InterruptedException {
    if (closed) {
      throw new IOException("the connection was closed");
    }
    if (connection == null || connection.isBroken()) {
      connection = runHandshake(RpcConnection.open(address, token, PROTOCOL, protection, spawner));
      if (closed) {
        connection.close();
      }
    }
    return connection;
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

  /** Closes the connection without waiting for a thread that is connecting; its call will fail. */
  @Override
  public void close() {
    closed = true;
    RpcConnection opened = connection;
    if (opened != null) {
      opened.close();
    }
  }
}
