package io.tony.executor.rpc;

import io.tony.process.Spawner;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * The calls of {@code TaskService} at one ApplicationMaster. A call connects where there is no
 * connection, and fails where there can be none; whether it is made again is the caller's decision.
 */
public final class MasterCalls implements AutoCloseable {
  /** The one of SASL's that Hadoop has for tokens. By some others the password would be sent. */
  public static final String LOGIN_MECHANISM = "DIGEST-MD5";

  /** Makes one call on one connection. */
  public interface Caller {
    Reply call(Request request) throws IOException, InterruptedException;
  }

  /** What is said first on each new connection. Where it fails, the connection is closed. */
  public interface Handshake {
    void run(Caller caller) throws IOException, InterruptedException;
  }

  private static final String PROTOCOL = "io.tony.protocol.TaskProtocol";

  private final InetSocketAddress address;
  private final JobToken token;
  private final String protection;
  private final Spawner spawner;
  private final Handshake handshake;
  private volatile RpcConnection connection; // null before the first
  private volatile boolean closed;

  /**
   * Does not connect yet.
   *
   * @param protection what SASL is to agree on with the server: a value of its property
   * @param spawner starts the two threads of a connection
   * @param handshake comes before all calls: another server may listen at the address by now
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

  /** Connects where there is no connection. */
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

  /** Does not wait for a call that is just connecting; it will fail. */
  @Override
  public void close() {
    closed = true;
    RpcConnection opened = connection;
    if (opened != null) {
      opened.close();
    }
  }
}
