package io.tony.eventlog;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The log on Hadoop's local file system, without its checksums. */
public class EventLogTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private FileSystem fs;
  private Path file;

  @Before
  public void open() throws IOException {
    LocalFileSystem local = FileSystem.getLocal(new Configuration(false));
    fs = local.getRawFileSystem();
    file = EventLog.file(new Path(folder.getRoot().toURI()), "application_1_0001");
  }

  private static JobEvent event(int number) {
    return new JobEvent(
        Instant.ofEpochSecond(number),
        JobEvent.Type.TASK_PROGRESS,
        0,
        new TaskId("worker", 0),
        Map.of("text", "Schritt " + number + "\nвторая {строка}"));
  }

  private java.nio.file.Path local() {
    return java.nio.file.Path.of(file.toUri());
  }

  @Test
  public void shouldKeepEveryEventInOrder() throws IOException {
    List<JobEvent> events = new ArrayList<>();
    try (EventLog log = EventLog.create(fs, file)) {
      for (int number = 0; number < 5_000; number++) {
        events.add(event(number));
        log.append(EventJson.write(event(number)));
      }
    }

    assertEquals(events, EventLog.read(fs, file));
    assertEquals("events.jsonl", file.getName());
    assertEquals("application_1_0001", file.getParent().getName());
  }

  @Test
  public void shouldHaveWrittenEverythingWhenItIsClosed() throws IOException {
    EventLog log = EventLog.create(fs, file);
    log.append(EventJson.write(event(1)));
    log.append(EventJson.write(event(2)));

    log.close();

    assertEquals(
        EventJson.write(event(1)) + "\n" + EventJson.write(event(2)) + "\n",
        Files.readString(local()));
  }

  @Test
  public void shouldLeaveOutALastLineThatIsCutShort() throws IOException {
    String text = EventJson.write(event(1)) + "\n" + EventJson.write(event(2)) + "\n";
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Files.createDirectories(local().getParent());
    int first = EventJson.write(event(1)).getBytes(StandardCharsets.UTF_8).length + 1;

    for (int length = first; length <= bytes.length - 2; length++) {
      Files.write(local(), Arrays.copyOf(bytes, length));
      assertEquals("cut at " + length, List.of(event(1)), EventLog.read(fs, file));
    }
  }

  @Test
  public void shouldReadALastLineThatLacksOnlyItsEnd() throws IOException {
    Files.createDirectories(local().getParent());
    Files.writeString(local(), EventJson.write(event(1)));

    assertEquals(List.of(event(1)), EventLog.read(fs, file));
  }

  @Test
  public void shouldRefuseALineThatIsDamaged() throws IOException {
    Files.createDirectories(local().getParent());
    Files.writeString(local(), "{\"v\":1,\n" + EventJson.write(event(2)) + "\n");

    assertThrows(IOException.class, () -> EventLog.read(fs, file));
  }

  @Test
  public void shouldReadAnEmptyLog() throws IOException {
    EventLog.create(fs, file).close();

    assertEquals(List.of(), EventLog.read(fs, file));
  }

  @Test
  public void shouldNotOverwriteALogThatExists() throws IOException {
    EventLog.create(fs, file).close();

    assertThrows(IOException.class, () -> EventLog.create(fs, file));
  }

  /** What a restarted ApplicationMaster finds of one that was killed. */
  @Test(timeout = 10_000)
  public void shouldShowAReaderWhatWasAppendedBeforeItIsClosed() throws IOException {
    try (EventLog log = EventLog.create(fs, file)) {
      log.append(EventJson.write(event(1)));
      while (EventLog.read(fs, file).isEmpty()) {
        Thread.onSpinWait(); // the writer has a thread of its own, and tells nobody
      }
      assertEquals(List.of(event(1)), EventLog.read(fs, file));
    }
  }
}
