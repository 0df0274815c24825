package io.tony.failure;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** By what real programs wrote before they ended. */
public class FailureSignatureTest {
  private static final String PYTHON =
      """
      Traceback (most recent call last):
        File "/data/usercache/ada/appcache/application_1763_0001/container_1_000002/train.py", line 41, in <module>
          main()
        File "/data/usercache/ada/appcache/application_1763_0001/container_1_000002/train.py", line 12, in main
          raise ValueError(f"bad record {record} in {path}")
      ValueError: bad record 4711 in /data/container_1_000002/part-00007.csv
      """;

  private static final String JAVA =
      """
      2026-11-24 00:35:08,123 INFO  [main] Trainer - epoch 3
      Exception in thread "main" java.lang.RuntimeException: epoch 3 failed
      \tat Trainer.main(Trainer.java:9)
      Caused by: java.io.IOException: no such split: 17
      \tat Splits.open(Splits.java:40)
      \t... 1 more
      """;

  @Rule public final Timeout limit = Timeout.seconds(20);

  @Test
  public void shouldBeTheLineOfPythonsException() {
    assertEquals("ValueError: bad record # in part-#.csv", FailureSignature.of(PYTHON));
    assertEquals("ValueError", FailureSignature.exception(PYTHON));
  }

  /** The calls of all threads, which faulthandler writes at a signal, are not its words. */
  @Test
  public void shouldBeTheLastWordsAndTheSignalOfAPythonThatCrashed() {
    String crash =
        """
        loading part 7
        Fatal Python error: Segmentation fault

        Current thread 0x00007fb55c372040 (most recent call first):
          File "/data/container_1_000002/train.py", line 33 in read
          File "/data/container_1_000002/train.py", line 41 in <module>

        Extension modules: numpy.core._multiarray_umath (total: 1)
        """;

    assertEquals(
        "loading part #Fatal Python error: Segmentation fault  File \"train.py\", line # in read",
        FailureSignature.of(crash));
    assertNotEquals(
        FailureSignature.of(crash), FailureSignature.of(crash.replace("33 in read", "9 in write")));
    assertEquals("", FailureSignature.exception(crash));
  }

  @Test
  public void shouldBeJavasInnermostExceptionAndNotAFrame() {
    assertEquals("Caused by: java.io.IOException: no such split: #", FailureSignature.of(JAVA));
    assertEquals("java.io.IOException", FailureSignature.exception(JAVA));
  }

  @Test
  public void shouldBeTheSameInAnotherContainerAtAnotherTime() {
    String later =
        PYTHON
            .replace("container_1_000002", "container_e17_9_000004")
            .replace("4711", "12")
            .replace("part-00007", "part-00123");

    assertEquals(FailureSignature.of(PYTHON), FailureSignature.of(later));
  }

  @Test
  public void shouldNotBeTheSameForAnotherException() {
    assertNotEquals(
        FailureSignature.of(PYTHON),
        FailureSignature.of(PYTHON.replace("bad record", "no record")));
    assertNotEquals(
        FailureSignature.of(PYTHON),
        FailureSignature.of(PYTHON.replace("ValueError:", "KeyError:")));
  }

  @Test
  public void shouldBeTheExceptionThoughAWarningFollowsIt() {
    String cause =
        FailureSignature.of(
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has\n"
                + "/usr/lib/python3.11/multiprocessing/resource_tracker.py:216: UserWarning:"
                + " resource_tracker: There appear to be 5 leaked semaphore objects\n");

    assertEquals(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate # GiB. GPU # has", cause);
  }

  @Test
  public void shouldPassOverTheRankAndTheColourBeforeALine() {
    assertEquals(
        "RuntimeError: size mismatch", FailureSignature.of("[rank3]: RuntimeError: size mismatch"));
    assertEquals(
        "RuntimeError: size mismatch",
        FailureSignature.of("\u001b[1;31mRuntimeError\u001b[0m: size mismatch"));
  }

  @Test
  public void shouldBeTheLastLineWhereThereIsNoException() {
    assertEquals(
        "train.sh: line #: python: command not found",
        FailureSignature.of("starting\n/tmp/a1/train.sh: line 3: python: command not found\n\n"));
    assertEquals("", FailureSignature.exception("train.sh: line 3: python: command not found"));
  }

  @Test
  public void shouldPassOverWhatChangesFromStartToStart() {
    assertEquals(
        "at # pid #: lost",
        FailureSignature.of("at 2026-11-24 pid 4711: lost").replace("#-#-#", "#"));
    assertEquals(
        FailureSignature.of("Tue Nov 24 00:35:08 2026 peer 10.0.0.7:4711 (0x7f3a09) is gone"),
        FailureSignature.of("Wed Dec 2 11:05:59 2026 peer 10.0.12.9:80 (0x55d2) is gone"));
    assertEquals(
        FailureSignature.of("cannot open /tmp/tmpab12_x9q/model.bin"),
        FailureSignature.of("cannot open /tmp/tmpzz_91kfe/model.bin"));
    assertEquals(
        FailureSignature.of("run 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed"),
        FailureSignature.of("run 9a0c04e0-4f89-11d3-9a0c-0305e82cffff failed"));
  }

  @Test
  public void shouldBeNothingWhereNothingWasWritten() {
    assertEquals("", FailureSignature.of(""));
    assertEquals("", FailureSignature.of("\n  \n"));
    assertEquals("", FailureSignature.exception(""));
  }

  @Test
  public void shouldTakeNoTimeForALineThatIsMadeToTakeLong() {
    for (String part : new String[] {"a.", "/", "a/", "1,", "Error", "[", "tmpa", "0x", "a"}) {
      assertTrue(FailureSignature.of(part.repeat(500_000)).length() <= 10_000);
    }
  }
}
