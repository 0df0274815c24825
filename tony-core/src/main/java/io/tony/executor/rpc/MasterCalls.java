package io.tony.executor.rpc;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * The calls of {@code TaskService} at one ApplicationMaster. A call connects where there is no
 * connection, and fails where there can be none; whether it is made again is the caller's decision.
 */
public final class MasterCalls implements AutoCloseable {
  /** The one of SASL's that Hadoop has for tokens. By some others the password would be sent. */
  public static final String LOGIN_MECHANISM = "DIGEST-MD5";

  private static final String PROTOCOL = "io.tony.protocol.TaskProtocol";

  private final InetSocketAddress address;
  private final JobToken token;
  private final String protection;
  private volatile RpcConnection connection; // null before the first
  private volatile boolean closed;

  /**
   * Does not connect yet.
   *
   * @param protection what SASL is to agree on with the server: a value of its property
   */
  public MasterCalls(InetSocketAddress address, JobToken token, String protection) {
    this.address = address;
    this.token = token;
    this.protection = protection;
  }

  public InetSocketAddress address() {
    return address;
  }

  public Answer call(Request request) throws IOException, InterruptedException {
    return new Answer(connected().call(request.method(), request.message()));
  }

  private synchronized RpcConnection connected() throws IOException, InterruptedException {
    if (closed) {
      throw new IOException("the connection was closed");
    }
    if (connection == null || connection.isBroken()) {
      connection = RpcConnection.open(address, token, PROTOCOL, protection);
      if (closed) {
        connection.close();
      }
    }
    return connection;
  }

  /** Does not wait for a call that is just connecting; it will fail. */
  @Override
  public void close() {
    closed = true;
    RpcConnection open = connection;
    if (open != null) {
      open.close();
    }
  }
}
