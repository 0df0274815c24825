package io.tony.client.output;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Passes lines on as {@link PlainText}: for the standard error stream, on which libraries write
 * what they like, and which Azkaban puts into the log of the job as well. A line is passed on when
 * it is whole, or longer than any should be.
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

  /** Nothing of a line that is not whole yet: its rest could make another text of it. */
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

  /** With what was begun last. */
  @Override
  public synchronized void close() throws IOException {
    if (line.size() > 0) {
      printLine();
    }
    out.flush();
  }
}
