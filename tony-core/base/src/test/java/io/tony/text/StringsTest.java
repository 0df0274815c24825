package io.tony.text;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class StringsTest {
  @Test
  public void shouldLeaveATextThatIsShortEnough() {
    assertEquals("", Strings.truncate("", 3));
    assertEquals("abc", Strings.truncate("abc", 3));
  }

  @Test
  public void shouldCutALongText() {
    assertEquals("abc", Strings.truncate("abcd", 3));
  }

  @Test
  public void shouldNotCutALetterInTwo() {
    assertEquals("ab", Strings.truncate("ab🚀", 3));
    assertEquals("a🚀", Strings.truncate("a🚀b", 3));
  }
}
