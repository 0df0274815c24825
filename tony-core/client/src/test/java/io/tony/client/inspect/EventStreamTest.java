package io.tony.client.inspect;

import static org.junit.Assert.assertEquals;

import io.tony.event.Fact;
import io.tony.event.TaskFact;
import io.tony.eventlog.LogTail;
import io.tony.history.RecordedJobs;
import io.tony.model.TaskId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

public class EventStreamTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final List<String> given = new ArrayList<>();
  private EventStream lines;
  private boolean ended;

  @Before
  public void begin() throws IOException {
    FileSystem fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    Path log = new Path(new Path(folder.getRoot().toURI()), RecordedJobs.id(1));
    lines = new EventStream(new LogTail(fs, log), (line, event) -> given.add(line));
    RecordedJobs.write(folder.getRoot().toPath(), 1, RecordedJobs.begin(1));
  }

  @Test
  public void shouldGiveWhatIsThere() throws Exception {
    assertEquals(4, lines.read());
    assertEquals(0, lines.read());
    assertEquals(4, given.size());
  }

  @Test
  public void shouldGoOnUntilTheEndIsRecorded() throws Exception {
    lines.follow(
        () -> ended,
        wait -> {
          assertEquals("one pause", 4, given.size());
          try {
            RecordedJobs.write(folder.getRoot().toPath(), 1, RecordedJobs.end(0.5));
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });

    assertEquals(8, given.size());
  }

  /** A job that YARN ends cannot record it. */
  @Test
  public void shouldEndWithTheApplicationWhereNoEndIsRecorded() throws Exception {
    lines.follow(() -> ended, wait -> ended = true);

    assertEquals(4, given.size());
  }

  /** A program that reads along is to get news of a job that has become busy without delay. */
  @Test
  public void shouldLookSeldomWhileNothingComesAndOftenAgainOnceSomethingDoes() throws Exception {
    List<Duration> waits = new ArrayList<>();
    int quiet = 100;
    lines.follow(
        () -> ended,
        wait -> {
          waits.add(wait);
          if (waits.size() == quiet) {
            write(new TaskFact.Progressed(new TaskId("worker", 0), "step 1"));
          } else if (waits.size() == quiet + 1) {
            ended = true;
          }
        });

    assertEquals(Duration.ofMillis(300), waits.get(0));
    assertEquals(Duration.ofSeconds(5), waits.get(quiet - 1));
    assertEquals(Duration.ofMillis(300), waits.get(quiet));
    assertEquals(5, given.size());
  }

  private void write(Fact fact) {
    try {
      RecordedJobs.write(folder.getRoot().toPath(), 1, List.of(fact));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
