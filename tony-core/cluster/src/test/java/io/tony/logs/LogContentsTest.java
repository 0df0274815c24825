package io.tony.logs;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.Test;

public class LogContentsTest {
  /** As Hadoop sends a file of this length, or the last bytes of it. */
  public static String sent(int length, String contents) {
    return "Container: container_1 on node_1\nLogAggregationType: LOCAL\n"
        + "==============\nLogType:stdout\nLogLastModifiedTime:now\nLogLength:"
        + length
        + "\nLogContents:\n"
        + contents
        + "\nEnd of LogType:stdout. It is not complete.\n";
  }

  private static String taken(long from, long asked, String text) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    LogContents atOnce = new LogContents(from, asked, all);
    atOnce.write(text.getBytes(StandardCharsets.UTF_8));
    ByteArrayOutputStream single = new ByteArrayOutputStream();
    LogContents byByte = new LogContents(from, asked, single);
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      byByte.write(each);
    }
    assertEquals(all.toString(StandardCharsets.UTF_8), single.toString(StandardCharsets.UTF_8));
    assertEquals(atOnce.length(), byByte.length());
    return all.toString(StandardCharsets.UTF_8) + (atOnce.hasGap() ? " (gap)" : "");
  }

  @Test
  public void shouldGiveTheContentsAlone() throws IOException {
    assertEquals("0123456789", taken(0, Long.MAX_VALUE, sent(10, "0123456789")));
    assertEquals("", taken(0, Long.MAX_VALUE, sent(0, "")));
    String misleading = "LogContents:\nLogLength:3\n";
    assertEquals(misleading, taken(0, Long.MAX_VALUE, sent(misleading.length(), misleading)));
  }

  @Test
  public void shouldGiveThemFromAnOffsetOn() throws IOException {
    assertEquals("789", taken(7, Long.MAX_VALUE, sent(10, "0123456789")));
    assertEquals("789", taken(7, 5, sent(10, "56789")));
    assertEquals("", taken(10, 5, sent(10, "56789")));
    assertEquals("", taken(Long.MAX_VALUE, 1, sent(10, "9")));
  }

  @Test
  public void shouldGiveAllThatIsSentWhereNoOffsetIsNamed() throws IOException {
    assertEquals("56789", taken(-1, 5, sent(10, "56789")));
    assertEquals("0123456789", taken(-1, 50, sent(10, "0123456789")));
  }

  @Test
  public void shouldTellThatTheFileHasGrownByMoreThanWasAskedFor() throws IOException {
    assertEquals(" (gap)", taken(4, 5, sent(10, "56789")));
    assertEquals("56789", taken(5, 5, sent(10, "56789")));
  }

  @Test
  public void shouldRefuseWhatIsNoFile() throws IOException {
    LogContents contents =
        new LogContents(0, Long.MAX_VALUE, ByteArrayOutputStream.nullOutputStream());
    contents.write("<html>a login</html>\n".getBytes(StandardCharsets.UTF_8));
    assertEquals(-1, contents.length());
    assertTrue(
        assertThrows(
                IOException.class,
                () -> contents.write("x\n".repeat(20_000).getBytes(StandardCharsets.UTF_8)))
            .getMessage()
            .contains("no file"));
  }
}
