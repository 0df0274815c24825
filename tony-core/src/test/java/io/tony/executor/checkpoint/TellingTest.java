package io.tony.executor.checkpoint;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.executor.rpc.Kept;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class TellingTest {
  private static final Kept KEPT = new Kept("s", true, 1, 2, 3, null, "a", "hdfs://c/a", false);
  private static final Kept PROBLEM = new Kept("s", true, 0, 0, 3, "no", "b", null, false);

  private final List<Kept> told = new ArrayList<>();
  private final Telling telling = new Telling(told::add);

  @Test
  public void shouldTellAllThatIsKeptAndNotTooManyProblems() {
    for (int i = 0; i < Telling.MOST_PROBLEMS; i++) {
      telling.accept(PROBLEM);
      telling.accept(KEPT);
    }
    assertFalse(telling.hasEnough());
    assertEquals(2 * Telling.MOST_PROBLEMS, told.size());

    telling.accept(PROBLEM);
    assertTrue(telling.hasEnough());
    Kept last = told.get(told.size() - 1);
    assertEquals("b", last.path());
    assertTrue(last.problem(), last.problem().contains("more are not kept, and not told"));

    telling.accept(PROBLEM);
    telling.accept(KEPT);
    assertEquals(2 * Telling.MOST_PROBLEMS + 2, told.size());
    assertEquals(KEPT, told.get(told.size() - 1));
  }

  @Test
  public void shouldTellNothingWhenItIsOver() {
    telling.end();
    telling.accept(KEPT);
    telling.accept(PROBLEM);
    assertEquals(List.of(), told);
  }
}
