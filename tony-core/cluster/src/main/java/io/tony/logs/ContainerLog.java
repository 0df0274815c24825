package io.tony.logs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;

/**
 * A log file of a container. All methods throw {@link FileNotFoundException} if the file does not
 * exist.
 */
public interface ContainerLog {
  /**
   * Prints the whole file. If the file comes from a node, a header of a few lines is printed first.
   */
  void print(OutputStream out) throws IOException;

  /**
   * Copies the file from byte offset {@code from} on; returns the offset at which the next copy
   * continues.
   *
   * @throws IOException also if the transfer is interrupted; the bytes copied until then are
   *     correct
   */
  long copy(long from, OutputStream out) throws IOException;

  /**
   * Returns the piece of the file that begins at byte offset {@code from}; the last piece if {@code
   * from} is negative.
   */
  LogPiece piece(long from) throws IOException;
}
