package io.tony.executor.program;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.protocol.ReportLimits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.Test;

/** On outputs that were recorded of real programs: {@code src/test/resources}. */
public class StackTest {
  private static Stack recorded(String name) throws IOException {
    try (InputStream in = StackTest.class.getResourceAsStream(name)) {
      return Stack.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /** The library's own waits are where every program may stand; another thread is not the main. */
  @Test
  public void shouldFindTheInnermostCallThatIsNotOfPythonsLibrary() throws IOException {
    for (String name : List.of("faulthandler.txt", "py-spy.txt")) {
      Stack stack = recorded(name);
      assertEquals(name, "read (stuck.py:4)", stack.place());
      assertEquals(5, stack.frames().size());
      assertFalse(stack.isLauncher());
      assertEquals(
          List.of("  <module> (stuck.py:14)", "  stuck (stuck.py:7)", "  read (stuck.py:4)"),
          stack.lines(10));
      assertEquals(List.of("  read (stuck.py:4)"), stack.lines(1));
    }
  }

  @Test
  public void shouldFindTheCallOfAPackageThatIsNotPythonsOwn() throws IOException {
    assertEquals(
        "all_reduce (distributed_c10d.py:1541)", recorded("faulthandler-all-reduce.txt").place());
  }

  @Test
  public void shouldFindTheMainThreadOfAJvm() throws IOException {
    Stack stack = recorded("jvm.txt");
    assertEquals("waitForPeer (Stuck.java:12)", stack.place());
    assertEquals(List.of("  main (Stuck.java:8)", "  waitForPeer (Stuck.java:12)"), stack.lines(2));
  }

  @Test
  public void shouldFindTheThreadThatWorksWhereTheMainThreadHasEnded() throws IOException {
    assertEquals("read (Pool.java:12)", recorded("jvm-pool.txt").place());
  }

  @Test
  public void shouldTellTheInnermostCallWhereAllAreOfTheLibrary() {
    Stack stack =
        Stack.parse(
            """
            Current thread 0x00007fc3851c1b80 (most recent call first):
              File "/usr/lib/python3.11/threading.py", line 327 in wait
              File "/usr/lib/python3.11/threading.py", line 1583 in _shutdown
            """);
    assertEquals("wait (threading.py:327)", stack.place());
  }

  @Test
  public void shouldKnowAProcessThatOnlyWatchesOthers() {
    String file = "/venv/lib/python3.11/site-packages/torch/distributed/elastic/agent/api.py";
    Stack stack =
        Stack.parse("Thread 7 (idle): \"MainThread\"\n    Agent._invoke_run (" + file + ":850)\n");
    assertTrue(stack.isLauncher());
    assertEquals("_invoke_run (api.py:850)", stack.place());
  }

  /** A program may print what it likes. */
  @Test
  public void shouldNotBeMisledByWhatIsNoStack() {
    for (String text :
        List.of(
            "",
            "killed\n",
            "  File \"train.py\", line 3 in read\n",
            "\"main\" #1 prio=5\n\tat nothing\n",
            "x".repeat(100_000) + "\n")) {
      Stack stack = Stack.parse(text);
      assertFalse(text, stack.isKnown());
      assertEquals("", stack.place());
      assertEquals(List.of(), stack.lines(3));
    }
    String name = "f".repeat(900);
    Stack stack =
        Stack.parse(
            "Thread 7 (idle): \"MainThread\"\n    "
                + name
                + " (a.py:1)\n    g ("
                + name
                + ".py:1)");
    assertEquals(ReportLimits.MAX_HANG_LOCATION_CHARS, stack.place().length());
  }
}
