package io.tony.eventlog;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** The log on Hadoop's local file system, without its checksums. */
public class EventLogTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochSecond(1_000));

  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final BlockingQueue<Integer> fenced = new LinkedBlockingQueue<>();
  private FileSystem fs;
  private Path folder;

  @Before
  public void open() throws IOException {
    LocalFileSystem local = FileSystem.getLocal(new Configuration());
    fs = local.getRawFileSystem();
    folder = EventLog.folder(new Path(temporary.getRoot().toURI()), "application_1_0001");
  }

  private EventLog log(int attempt) throws IOException {
    return started(create(fs, attempt));
  }

  private EventLog create(FileSystem on, int attempt) throws IOException {
    return EventLog.create(on, folder, attempt, CLOCK, () -> fenced.add(attempt));
  }

  /** One that has little patience. */
  private EventLog impatient(FileSystem on) throws IOException {
    return started(
        EventLog.create(
            on,
            folder,
            1,
            CLOCK,
            () -> fenced.add(1),
            limits(Duration.ofMillis(500), Duration.ofMillis(50))));
  }

  private static EventLog.Limits limits(Duration close, Duration patience) {
    return new EventLog.Limits(
        close,
        patience,
        Duration.ofSeconds(10),
        Duration.ofMillis(50),
        Duration.ofSeconds(10),
        System::nanoTime);
  }

  private EventLog started(EventLog log) throws IOException {
    log.start((first, lines) -> told.addAll(lines));
    return log;
  }

  private static JobEvent event(int number) {
    return new JobEvent(
        Instant.ofEpochSecond(number),
        JobEvent.Type.TASK_PROGRESS,
        0,
        new TaskId("worker", 0),
        Map.of("text", "Schritt " + number + "\nвторая {строка}"));
  }

  private static String line(int number) {
    return EventJson.write(event(number));
  }

  private void write(int attempt, int... numbers) throws IOException {
    try (EventLog log = log(attempt)) {
      for (int number : numbers) {
        log.record(List.of(event(number)));
      }
    }
  }

  private java.nio.file.Path local(String name) throws IOException {
    java.nio.file.Path local = java.nio.file.Path.of(folder.toUri());
    Files.createDirectories(local);
    return local.resolve(name);
  }

  @Test
  public void shouldKeepEveryEventInOrder() throws IOException {
    List<JobEvent> events = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    try (EventLog log = log(1)) {
      for (int number = 0; number < 5_000; number++) {
        events.add(event(number));
        lines.add(line(number));
        log.record(List.of(event(number)));
      }
    }

    assertEquals(events, WholeLog.read(fs, folder));
    assertEquals(lines, List.copyOf(told));
    assertEquals("application_1_0001", folder.getName());
  }

  @Test
  public void shouldHaveWrittenAndToldEverythingWhenItIsClosed() throws IOException {
    write(1, 1, 2);

    assertEquals(line(1) + "\n" + line(2) + "\n", Files.readString(local("events.jsonl")));
    assertEquals(List.of(line(1), line(2)), List.copyOf(told));
  }

  /** A failed program's last lines are in it. */
  @Test
  public void shouldBeReadableByItsOwnerAndTheGroupOnly() throws IOException {
    write(1, 1);

    assertEquals("rwxr-x---", fs.getFileStatus(folder).getPermission().toString());
    Path file = new Path(folder, "events.jsonl");
    assertEquals("rw-r-----", fs.getFileStatus(file).getPermission().toString());
  }

  @Test
  public void shouldLeaveOutALastLineThatIsCutShort() throws IOException {
    String text = line(1) + "\n" + line(2) + "\n";
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int first = line(1).getBytes(StandardCharsets.UTF_8).length + 1;
    Files.writeString(local("events-2.jsonl"), line(3) + "\n");

    for (int length = first; length <= bytes.length - 2; length++) {
      Files.write(local("events.jsonl"), Arrays.copyOf(bytes, length));
      assertEquals("cut at " + length, List.of(event(1), event(3)), WholeLog.read(fs, folder));
    }
  }

  @Test
  public void shouldReadALastLineThatLacksOnlyItsEnd() throws IOException {
    Files.writeString(local("events.jsonl"), line(1));

    assertEquals(List.of(event(1)), WholeLog.read(fs, folder));
  }

  /**
   * A disk was full in the middle of a write, and its stream wrote all once more when it was
   * closed: none of that was known to be written.
   */
  @Test
  public void shouldTakeAFileOverUpToALineThatIsDamaged() throws IOException {
    String torn = EventJson.write(event(2), true).substring(0, 20);
    String again = EventJson.write(event(2), true) + "\n" + line(3) + "\n";
    Files.writeString(local("events.jsonl"), line(1) + "\n" + torn + again);

    try (EventLog next = EventLog.create(fs, folder, 2, InstantSource.system(), () -> {})) {
      assertEquals(List.of(event(1)), EarlierEvents.of(next));
      assertEquals(1, next.earlierCount());
      next.start((first, lines) -> {});
      next.record(List.of(event(4)));
    }

    assertEquals(List.of(event(1), event(4)), WholeLog.read(fs, folder));
  }

  @Test
  public void shouldReadNothingWhereNothingWasWritten() throws IOException {
    assertEquals(List.of(), WholeLog.read(fs, folder));

    write(1);

    assertEquals(List.of(), WholeLog.read(fs, folder));
  }

  @Test
  public void shouldNotOverwriteALogThatExists() throws IOException {
    write(1);

    assertThrows(IOException.class, () -> create(fs, 1));
  }

  @Test
  public void shouldShowAReaderWhatWasToldBeforeItIsClosed() throws Exception {
    try (EventLog log = log(1)) {
      log.record(List.of(event(1)));
      assertEquals(line(1), told.take());
      assertEquals(List.of(event(1)), WholeLog.read(fs, folder));
    }
  }

  // ---- Several ApplicationMasters ----

  @Test
  public void shouldGoOnFromWhatEarlierApplicationMastersWrote() throws IOException {
    write(1, 1, 2);
    told.clear();
    write(3, 3);
    told.clear();
    // Never closed: its process was killed.
    Files.writeString(local("events-9.jsonl"), line(4) + "\n" + line(5).substring(0, 20));

    try (EventLog log = create(fs, 10)) {
      assertEquals(List.of(event(1), event(2), event(3), event(4)), EarlierEvents.of(log));
      started(log);
      log.record(List.of(event(6)));
    }

    assertEquals(List.of(line(1), line(2), line(3), line(4), line(6)), List.copyOf(told));
    assertEquals(
        List.of(event(1), event(2), event(3), event(4), event(6)), WholeLog.read(fs, folder));
    assertEquals(line(6) + "\n", Files.readString(local("events-10.jsonl")));
    assertEquals(line(3) + "\n", Files.readString(local("events-3.jsonl")));
  }

  @Test
  public void shouldPassOverWhatIsNoLog() throws IOException {
    write(1, 1);
    Files.writeString(local("events-2.jsonl.tmp"), "x\ny\n");
    Files.writeString(local("notes.txt"), "x\ny\n");

    assertEquals(List.of(event(1)), WholeLog.read(fs, folder));
  }

  // ---- A file system that is slow, or fails ----

  @Test
  public void shouldTellOfALineOnlyWhenItIsFlushed() throws Exception {
    try (FlushGate gate = FlushGate.on(fs);
        EventLog log = started(create(gate.fileSystem(), 1))) {
      log.record(List.of(event(1)));
      gate.awaitFlush();
      assertTrue(told.isEmpty());

      gate.open();

      assertEquals(line(1), told.take());
    }
  }

  @Test
  public void shouldTellOfLinesAlsoWhenTheyCannotBeWritten() throws Exception {
    try (FlushGate gate = FlushGate.on(fs);
        EventLog log = impatient(gate.fileSystem())) {
      log.record(List.of(event(1)));
      gate.awaitFlush();
      gate.fail();
      assertEquals(line(1), told.take());

      assertEquals(JobEvent.Type.LOG_BEHIND, EventJson.read(told.take()).type());
      log.record(List.of(event(2)));
      assertEquals(line(2), told.take());
    }
    assertEquals(List.of(), List.copyOf(told));
  }

  /** It closes within 50 ms, and its patience does not end. */
  private EventLog slow(FlushGate gate) throws IOException {
    return started(
        EventLog.create(
            gate.fileSystem(),
            folder,
            1,
            CLOCK,
            () -> fenced.add(1),
            limits(Duration.ofMillis(50), Duration.ofMinutes(1))));
  }

  /** What another ApplicationMaster does not find, nobody may know of. */
  @Test
  public void shouldTellNothingThatIsNotWrittenWhenItIsLeftToTheNext() throws Exception {
    try (FlushGate gate = FlushGate.on(fs)) {
      EventLog log = slow(gate);
      log.record(List.of(event(1)));
      log.afterwards(() -> fenced.add(1));
      gate.awaitFlush();

      log.leave();

      assertEquals(List.of(), List.copyOf(told));
      assertEquals("nothing was done", List.of(), List.copyOf(fenced));
    }
  }

  @Test
  public void shouldTellOfLinesAlsoWhenTheyAreNotWrittenInTime() throws Exception {
    try (FlushGate gate = FlushGate.on(fs)) {
      EventLog log = slow(gate);
      log.record(List.of(event(1)));
      gate.awaitFlush();
      log.record(List.of(event(2)));

      log.close();

      assertEquals(line(1), told.take());
      assertEquals(line(2), told.take());
    }
  }
}
