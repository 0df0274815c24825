package io.tony.eventlog;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.process.ScarceKernel;
import io.tony.process.ScarceSystem;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** The life of a log in which one thread cannot be had, each in its turn. */
public class LogShortageTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_000);
  private static final InstantSource CLOCK = InstantSource.fixed(NOW);

  /** Two for good, one for each file that failed, and those that look whose the log is. */
  private static final int THREADS = 6;

  private static final List<JobEvent> EVENTS =
      List.of(new JobEvent(NOW, JobEvent.Type.TASK_PROGRESS, 0, null, Map.of("text", "1/2")));

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(120);

  /** It begins with all of its threads, or not at all; what it has taken is written and told. */
  @Test
  public void shouldWriteAndTellAllOrNotBeginWhicheverThreadCannotBeHad() throws Exception {
    List<String> outcomes = new ArrayList<>();
    for (int first = 1; first <= THREADS; first++) {
      ScarceKernel kernel = ScarceKernel.withoutThreads(first, 1);
      outcomes.add(ScarceSystem.under(kernel, () -> live(kernel)));
    }

    assertEquals(
        List.of("event-log", "event-log-notifier", "told", "told", "told", "told"), outcomes);
  }

  private String live(ScarceKernel kernel) throws Exception {
    FileSystem fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    Path folder = EventLog.folder(new Path(temporary.newFolder().toURI()), "application_1_0001");
    EventLog.Limits limits =
        new EventLog.Limits(
            Duration.ofSeconds(10),
            Duration.ofMinutes(5),
            Duration.ofSeconds(10),
            Duration.ofMillis(50),
            Duration.ofMillis(5),
            System::nanoTime);
    CountDownLatch told = new CountDownLatch(EVENTS.size());
    try (FlushGate gate = FlushGate.on(fs);
        EventLog log = EventLog.create(gate.fileSystem(), folder, 1, CLOCK, () -> {}, limits)) {
      log.start((from, lines) -> lines.forEach(line -> told.countDown()));
      log.record(EVENTS);
      gate.fail();
      gate.awaitFailures(2);
      gate.repair();
      told.await();
      while (kernel.threads() < THREADS) {
        Thread.sleep(5); // nobody tells
      }
    } catch (IOException e) {
      assertTrue(e.toString(), e.getMessage().startsWith("no thread can be had for "));
      return e.getMessage().replaceFirst("no thread can be had for ([^:]*):.*", "$1");
    }
    List<JobEvent> written = new ArrayList<>();
    WholeLog.read(fs, folder).forEach(written::add);
    assertEquals(EVENTS, written);
    return "told";
  }
}
