package io.tony.executor.program;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads files that programs write. What is not a regular file, such as a pipe or a device, is
 * treated as missing, because reading it could block or never end.
 */
public final class ProgramFile {
  private ProgramFile() {}

  /** Returns true for a regular file and for a symbolic link to one. */
  static boolean isRegular(Path file) {
    return Files.isRegularFile(file);
  }

  /** Returns the size in bytes; 0 if the file is missing. */
  static long size(Path file) throws IOException {
    return isRegular(file) ? Files.size(file) : 0;
  }

  /**
   * Returns the last bytes of a file; empty if the file is missing. The program may be writing the
   * file at the same time.
   *
   * @param offset position of the first byte that may be returned
   * @param maxBytes maximum number of bytes to return
   */
  public static byte[] readTail(Path file, long offset, int maxBytes) throws IOException {
    return isRegular(file)
        ? read(file, Math.max(offset, Files.size(file) - maxBytes), maxBytes)
        : new byte[0];
  }

  /**
   * Returns at most {@code maxBytes} bytes from {@code offset} on; empty if the file is missing.
   */
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
