package io.tony.executor.program;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads files that programs write. Anything but a regular file, such as a pipe or a device, which
 * could block or never end, is treated as missing.
 */
public final class ProgramFile {
  private ProgramFile() {}

  /** Returns true for a regular file, or a link to one. */
  static boolean isRegular(Path file) {
    return Files.isRegularFile(file);
  }

  /** Returns the size in bytes; 0 if the file is missing. */
  static long size(Path file) throws IOException {
    return isRegular(file) ? Files.size(file) : 0;
  }

  /**
   * Returns the last bytes of a file. The program may be rewriting the file at the same time.
   *
   * @param offset position of the first byte to consider
   * @param maxBytes maximum number of bytes to return
   * @return empty if the file is missing
   */
  public static byte[] readTail(Path file, long offset, int maxBytes) throws IOException {
    return isRegular(file)
        ? read(file, Math.max(offset, Files.size(file) - maxBytes), maxBytes)
        : new byte[0];
  }

  /** Returns up to {@code maxBytes} bytes from {@code offset} on; empty if the file is missing. */
  static byte[] readFrom(Path file, long offset, int maxBytes) throws IOException {
    return isRegular(file) ? read(file, offset, maxBytes) : new byte[0];
  }

  private static byte[] read(Path file, long offset, int maxBytes) throws IOException {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      in.seek(offset);
      byte[] bytes = new byte[maxBytes];
      int length = 0;
      int read = in.read(bytes);
      while (read > 0) {
        length += read;
        read = in.read(bytes, length, maxBytes - length);
      }
      return Arrays.copyOf(bytes, length);
    }
  }
}
