package io.tony.executor.rpc;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** A socket's streams, which count what goes by. */
final class CountingStreams {
  private final InputStream in;
  private final OutputStream out;
  private long received;
  private long sent;

  CountingStreams(Socket socket) throws IOException {
    in =
        new FilterInputStream(socket.getInputStream()) {
          @Override
          public int read() throws IOException {
            int next = super.read();
            received += next < 0 ? 0 : 1;
            return next;
          }

          @Override
          public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = super.read(bytes, offset, length);
            received += Math.max(read, 0);
            return read;
          }
        };
    out =
        new FilterOutputStream(socket.getOutputStream()) {
          @Override
          public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
            sent += length;
          }
        };
  }

  InputStream in() {
    return in;
  }

  OutputStream out() {
    return out;
  }

  long received() {
    return received;
  }

  long sent() {
    return sent;
  }
}
