package io.tony.client.output;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Passes lines on as {@link PlainText}; for the standard error stream, to which libraries write
 * anything, and which Azkaban copies into the job's log. A line is passed on when it is complete;
 * the part beyond the maximum length is cut off.
 */
public final class PlainLines extends OutputStream {
  private final OutputStream out;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean truncated;

  public PlainLines(OutputStream out) {
    this.out = out;
  }

  @Override
  public synchronized void write(int b) throws IOException {
    if (b == '\n') {
      printLine();
      truncated = false;
    } else if (!truncated) {
      line.write(b);
      truncated = line.size() >= PlainText.MAX_LINE_CHARS;
    }
  }

  /** Does not write an incomplete line, because the rest of the line can change its meaning. */
  @Override
  public synchronized void flush() throws IOException {
    out.flush();
  }

  private void printLine() throws IOException {
    String text = PlainText.of(line.toString(StandardCharsets.UTF_8));
    line.reset();
    out.write((text + (truncated ? "…" : "") + "\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /** Writes the last line even if it is incomplete. */
  @Override
  public synchronized void close() throws IOException {
    if (line.size() > 0) {
      printLine();
    }
    out.flush();
  }
}
