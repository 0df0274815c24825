package io.tony.load;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * What a task costs its ApplicationMaster, in counts, which no other program on the machine
 * changes. A number that a change makes better is to be lowered here. {@code benchmarks/scale} has
 * the times.
 */
public class LoadTest {
  private static final int TASKS = 100;

  /**
   * A registration and its start, with all that was said to log in and 20 bytes of each address.
   */
  private static final long BYTES_PER_START = 5_050;

  private static final long BYTES_PER_RESTART = 4_450;

  private static final long BYTES_PER_WAIT = 250;

  private static final int EVENTS_PER_START = 3;

  /** The JVM's own are among them, and two are room for those of another JDK. */
  private static final int THREADS = 28;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private Load load;

  @Before
  public void startLoad() throws IOException {
    load =
        new Load(
            Map.of(
                "tony.worker.instances", Integer.toString(TASKS),
                "tony.worker.command", "true",
                "tony.application.framework", "standalone",
                "tony.gang.max-restarts", "1",
                // None comes within the test.
                "tony.task.heartbeat-interval-ms", "1h"),
            folder.getRoot().toPath(),
            folder.newFolder("history").toURI().toString(),
            LoadRun.masterOptions(""));
  }

  @After
  public void stopLoad() throws IOException {
    load.close();
  }

  /** Without those of calls that were held for 20 s and made again, as on a slow machine. */
  private long bytes(int waits) {
    int again = load.executors.awaited.get() - waits;
    return load.swarm.bytesSent.get() + load.swarm.bytesReceived.get() - again * BYTES_PER_WAIT;
  }

  private static int number(String name, String json) {
    Matcher matcher = Pattern.compile("\"" + name + "\":(\\d+)").matcher(json);
    assertTrue(json, matcher.find());
    return Integer.parseInt(matcher.group(1));
  }

  @Test
  public void shouldCostEachTaskNoMoreThanItDid() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    Executors executors = load.executors;
    load.startMaster(1);
    load.await("the gang", 0, () -> executors.started.get() == TASKS);
    String stats = load.stats(false);

    assertEquals(TASKS, executors.tally.calls("login"));
    assertEquals(TASKS, executors.tally.calls("register"));
    assertEquals(TASKS, executors.tally.calls("started"));
    assertEquals(3L * TASKS, executors.tally.calls());
    // For its start, and then for what may come; again after 20 s, which a slow machine may need.
    int again = executors.awaited.get() - 2 * TASKS;
    long seconds = (System.nanoTime() - begin) / 1_000_000_000;
    assertAtMost("calls that are held again", seconds / 20 * TASKS, again);
    assertAtMost("bytes of a start", BYTES_PER_START, bytes(2 * TASKS) / TASKS);
    assertAtMost("threads", THREADS, number("threads", stats));

    long before = bytes(2 * TASKS);
    executors.started.set(0);
    load.swarm.execute(() -> executors.exit("worker", 7, 1));
    load.await("the restart", 0, () -> executors.started.get() == TASKS);

    assertEquals(TASKS, executors.tally.calls("login"));
    assertEquals(2L * TASKS, executors.tally.calls("register"));
    assertEquals(2L * TASKS, executors.tally.calls("started"));
    assertEquals(1, executors.tally.calls("exited"));
    assertAtMost("bytes of a restart", BYTES_PER_RESTART, (bytes(4 * TASKS) - before) / TASKS);

    load.swarm.execute(executors::exitAll);
    assertEquals("SUCCEEDED", load.finished());
    load.await("the client", 0, load.follower::finished);
    // The job's beginning and end, and the restart: a few more.
    assertAtMost("events", 2 * EVENTS_PER_START * TASKS + 10, load.follower.lines());
    assertEquals(0, executors.lost.get());
  }

  private static void assertAtMost(String what, long limit, long actual) {
    assertTrue(what + ": " + actual + ", and not more than " + limit, actual <= limit);
  }
}
