package io.tony.logs;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.Test;

public class LogPieceTest {
  private static final String TEXT = "aé€😀b";

  private static byte[] bytes() {
    return TEXT.getBytes(StandardCharsets.UTF_8);
  }

  /** Of a file that still grows. */
  private static LogPiece piece(int from, int to) {
    byte[] all = bytes();
    return LogPiece.of(from, Arrays.copyOfRange(all, from, to), all.length, false);
  }

  @Test
  public void shouldCutNoLetterInTwoWhereverItIsCut() {
    int length = bytes().length;
    for (int cut = 0; cut <= length; cut++) {
      LogPiece first = piece(0, cut);
      LogPiece rest = piece((int) first.end(), length);
      assertEquals("cut at " + cut, TEXT, first.text() + rest.text());
      assertEquals(first.end(), rest.begin());
      assertEquals(length, rest.end());
      LogPiece last = piece(cut, length);
      assertTrue("cut at " + cut, TEXT.endsWith(last.text()));
      assertFalse(last.text().contains("\uFFFD"));
    }
  }

  @Test
  public void shouldShowAllOfAFileThatGrowsNoMore() {
    byte[] half = Arrays.copyOf(bytes(), 2);
    LogPiece piece = LogPiece.of(0, half, 2, true);
    assertEquals("a\uFFFD", piece.text());
    assertEquals(2, piece.end());
  }

  @Test
  public void shouldGetPastBytesThatAreNoText() {
    byte[] none = {(byte) 0xff, (byte) 0xff, (byte) 0x80, 'a', (byte) 0xff};
    LogPiece piece = LogPiece.of(0, none, none.length, false);
    assertTrue(piece.text(), piece.text().endsWith("a"));
    assertEquals("it may be a letter's first", 4, piece.end());
    assertTrue(piece.isLast());
  }

  @Test
  public void shouldStopWhoeverHasMoreToGive() throws IOException {
    LogPieceBuffer bytes = new LogPieceBuffer();
    LogContents contents = new LogContents(0, Long.MAX_VALUE, bytes);
    String sent = LogContentsTest.sent(100_000, "x".repeat(LogPiece.MAX_BYTES));
    String begin = sent.substring(0, sent.indexOf("\nEnd of"));
    contents.write(begin.getBytes(StandardCharsets.UTF_8));
    assertThrows(LogPieceBuffer.BufferFullException.class, () -> contents.write('x'));
    LogPiece piece = bytes.piece(contents);
    assertEquals(LogPiece.MAX_BYTES, piece.end());
    assertEquals(100_000, piece.length());
    assertFalse(piece.isLast());
  }
}
