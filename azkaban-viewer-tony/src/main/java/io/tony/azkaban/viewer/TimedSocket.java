package io.tony.azkaban.viewer;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A socket with a deadline for all reads together, so that it also limits a server that sends
 * slowly. A TLS connection over this socket reads through it, so the deadline applies to the TLS
 * handshake, too.
 */
final class TimedSocket extends Socket {
  private final long deadlineNanos;
  private final Duration read;

  /**
   * Creates an unconnected socket.
   *
   * @param deadlineNanos in nanoseconds of {@link System#nanoTime}
   * @param read maximum wait for the next bytes
   */
  TimedSocket(long deadlineNanos, Duration read) {
    this.deadlineNanos = deadlineNanos;
    this.read = read;
  }

  /** Returns, in milliseconds, the shorter of {@code time} and the time left until the deadline. */
  int boundedMillis(Duration time) throws SocketTimeoutException {
    long remaining = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    if (remaining <= 0) {
      throw timeoutException(null);
    }
    return (int) Math.min(remaining, time.toMillis());
  }

  @Override
  public InputStream getInputStream() throws IOException {
    return new TimedInput(super.getInputStream());
  }

  private static SocketTimeoutException timeoutException(@Nullable SocketTimeoutException cause) {
    SocketTimeoutException e = new SocketTimeoutException("the answer takes too long");
    e.initCause(cause);
    return e;
  }

  private final class TimedInput extends FilterInputStream {
    TimedInput(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
      setSoTimeout(boundedMillis(read));
      try {
        return super.read(to, offset, length);
      } catch (SocketTimeoutException e) {
        throw timeoutException(e);
      }
    }
  }
}
