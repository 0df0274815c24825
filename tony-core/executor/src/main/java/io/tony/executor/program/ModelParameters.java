package io.tony.executor.program;

import io.tony.protocol.ReportLimits;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Model parameters that a preprocessing program passes to the tasks that start after it, as in
 * LinkedIn's TonY: the text after {@code Model parameters:} and a blank, in the last line of the
 * program's stdout that contains these.
 *
 * @param value the parameters; null if there are none
 * @param problem why parameters are missing, and the remedy; else empty
 */
record ModelParameters(@Nullable String value, String problem) {
  private static final byte[] MARK = "Model parameters: ".getBytes(StandardCharsets.US_ASCII);

  // Leaves 64 characters for the name of the environment variable that passes the parameters on.
  private static final int MAX_BYTES = ReportLimits.MAX_MODEL_PARAMETERS_CHARS - 64;

  /**
   * Maximum number of bytes read from the end of stdout: programs print the parameters last, and
   * reading all of a long stdout could take too long.
   */
  static final long MAX_READ_BYTES = 64L << 20;

  /**
   * Reads the parameters of the last line of the file that has any. Uses little memory, however
   * long the file and its lines are.
   *
   * @param file the program's stdout
   * @param offset position at which the program's output begins; earlier bytes are of other
   *     programs
   */
  static ModelParameters last(Path file, long offset) throws IOException {
    if (!ProgramFile.isRegular(file)) {
      return new ModelParameters(null, "");
    }
    long size = Files.size(file);
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 64 * 1024)) {
      in.skipNBytes(Math.max(offset, size - MAX_READ_BYTES));
      ModelParameters found = last(in);
      boolean none = found.value == null && found.problem.isEmpty();
      return none && size - offset > MAX_READ_BYTES ? unread(size - offset) : found;
    }
  }

  private static ModelParameters unread(long bytes) {
    return new ModelParameters(
        null,
        "no model parameters are found: the program's stdout has "
            + bytes
            + " bytes, of which the last "
            + MAX_READ_BYTES
            + " are read. Print them at the end, or less before them");
  }

  private static ModelParameters last(InputStream in) throws IOException {
    ModelParameters found = new ModelParameters(null, "");
    ByteArrayOutputStream value = new ByteArrayOutputStream();
    boolean inValue = false;
    int matched = 0;
    int next;
    do {
      next = in.read();
      if (next == '\n' || next < 0) {
        found = inValue ? of(value) : found;
        value.reset();
        inValue = false;
        matched = 0;
      } else if (!inValue) {
        matched = matchedAfter(next, matched);
        inValue = matched == MARK.length;
      } else if (value.size() <= MAX_BYTES) {
        value.write(next);
      }
    } while (next >= 0);
    return found;
  }

  /**
   * Continues the search for {@link #MARK} by one byte. Returns how many of the mark's first bytes
   * the text ends with, including {@code next}.
   *
   * @param next next byte of the text
   * @param matched what this method returned for the byte before; 0 at the start of a line
   */
  private static int matchedAfter(int next, int matched) {
    if (next == MARK[matched]) {
      return matched + 1;
    }
    // At most one byte can match, because the mark's first letter occurs only once in the mark.
    return next == MARK[0] ? 1 : 0;
  }

  private static ModelParameters of(ByteArrayOutputStream value) {
    return value.size() > MAX_BYTES
        ? new ModelParameters(
            null,
            "the model parameters are left out: they are longer than "
                + MAX_BYTES
                + " bytes, which no environment variable can hold. Put them into a file of the"
                + " cluster, and print its path")
        : new ModelParameters(value.toString(StandardCharsets.UTF_8).stripTrailing(), "");
  }
}
