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
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
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
  private static final Duration CLOSE = Duration.ofMillis(500);

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
    return within(on, limits(CLOSE, Duration.ofMillis(50)));
  }

  private EventLog within(FileSystem on, EventLog.Limits limits) throws IOException {
    return started(EventLog.create(on, folder, 1, CLOCK, () -> fenced.add(1), limits));
  }

  private static EventLog.Limits limits(Duration close, Duration patience) {
    return new EventLog.Limits(
        close,
        patience,
        Duration.ofSeconds(10),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
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
      assertEquals(1, next.earlierEventCount());
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
  public void shouldTakeADecisionOfNothingForNone() throws IOException {
    try (EventLog log = log(1)) {
      log.record(List.of());
      log.record(List.of(event(1)));
    }

    assertEquals(List.of(event(1)), WholeLog.read(fs, folder));
  }

  @Test
  public void shouldGiveAReaderWhatItDoesNotHaveYet() throws IOException {
    write(1, 1, 2, 3);
    List<JobEvent> given = new ArrayList<>();

    assertEquals(3, EventLog.read(fs, folder, 1, given::add));

    assertEquals(List.of(event(2), event(3)), given);
  }

  // ---- Its end ----

  @Test
  public void shouldCloseItsFileAndNotTakeItsEndForALoss() throws IOException {
    try (FlushGate gate = FlushGate.on(fs)) {
      gate.open();
      EventLog log = started(create(gate.fileSystem(), 1));
      log.record(List.of(event(1)));
      assertEquals(1, gate.unclosed());

      log.close();

      assertEquals(0, gate.unclosed());
      assertEquals(List.of(), List.copyOf(fenced));
    }
  }

  @Test
  public void shouldLeaveNoFileOpenWhereItMayNotBegin() throws IOException {
    write(3, 1);
    try (FlushGate gate = FlushGate.on(fs)) {
      assertThrows(IOException.class, () -> create(gate.fileSystem(), 2));

      while (gate.unclosed() > 0) {
        Thread.onSpinWait(); // another thread closes it
      }
    }
  }

  @Test
  public void shouldWaitAtItsEndForThoseWhoAreToldUpToALimit() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    EventLog log = impatient(fs);
    log.runWhenDurable(
        () -> {
          try {
            busy.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    long begin = System.nanoTime();

    log.close();

    assertTrue(Duration.ofNanos(System.nanoTime() - begin).compareTo(CLOSE) >= 0);
    busy.countDown();
  }

  @Test
  public void shouldNotWaitAtItsEndWhenItIsInterrupted() throws Exception {
    try (FlushGate gate = FlushGate.on(fs)) {
      EventLog log = within(gate.fileSystem(), limits(Duration.ofHours(1), Duration.ofHours(1)));
      log.record(List.of(event(1)));
      gate.awaitFlush();
      Thread.currentThread().interrupt();

      log.close();

      assertTrue(Thread.interrupted());
    }
  }

  /** Not even where the file system does not answer. */
  @Test
  public void shouldKeepNoProcessAlive() throws Exception {
    try (FlushGate gate = FlushGate.on(fs)) {
      List<EventLog> logs = new ArrayList<>();
      Thread program = new Thread(() -> logs.add(unchecked(() -> create(gate.fileSystem(), 1))));
      program.setDaemon(false); // as the thread of main is, and those that it begins
      program.start();
      program.join();
      started(logs.get(0)).record(List.of(event(1)));
      gate.awaitFlush();

      List<Thread> threads =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> thread.getName().startsWith("event-log"))
              .toList();

      assertTrue(threads.toString(), threads.size() >= 2);
      assertEquals(List.of(), threads.stream().filter(thread -> !thread.isDaemon()).toList());
    }
  }

  private static <T> T unchecked(Callable<T> step) {
    try {
      return step.call();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  public void shouldEndItsThreadsWithoutAFailure() throws Exception {
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
    try {
      write(1, 1); // it is closed
      EventLog second =
          started(EventLog.create(fs, folder, 2, CLOCK, () -> fenced.add(2), limits(CLOSE, CLOSE)));
      write(3);
      assertEquals(2, fenced.take().intValue());
      second.close();
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    assertEquals(List.of(), List.copyOf(failures));
  }

  // ---- While it is open ----

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

  /** Of a job of months, the page of the job does not get all. */
  @Test
  public void shouldTellTheLastOfWhatWasWrittenEarlier() throws Exception {
    int count = 1_500;
    List<JobEvent> events = IntStream.range(0, count).mapToObj(EventLogTest::event).toList();
    try (EventLog log = create(fs, 1)) {
      log.start((first, lines) -> {});
      log.record(events);
    }
    List<Long> begins = new ArrayList<>();

    try (EventLog log = create(fs, 2)) {
      log.start(
          (first, lines) -> {
            begins.add(first);
            told.addAll(lines);
          });
      log.record(List.of(event(count)));
    }

    assertEquals(List.of(500L, (long) count), begins);
    assertEquals(1_001, told.size());
    assertEquals(event(500), EventJson.read(told.take()));
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
    return within(gate.fileSystem(), limits(Duration.ofMillis(50), Duration.ofMinutes(1)));
  }

  /** What another ApplicationMaster does not find, nobody may know of. */
  @Test
  public void shouldTellNothingThatIsNotWrittenWhenItIsLeftToTheNext() throws Exception {
    try (FlushGate gate = FlushGate.on(fs)) {
      EventLog log = slow(gate);
      log.record(List.of(event(1)));
      log.runWhenDurable(() -> fenced.add(1));
      gate.awaitFlush();

      log.closeForTakeover();

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
