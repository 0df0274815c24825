package io.tony.executor.program;

import static org.junit.Assert.assertEquals;

import java.util.List;
import org.junit.Test;

public class FaultDumpTest {
  private static final List<String> CRASH =
      """
      step 7: the loss is nan
      Fatal Python error: Aborted

      Thread 0x00007f0a (most recent call first):
        File "/usr/lib/python3.11/threading.py", line 327 in wait

      Current thread 0x00007f0b (most recent call first):
        File "/c/loss.py", line 3 in check
        File "/c/train.py", line 40 in step
        File "/c/train.py", line 90 in <module>

      Extension modules: numpy.random.mtrand (total: 22)
      """
          .lines()
          .toList();

  @Test
  public void shouldKeepTheLastWordsAndTheInnermostCallsOfTheThreadThatFailed() {
    assertEquals(
        List.of(
            "step 7: the loss is nan",
            "Fatal Python error: Aborted",
            "  File \"/c/loss.py\", line 3 in check",
            "  File \"/c/train.py\", line 40 in step"),
        FaultDump.shortened(CRASH, 3));
    assertEquals(5, FaultDump.shortened(CRASH, 100).size());
  }

  @Test
  public void shouldLeaveOtherWordsAsTheyAre() {
    List<String> words = List.of("Traceback", "  File \"a.py\", line 1", "ValueError: 3");
    assertEquals(words, FaultDump.shortened(words, 1));
    assertEquals(CRASH.subList(0, 2), FaultDump.shortened(CRASH.subList(0, 2), 10));
  }
}
