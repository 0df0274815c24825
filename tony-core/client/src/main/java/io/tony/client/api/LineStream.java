package io.tony.client.api;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Passes each complete line that is written to this stream to a consumer, without the line break.
 */
final class LineStream extends OutputStream {
  private final Consumer<String> lines;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();

  LineStream(Consumer<String> lines) {
    this.lines = lines;
  }

  @Override
  public synchronized void write(int b) {
    if (b == '\n') {
      lines.accept(line.toString(StandardCharsets.UTF_8));
      line.reset();
    } else {
      line.write(b);
    }
  }
}
