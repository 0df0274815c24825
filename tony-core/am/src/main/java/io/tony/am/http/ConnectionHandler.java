package io.tony.am.http;

import java.nio.ByteBuffer;

/** Handles the input of one connection. Called only on the server's thread. */
public interface ConnectionHandler {
  /**
   * Consumes all received bytes. Must not block.
   *
   * @throws RequestRejectedException to reject the request; the server passes the exception to
   *     {@link #reject}
   */
  void receive(ByteBuffer received);

  /**
   * Sends the rejection to the peer if the protocol has a message for it, and ends the connection.
   */
  void reject(RequestRejectedException rejection);
}
