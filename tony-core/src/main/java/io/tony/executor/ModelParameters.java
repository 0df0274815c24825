package io.tony.executor;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a preprocessing program hands to the tasks after it, as TonY has it: the rest of a line of
 * its stdout that holds {@code Model parameters:} and a blank. The last such line counts.
 */
final class ModelParameters {
  private static final Logger LOG = LoggerFactory.getLogger(ModelParameters.class);
  private static final byte[] MARK = "Model parameters: ".getBytes(StandardCharsets.US_ASCII);

  /** They become a variable of the environment, and Linux takes none above 128 KiB. */
  private static final int MOST_BYTES = 128 * 1024 - 64;

  private ModelParameters() {}

  /** They are printed last; the executor does not read what a program prints for hours. */
  static final long MOST_READ_BYTES = 64L << 20;

  /**
   * Reads the end of a file of any length, with lines of any length, in little memory.
   *
   * @param begin position of the first byte that counts
   * @return null where no line holds the mark
   */
  static String last(Path file, long begin) throws IOException {
    if (!ProgramFile.isThere(file)) {
      return null;
    }
    long size = Files.size(file);
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 64 * 1024)) {
      in.skipNBytes(Math.max(begin, size - MOST_READ_BYTES));
      return last(in);
    }
  }

  private static String last(InputStream in) throws IOException {
    String found = null;
    ByteArrayOutputStream value = new ByteArrayOutputStream();
    boolean inValue = false;
    int matched = 0;
    int next;
    do {
      next = in.read();
      if (next == '\n' || next < 0) {
        if (inValue) {
          found = text(value);
        }
        value.reset();
        inValue = false;
        matched = 0;
      } else if (inValue) {
        if (value.size() <= MOST_BYTES) {
          value.write(next);
        }
      } else {
        // No part of the mark but its first letter begins it anew.
        matched = next == MARK[matched] ? matched + 1 : next == MARK[0] ? 1 : 0;
        inValue = matched == MARK.length;
      }
    } while (next >= 0);
    return found;
  }

  private static String text(ByteArrayOutputStream value) {
    if (value.size() > MOST_BYTES) {
      LOG.warn(
          "The model parameters that the program printed are longer than {} bytes, and are left"
              + " out: no environment variable can hold them",
          MOST_BYTES);
      return null;
    }
    return value.toString(StandardCharsets.UTF_8).stripTrailing();
  }
}
