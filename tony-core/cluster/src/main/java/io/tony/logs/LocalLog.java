package io.tony.logs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A log file of a container on this machine. */
public final class LocalLog implements ContainerLog {
  private final Path file;

  public LocalLog(Path file) {
    this.file = file;
  }

  @Override
  public void print(OutputStream out) throws IOException {
    copy(0, out);
  }

  @Override
  public long copy(long from, OutputStream out) throws IOException {
    try (FileChannel in = open()) {
      long length = in.size();
      in.position(Math.min(from, length));
      Channels.newInputStream(in).transferTo(out);
      return Math.max(from, in.position());
    }
  }

  @Override
  public LogPiece piece(long from) throws IOException {
    try (FileChannel in = open()) {
      long length = in.size();
      long begin = from < 0 ? Math.max(0, length - LogPiece.MAX_BYTES) : from;
      if (begin >= length) {
        return LogPiece.none(length);
      }
      ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(LogPiece.MAX_BYTES, length - begin));
      while (bytes.hasRemaining() && in.read(bytes, begin + bytes.position()) > 0) {
        // Continue reading: a single read may return fewer bytes than requested.
      }
      byte[] read = new byte[bytes.flip().remaining()];
      bytes.get(read);
      return LogPiece.of(begin, read, length, false);
    }
  }

  private FileChannel open() throws IOException {
    try {
      return FileChannel.open(file);
    } catch (NoSuchFileException e) {
      throw new FileNotFoundException(file.toString());
    }
  }
}
