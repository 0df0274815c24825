package io.tony.logs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;

/**
 * One file of a container. Its methods throw {@link FileNotFoundException} where there is no such
 * file.
 */
public interface ContainerLog {
  /** Prints all of it; a node puts a few lines before it that name it. */
  void print(OutputStream out) throws IOException;

  /**
   * Copies what it has from an offset on; returns the offset to go on from.
   *
   * @throws IOException also where it breaks off; what was copied before is right
   */
  long copy(long from, OutputStream out) throws IOException;

  /** As much as a piece holds: from an offset on, or the last where that is below 0. */
  LogPiece piece(long from) throws IOException;
}
