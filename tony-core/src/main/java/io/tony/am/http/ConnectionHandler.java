package io.tony.am.http;

import java.nio.ByteBuffer;

/** Handles the input of one connection. Used only by the server's thread. */
public interface ConnectionHandler {
  /**
   * Consumes all received bytes. Must not block.
   *
   * @throws RequestRejectedException to reject the request; it is then passed to {@link #reject}
   */
  void receive(ByteBuffer received);

  /** Sends the rejection, if the protocol has a message for it, and ends the connection. */
  void reject(RequestRejectedException rejection);
}
