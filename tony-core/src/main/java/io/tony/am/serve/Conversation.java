package io.tony.am.serve;

import java.nio.ByteBuffer;

/** What a server makes of the bytes of one caller. Used by the server's thread alone. */
public interface Conversation {
  /**
   * Takes all that has come. It must not wait.
   *
   * @throws Refusal which {@link #refuse} then tells the caller
   */
  void take(ByteBuffer received);

  /** The last thing that the caller hears. */
  void refuse(Refusal refusal);
}
