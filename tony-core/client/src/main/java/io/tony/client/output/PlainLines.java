package io.tony.client.output;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Makes each line written to this stream safe by {@link PlainText} and passes it to another stream.
 * For standard error, which Azkaban copies into the job's log and to which libraries write
 * arbitrary text. A line is passed when it is complete; what exceeds the maximum length is cut off.
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

  /**
   * Flushes only complete lines, because the rest of an incomplete line could change its meaning.
   */
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

  /** Writes the last line even if it is incomplete. The underlying stream stays open. */
  @Override
  public synchronized void close() throws IOException {
    if (line.size() > 0) {
      printLine();
    }
    out.flush();
  }
}
