package io.tony.am;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class AttemptNumbersTest {
  @Test
  public void shouldGiveEachAzkabanAttemptHigherNumbersThanTheOneBefore() {
    assertEquals(0, AttemptNumbers.first(0, 10_004));
    assertEquals(20_008, AttemptNumbers.first(2, 10_004));
  }

  @Test
  public void shouldNeverGiveANegativeNumber() {
    int room = 1_000_000;
    for (int attempt : new int[] {2_146, 2_147, 2_148, 100_000, Integer.MAX_VALUE}) {
      int first = AttemptNumbers.first(attempt, room);
      assertTrue(attempt + ": " + first, first >= 2_146_000_000 && first + room > first);
    }
  }
}
