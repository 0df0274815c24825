package io.tony.tunnel;

import java.io.IOException;

/**
 * The way from one end of a tunnel to the ApplicationMaster, and back. A call that fails may be
 * made again.
 */
public interface TunnelLink {
  /** The ApplicationMaster has closed the tunnel; the message says why. */
  final class TunnelClosedException extends Exception {
    private static final long serialVersionUID = 1;

    public TunnelClosedException(String why) {
      super(why);
    }
  }

  /** False when there was no room for it: it is to be put again. */
  boolean put(Chunk chunk) throws IOException, TunnelClosedException, InterruptedException;

  /**
   * Waits for the chunk after the one that is known; null when none came for a while.
   *
   * @param lastNumber its number; 0 for none
   */
  Chunk take(long lastNumber) throws IOException, TunnelClosedException, InterruptedException;
}
