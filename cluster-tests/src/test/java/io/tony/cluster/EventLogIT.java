package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.eventlog.EventJson;
import io.tony.eventlog.EventLog;
import io.tony.eventlog.WholeLog;
import io.tony.model.JobEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** The event log on a real HDFS: what its leases and its quotas do to it. */
public class EventLogIT extends ClusterTest {
  @Rule public final Timeout limit = Timeout.seconds(180);

  private final BlockingQueue<JobEvent> told = new LinkedBlockingQueue<>();
  private final CountDownLatch fenced = new CountDownLatch(1);
  private FileSystem fs;
  private FileSystem ofTheNext; // another process has another lease holder
  private Path log;

  @Before
  public void open() throws IOException {
    fs = cluster().fileSystem();
    ofTheNext = cluster().fileSystem();
    log = EventLog.folder(new Path(fs.getHomeDirectory(), "history-of-test"), "application_1_1");
  }

  @After
  public void delete() throws IOException {
    fs.delete(log.getParent(), true);
    fs.close();
    ofTheNext.close();
  }

  private EventLog started(FileSystem on, int attempt, BlockingQueue<JobEvent> whom)
      throws IOException {
    EventLog started = EventLog.create(on, log, attempt, InstantSource.system(), fenced::countDown);
    started.start((first, lines) -> lines.forEach(line -> whom.add(read(line))));
    return started;
  }

  private static JobEvent read(String line) {
    try {
      return EventJson.read(line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JobEvent event(int number) {
    return new JobEvent(
        Instant.ofEpochSecond(number),
        JobEvent.Type.TASK_PROGRESS,
        0,
        null,
        Map.of("text", "step " + number));
  }

  @Test
  public void shouldTakeTheFileFromAPredecessorThatWasOnlyPaused() throws Exception {
    EventLog first = started(fs, 1, told);
    first.record(List.of(event(1), event(2)));
    assertEquals(event(1), told.take());
    assertEquals(event(2), told.take());

    try (EventLog second = started(ofTheNext, 2, new LinkedBlockingQueue<>())) {
      assertTrue(((LeaseRecoverable) fs).isFileClosed(new Path(log, "events.jsonl")));
      List<JobEvent> earlier = new ArrayList<>();
      second.readEarlier(earlier::add);
      assertEquals(List.of(event(1), event(2)), earlier);
      CountDownLatch done = new CountDownLatch(1);

      first.record(List.of(event(3)));
      first.runWhenDurable(done::countDown);

      fenced.await();
      second.record(List.of(event(4)));
      first.close();
      assertEquals("it has reported nothing more", List.of(), List.copyOf(told));
      assertEquals(1, done.getCount());
    }
    assertEquals(List.of(event(1), event(2), event(4)), WholeLog.read(fs, log));
  }

  @Test
  public void shouldKeepWhatAFullQuotaRefusesAndWriteItLater() throws Exception {
    try (EventLog first = started(fs, 1, told)) {
      fs.setQuota(log, Long.MAX_VALUE, 1024); // the first is left as it is
      first.record(List.of(event(1), event(2)));

      // After a minute.
      assertEquals(event(1), told.take());
      assertEquals(event(2), told.take());
      JobEvent behind = told.take();
      assertEquals(JobEvent.Type.LOG_BEHIND, behind.type());
      assertTrue(behind.toString(), behind.detail("message").contains("DSQuotaExceeded"));
      assertEquals(List.of(), WholeLog.read(ofTheNext, log));

      fs.setQuota(log, Long.MAX_VALUE, -1); // none

      assertEquals(JobEvent.Type.LOG_CAUGHT_UP, told.take().type());
      first.record(List.of(event(3)));
    }
    assertEquals(
        List.of(
            event(1).type(),
            event(2).type(),
            JobEvent.Type.LOG_BEHIND,
            JobEvent.Type.LOG_CAUGHT_UP,
            event(3).type()),
        WholeLog.read(fs, log).stream().map(JobEvent::type).toList());
    assertEquals(
        List.of("events.1.jsonl", "events.jsonl"),
        Arrays.stream(fs.listStatus(log)).map(file -> file.getPath().getName()).sorted().toList());
  }
}
