package io.tony.tunnel;

import java.io.IOException;

/**
 * What a tunnel connects at this end, such as a socket or a shell: source of the data that is sent,
 * and destination of the data that is received.
 */
public interface LocalEnd extends TunnelEnd.Listener {
  /**
   * Sends all data of this source to {@code end}, then a {@link Chunk.End}. Blocks until everything
   * is queued.
   */
  void sendTo(TunnelEnd end) throws IOException, InterruptedException;
}
