package io.tony.executor.hadoop;

import io.tony.checkpoint.CheckpointFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.zip.CRC32C;

/** Copies one file of a checkpoint and computes its length and checksum. */
final class CheckedCopy {
  private static final int BUFFER_BYTES = 128 * 1024;

  private CheckedCopy() {}

  /**
   * Copies until the end of {@code in}.
   *
   * @param path path of the file in the checkpoint
   * @throws InterruptedIOException if the calling thread is interrupted
   */
  static CheckpointFile copy(String path, InputStream in, OutputStream out) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    CRC32C crc = new CRC32C();
    long bytes = 0;
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("the copy was given up");
      }
      crc.update(buffer, 0, read);
      out.write(buffer, 0, read);
      bytes += read;
    }
    return new CheckpointFile(path, bytes, (int) crc.getValue());
  }
}
