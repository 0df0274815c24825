package io.tony.tunnel;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Calls with which one end of a tunnel exchanges chunks with the ApplicationMaster. A call that
 * failed may be repeated.
 */
public interface TunnelLink {
  /** Thrown if the ApplicationMaster has closed the tunnel; the message is the reason. */
  final class TunnelClosedException extends Exception {
    private static final long serialVersionUID = 1;

    public TunnelClosedException(String why) {
      super(why);
    }

    @Override
    public String getMessage() {
      return Objects.requireNonNull(super.getMessage());
    }
  }

  /**
   * Sends a chunk to the ApplicationMaster. Returns false if the ApplicationMaster has no room for
   * it; the caller must then send it again.
   */
  boolean put(Chunk chunk) throws IOException, TunnelClosedException, InterruptedException;

  /**
   * Waits for the next chunk of the other end. Returns null if none arrived in time.
   *
   * @param lastNumber number of the last chunk received; 0 before the first
   */
  @Nullable Chunk take(long lastNumber)
      throws IOException, TunnelClosedException, InterruptedException;
}
