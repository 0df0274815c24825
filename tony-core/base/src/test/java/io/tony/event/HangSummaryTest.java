package io.tony.event;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.Test;

public class HangSummaryTest {
  private static final String REDUCE = "all_reduce (distributed_c10d.py:2501)";
  private static final String READ = "read (loader.py:14)";

  private final Map<TaskId, String> places = new LinkedHashMap<>();

  private void stand(String role, int from, int to, String place) {
    for (int index = from; index < to; index++) {
      places.put(new TaskId(role, index), place);
    }
  }

  private void assertWords(String words) {
    assertEquals(words, HangSummary.of(places));
  }

  @Test
  public void shouldSayWhereOneTaskStood() {
    stand("worker", 0, 1, READ);
    assertWords("worker:0 hung in " + READ);
  }

  @Test
  public void shouldNameTheTaskThatStandsElsewhereThanMost() {
    stand("worker", 2, 3, READ);
    stand("worker", 0, 2, REDUCE);
    stand("worker", 3, 4, REDUCE);
    assertWords(
        "3 of 4 tasks hang in " + REDUCE + "; worker:2 hangs in " + READ + ": the likely cause");
  }

  @Test
  public void shouldBlameNoneOfTwo() {
    stand("worker", 0, 1, READ);
    stand("worker", 1, 2, REDUCE);
    assertWords("worker:0 hangs in " + READ + "; worker:1 hangs in " + REDUCE);
  }

  /** A parameter server waits elsewhere all its life. */
  @Test
  public void shouldBlameNoTaskOfARoleOfItsOwn() {
    stand("worker", 0, 3, REDUCE);
    stand("ps", 0, 1, "join (server.py:3)");
    assertWords("3 of 4 tasks hang in " + REDUCE + "; ps:0 hangs in join (server.py:3)");

    stand("worker", 3, 4, READ);
    assertWords(
        "3 of 5 tasks hang in "
            + REDUCE
            + "; ps:0 hangs in join (server.py:3); worker:3 hangs in "
            + READ
            + ": the likely cause");
  }

  @Test
  public void shouldBlameNobodyWhereSeveralStandElsewhere() {
    stand("worker", 0, 5, REDUCE);
    stand("worker", 5, 7, READ);
    stand("worker", 7, 8, "");
    assertWords(
        "5 of 8 tasks hang in "
            + REDUCE
            + "; worker:5 and worker:6 hang in "
            + READ
            + "; worker:7 hangs in an unknown place");
  }

  @Test
  public void shouldSayNothingWhereNoPlaceIsKnown() {
    assertWords("");
    stand("worker", 0, 3, "");
    assertWords("");
  }

  @Test
  public void shouldStayOneLineOfAFewGroupsHoweverManyTasksThereAre() {
    stand("worker", 0, 9_000, REDUCE);
    for (int index = 9_000; index < 10_000; index++) {
      stand("worker", index, index + 1, "read (part-" + index + ".py:1)");
    }
    String words = HangSummary.of(places);
    assertTrue(words, words.startsWith("9000 of 10000 tasks hang in " + REDUCE + "; worker:9000 "));
    assertTrue(words, words.endsWith("; 997 hang elsewhere"));
    assertTrue(words, words.length() < 400);
  }
}
