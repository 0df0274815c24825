package io.tony.tunnel;

import java.io.IOException;

/**
 * Connection between one end of a tunnel and the ApplicationMaster. A failed call may be repeated.
 */
public interface TunnelLink {
  /** Thrown when the ApplicationMaster has closed the tunnel; the message is the reason. */
  final class TunnelClosedException extends Exception {
    private static final long serialVersionUID = 1;

    public TunnelClosedException(String why) {
      super(why);
    }
  }

  /**
   * Sends a chunk. Returns false if the ApplicationMaster has no room; the caller then sends the
   * chunk again.
   */
  boolean put(Chunk chunk) throws IOException, TunnelClosedException, InterruptedException;

  /**
   * Waits for the chunk after {@code lastNumber}; null if none arrived for a while.
   *
   * @param lastNumber number of the last received chunk; 0 for none
   */
  Chunk take(long lastNumber) throws IOException, TunnelClosedException, InterruptedException;
}
