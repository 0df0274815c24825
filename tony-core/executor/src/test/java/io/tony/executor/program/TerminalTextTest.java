package io.tony.executor.program;

import static org.junit.Assert.assertEquals;

import java.util.List;
import org.junit.Test;

public class TerminalTextTest {
  private static void assertLines(String written, String... expected) {
    assertEquals(List.of(expected), TerminalText.lines(written));
  }

  @Test
  public void shouldLeavePlainTextAsItIs() {
    assertLines("");
    assertLines("\n", "");
    assertLines("one", "one");
    assertLines("one\n\n  two \n", "one", "", "  two ");
    assertLines("one\r\ntwo\r\n", "one", "two");
    assertLines("größer\t\u0000\n", "größer\t\u0000");
  }

  @Test
  public void shouldKeepTheLastVersionOfALineThatIsDrawnAgain() {
    assertLines("\r 0%\r50%\r100%\nend\n", "100%", "end");
    assertLines("100%\r", "100%");
    assertLines("100%\r\r\nend", "100%", "end");
    assertLines("1/3\b\b\b2/3\b\b\b3/3\n", "3/3");
  }

  @Test
  public void shouldLeaveOutColoursTitlesAndOtherCommands() {
    assertLines("\u001b[1;31mred\u001b[0m and \u001b[38;5;4mblue\u001b[m", "red and blue");
    assertLines("\u001b]0;title\u0007text\u001b]8;;http://x\u001b\\link\u0007", "textlink");
    assertLines("\u001b(Btext\u001b7\u001b[?25l", "text");
  }

  @Test
  public void shouldDropALineOfWhichNothingIsLeft() {
    assertLines("one\n\u001b[0m  \u001b[K\ntwo\n", "one", "two");
  }

  /** As tqdm draws two bars, and as Python then writes how the program ended. */
  @Test
  public void shouldFollowTheCursorOfSeveralProgressBars() {
    String again = "\r0: 50%\n\r1: 10%\u001b[A\r0: 60%\n\r1: 20%\u001b[A";
    assertLines(again, "0: 60%", "1: 20%");
    assertLines(again + "\n\nTraceback\n  at x\n", "0: 60%", "1: 20%", "Traceback", "  at x");
  }

  /** As rich draws: it goes up, erases and writes all lines anew. */
  @Test
  public void shouldErase() {
    assertLines(
        "a  10%\nb  10%\n\u001b[1A\u001b[2K\u001b[1A\u001b[2Ka  20%\nb  20%\n", "a  20%", "b  20%");
  }

  @Test
  public void shouldStandCommandsThatAreCutOrMakeNoSense() {
    assertLines("text\u001b", "text");
    assertLines("text\u001b[3", "text");
    assertLines("\u001b[99999999999999Atext\u001b[9999B.", "text.");
    assertLines("\u001b]8;;no end\nnext", "8;;no end", "next");
  }
}
