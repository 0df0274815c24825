package io.tony.client.shell;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.Test;

/** What is typed, and what of it a shell gets. */
public class EscapeFilterTest {
  private final EscapeFilter escape = new EscapeFilter();

  private String passed(String typed) {
    byte[] bytes = typed.getBytes(StandardCharsets.UTF_8);
    return new String(escape.filter(bytes, bytes.length), StandardCharsets.UTF_8);
  }

  @Test
  public void shouldPassWhatIsTyped() {
    assertEquals("ls ~/größe\r", passed("ls ~/größe\r"));
    assertEquals("cd ~.\r", passed("cd ~.\r"));
    assertFalse(escape.exitRequested());
  }

  @Test
  public void shouldLeaveAtTheBeginningOfALine() {
    assertEquals("cat\r", passed("cat\r~.more"));
    assertTrue(escape.exitRequested());
  }

  @Test
  public void shouldLeaveAtTheVeryBeginning() {
    assertEquals("", passed("~"));
    assertFalse(escape.exitRequested());
    assertEquals("", passed("."));
    assertTrue(escape.exitRequested());
  }

  @Test
  public void shouldPassTheMarkWithWhatFollowsIt() {
    assertEquals("", passed("~"));
    assertEquals("~/bin/tool\r", passed("/bin/tool\r"));
    assertEquals("~", passed("~~"));
    assertEquals(".\r", passed(".\r"));
    assertFalse(escape.exitRequested());
  }
}
