package io.tony.tunnel;

import java.io.IOException;

/**
 * What is at this end of a tunnel: it hears what the other end says, and has itself something to
 * say.
 */
public interface LocalEnd extends TunnelEnd.Listener {
  /** Sends all that it says, and that it has ended. */
  void sendTo(TunnelEnd end) throws IOException, InterruptedException;
}
