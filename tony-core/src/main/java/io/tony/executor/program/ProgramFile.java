package io.tony.executor.program;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads files that programs write. A program may have put anything in the place of one: a pipe or a
 * device, which nobody could read to its end, is as good as no file.
 */
public final class ProgramFile {
  private ProgramFile() {}

  /** True for what can be read, also through a link. */
  static boolean isRegular(Path file) {
    return Files.isRegularFile(file);
  }

  /** Bytes; 0 where there is none. */
  static long size(Path file) throws IOException {
    return isRegular(file) ? Files.size(file) : 0;
  }

  /**
   * The last bytes of a file, as it is now: the program may be writing it anew at this moment.
   *
   * @param offset position of the first byte that counts
   * @param maxBytes the number of bytes to give at most
   */
  public static byte[] readTail(Path file, long offset, int maxBytes) throws IOException {
    return isRegular(file)
        ? read(file, Math.max(offset, Files.size(file) - maxBytes), maxBytes)
        : new byte[0];
  }

  /** The first bytes from there on. */
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
