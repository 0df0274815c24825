package io.tony.am.http;

import java.nio.ByteBuffer;

/** What a server makes of the bytes of one caller. Used by the server's thread alone. */
public interface ConnectionHandler {
  /**
   * Takes all that has come. It must not wait.
   *
   * @throws RequestRejectedException which {@link #reject} then tells the caller
   */
  void receive(ByteBuffer received);

  /** The last thing that the caller hears. */
  void reject(RequestRejectedException rejection);
}
