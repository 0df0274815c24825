package io.tony.executor.checkpoint;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.executor.rpc.Kept;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.Test;

public class TellingTest {
  private static final Kept KEPT = new Kept("s", true, 1, 2, 3, null, "a", "hdfs://c/a", 0);
  private static final Kept PROBLEM = new Kept("s", true, 0, 0, 3, "no", "b", null, 0);

  private final List<Kept> told = new ArrayList<>();
  private final Telling telling = new Telling(told::add);

  @Test
  public void shouldTellAllThatIsKeptAndNotTooManyProblems() {
    for (int i = 0; i < Telling.MOST_PROBLEMS; i++) {
      telling.accept(PROBLEM);
    }
    assertEquals(Collections.nCopies(Telling.MOST_PROBLEMS, PROBLEM), told);

    telling.accept(PROBLEM);
    Kept last = told.get(told.size() - 1);
    assertEquals("b", last.path());
    assertTrue(last.problem(), last.problem().contains("is told only after one that is"));

    telling.accept(PROBLEM);
    telling.accept(KEPT);
    assertEquals(Telling.MOST_PROBLEMS + 2, told.size());
    assertEquals(KEPT, told.get(told.size() - 1));
    telling.accept(PROBLEM);
    assertEquals("one was kept", PROBLEM, told.get(told.size() - 1));
  }

  @Test
  public void shouldTellTheLastHoweverManyWereTold() {
    for (int i = 0; i < Telling.MOST_PROBLEMS + 5; i++) {
      telling.accept(PROBLEM);
    }
    telling.insist(PROBLEM);
    assertEquals(Telling.MOST_PROBLEMS + 2, told.size());
  }

  @Test
  public void shouldTellNothingWhenItIsOver() {
    telling.end();
    telling.accept(KEPT);
    telling.accept(PROBLEM);
    telling.insist(PROBLEM);
    assertEquals(List.of(), told);
  }
}
