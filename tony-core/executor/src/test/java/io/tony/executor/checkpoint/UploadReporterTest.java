package io.tony.executor.checkpoint;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.executor.rpc.CheckpointOutcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.Test;

public class UploadReporterTest {
  private static final CheckpointOutcome KEPT =
      new CheckpointOutcome("s", true, 1, 2, 3, null, "a", "hdfs://c/a", 0);
  private static final CheckpointOutcome PROBLEM =
      new CheckpointOutcome("s", true, 0, 0, 3, "no", "b", null, 0);

  private final List<CheckpointOutcome> told = new ArrayList<>();
  private final UploadReporter telling = new UploadReporter(told::add);

  @Test
  public void shouldTellAllThatIsKeptAndNotTooManyProblems() {
    for (int i = 0; i < UploadReporter.MAX_PROBLEMS; i++) {
      telling.accept(PROBLEM);
    }
    assertEquals(Collections.nCopies(UploadReporter.MAX_PROBLEMS, PROBLEM), told);

    telling.accept(PROBLEM);
    CheckpointOutcome last = told.get(told.size() - 1);
    assertEquals("b", last.path());
    assertTrue(last.problem(), last.problem().contains("is reported only after one that is"));

    telling.accept(PROBLEM);
    telling.accept(KEPT);
    assertEquals(UploadReporter.MAX_PROBLEMS + 2, told.size());
    assertEquals(KEPT, told.get(told.size() - 1));
    telling.accept(PROBLEM);
    assertEquals("one was kept", PROBLEM, told.get(told.size() - 1));
  }

  @Test
  public void shouldTellTheLastHoweverManyWereTold() {
    for (int i = 0; i < UploadReporter.MAX_PROBLEMS + 5; i++) {
      telling.accept(PROBLEM);
    }
    telling.acceptAlways(PROBLEM);
    assertEquals(UploadReporter.MAX_PROBLEMS + 2, told.size());
  }

  @Test
  public void shouldTellNothingWhenItIsOver() {
    telling.end();
    telling.accept(KEPT);
    telling.accept(PROBLEM);
    telling.acceptAlways(PROBLEM);
    assertEquals(List.of(), told);
  }
}
