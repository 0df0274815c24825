package io.tony.executor.rpc;

import io.tony.process.Spawner;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Calls with the bytes of any message, by one who has logged in. */
public final class RawCalls implements AutoCloseable {
  private final RpcConnection connection;

  /** Connects to a protocol, as its interface is called, with a token. */
  public RawCalls(InetSocketAddress address, byte[] identifier, byte[] password, String protocol)
      throws IOException, InterruptedException {
    connection =
        RpcConnection.open(
            address, new JobToken(identifier, password), protocol, "auth", Spawner.SYSTEM);
  }

  /** Returns when it is answered. */
  public void call(String method, byte[] message) throws IOException, InterruptedException {
    connection.call(method, message);
  }

  public boolean isBroken() {
    return connection.isBroken();
  }

  @Override
  public void close() {
    connection.close();
  }
}
