package io.tony.client.output;

import static org.junit.Assert.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.junit.Test;

/** A line of a program that is longer than what is printed at once. */
public class PrefixedLinesTest {
  private static String joined(String line) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    JobLog out = new JobLog(bytes);
    try (PrefixedLines lines = new PrefixedLines("stdout: ", 0, out)) {
      lines.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
    return bytes
        .toString(StandardCharsets.UTF_8)
        .lines()
        .map(piece -> piece.substring("stdout: ".length()))
        .collect(Collectors.joining());
  }

  @Test
  public void shouldCutNoLetterInTwo() throws IOException {
    for (String letter : new String[] {"ä", "█", "😀"}) {
      for (int before = 0; before < 4; before++) {
        String line = "x".repeat(before) + letter.repeat(10_000);
        assertEquals(line, joined(line));
      }
    }
  }

  @Test
  public void shouldKeepBlanksWithinALine() throws IOException {
    String line = "x" + " ".repeat(20_000) + "x";

    assertEquals(line, joined(line));
    assertEquals("blanks at its end are left out", "x", joined("x  "));
  }
}
