package io.tony.tunnel;

import java.io.IOException;

/** Source and destination of the data at this end of a tunnel, such as a socket or a shell. */
public interface LocalEnd extends TunnelEnd.Listener {
  /** Sends all data of this source, and then its {@link Chunk.End}. Blocks until then. */
  void sendTo(TunnelEnd end) throws IOException, InterruptedException;
}
