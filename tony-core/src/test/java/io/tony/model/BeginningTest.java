package io.tony.model;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class BeginningTest {
  @Test
  public void shouldLeaveATextThatIsShortEnough() {
    assertEquals("", Beginning.of("", 3));
    assertEquals("abc", Beginning.of("abc", 3));
  }

  @Test
  public void shouldCutALongText() {
    assertEquals("abc", Beginning.of("abcd", 3));
  }

  @Test
  public void shouldNotCutALetterInTwo() {
    assertEquals("ab", Beginning.of("ab🚀", 3));
    assertEquals("a🚀", Beginning.of("a🚀b", 3));
  }
}
