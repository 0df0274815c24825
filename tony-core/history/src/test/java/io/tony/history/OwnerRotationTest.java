package io.tony.history;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.Test;

public class OwnerRotationTest {
  private final OwnerRotation turns = new OwnerRotation();

  private Set<Integer> due(int logs) {
    Set<Integer> due = new HashSet<>();
    turns.startRound();
    for (int i = 0; i < logs; i++) {
      if (turns.recordIfDue("mallory")) {
        due.add(i);
      }
    }
    assertTrue("of others", turns.recordIfDue("zoe"));
    return due;
  }

  @Test
  public void shouldLookIntoVeryManyLogsOfOneOwnerInTurns() {
    int many = 3 * OwnerRotation.MAX_LOGS + 1;
    due(many); // how many there are is known from now on
    Set<Integer> all = new HashSet<>();
    for (int look = 0; look < 4; look++) {
      Set<Integer> due = due(many);
      assertTrue(due.size() + " at once", due.size() <= OwnerRotation.MAX_LOGS);
      all.addAll(due);
    }
    assertEquals("none is left out", many, all.size());
  }

  @Test
  public void shouldLookIntoAllOfAFew() {
    for (int look = 0; look < 3; look++) {
      assertEquals(100, due(100).size());
    }
  }
}
