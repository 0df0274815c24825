package io.tony.client.output;

import static org.junit.Assert.assertEquals;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.Test;

/** What libraries write on the standard error stream, as a terminal and Azkaban get it. */
public class PlainLinesTest {
  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
  private final BufferedOutputStream buffer = new BufferedOutputStream(shown);
  private final PlainLines lines = new PlainLines(buffer);

  private void write(String text) throws IOException {
    lines.write(text.getBytes(StandardCharsets.UTF_8));
  }

  private String shown() {
    return shown.toString(StandardCharsets.UTF_8);
  }

  @Test
  public void shouldShowALineAtOnceWhenItIsWhole() throws IOException {
    write("größer\nals");
    assertEquals("größer\n", shown());

    write(" zuvor\n");
    assertEquals("größer\nals zuvor\n", shown());
  }

  /** What is flushed in between is part of a character, say, or of what is to be masked. */
  @Test
  public void shouldShowNothingOfALineThatIsNotWhole() throws IOException {
    write("half");
    lines.flush();

    assertEquals("", shown());
  }

  @Test
  public void shouldPassAFlushOn() throws IOException {
    buffer.write('x');

    lines.flush();

    assertEquals("x", shown());
  }

  @Test
  public void shouldEndWithWhatWasBegunLast() throws IOException {
    write("whole\nthe last words");
    lines.close();

    assertEquals("whole\nthe last words\n", shown());
  }

  @Test
  public void shouldAddNoLineAtTheEnd() throws IOException {
    write("whole\n");
    buffer.write('x');
    lines.close();

    assertEquals("whole\nx", shown());
  }

  @Test
  public void shouldCutALineThatNobodyReadsToItsEnd() throws IOException {
    write("a".repeat(2 * PlainText.MAX_LINE_CHARS) + "\nnext\n");

    assertEquals("a".repeat(PlainText.MAX_LINE_CHARS) + "…\nnext\n", shown());
  }
}
