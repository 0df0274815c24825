package io.tony.logs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;

/**
 * A log file of a container. All methods throw {@link FileNotFoundException} if the file does not
 * exist.
 */
public interface ContainerLog {
  /** Prints the whole file; a node adds a header of a few lines. */
  void print(OutputStream out) throws IOException;

  /**
   * Copies the file from an offset on, and returns the offset from which to continue.
   *
   * @throws IOException also if the transfer is interrupted; the bytes copied so far are correct
   */
  long copy(long from, OutputStream out) throws IOException;

  /**
   * Returns a piece of the file from offset {@code from} on; the last piece if {@code from} is
   * negative.
   */
  LogPiece piece(long from) throws IOException;
}
