package io.tony.eventlog;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** What a log is worth when its writer ends at any byte, or its file system fails for a while. */
public class LogFailuresTest {
  private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochSecond(1_000));
  private static final Duration PATIENT = Duration.ofMinutes(5);
  private static final Duration IMPATIENT = Duration.ofMillis(50);
  private static final long STANDING = System.nanoTime();

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final BlockingQueue<JobEvent> told = new LinkedBlockingQueue<>();
  private final CountDownLatch fenced = new CountDownLatch(1);
  private volatile boolean timeStands;
  private volatile boolean memoryIsShort;
  private FileSystem fs;
  private Path folder;

  @Before
  public void open() throws IOException {
    fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    folder = EventLog.folder(new Path(temporary.getRoot().toURI()), "application_1_0001");
  }

  /** By which the log's patience ends. */
  private long nanos() {
    if (memoryIsShort && Thread.currentThread().getName().equals("event-log")) {
      throw new OutOfMemoryError("Java heap space");
    }
    return timeStands ? STANDING : System.nanoTime();
  }

  private Duration idle = Duration.ofMillis(100); // of logs that are opened from now on

  private EventLog log(FileSystem on, int attempt, Duration patience) throws IOException {
    return log(on, attempt, patience, this::nanos);
  }

  private EventLog log(FileSystem on, int attempt, Duration patience, LongSupplier nanos)
      throws IOException {
    EventLog.Limits limits =
        new EventLog.Limits(
            Duration.ofSeconds(10),
            patience,
            Duration.ofSeconds(10),
            Duration.ofMillis(50),
            idle,
            nanos);
    EventLog log = EventLog.create(on, folder, attempt, CLOCK, fenced::countDown, limits);
    log.start(
        (first, lines) -> {
          for (String line : lines) {
            told.add(read(line));
          }
        });
    return log;
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
        Map.of("text", "größer\" , \"more\":true " + number));
  }

  private static List<JobEvent> events(int... numbers) {
    return IntStream.of(numbers).mapToObj(LogFailuresTest::event).toList();
  }

  private java.nio.file.Path local(String name) throws IOException {
    java.nio.file.Path local = java.nio.file.Path.of(folder.toUri());
    Files.createDirectories(local);
    return local.resolve(name);
  }

  private static List<JobEvent.Type> types(Iterable<JobEvent> events) {
    List<JobEvent.Type> types = new ArrayList<>();
    events.forEach(event -> types.add(event.type()));
    return types;
  }

  // ---- A writer that ends in the middle of a decision ----

  @Test
  public void shouldReadADecisionAsAWholeOrNotAtAllWhereverItsWriterEnded() throws IOException {
    try (EventLog log = log(fs, 1, PATIENT)) {
      log.record(events(1));
      log.record(events(2, 3, 4));
      log.record(events(5, 6));
    }
    byte[] bytes = Files.readAllBytes(local("events.jsonl"));
    String text = new String(bytes, StandardCharsets.UTF_8);
    int[] ends = new int[6];
    for (int i = 0, end = 0; i < ends.length; i++) {
      end = text.indexOf('\n', end) + 1;
      ends[i] = text.substring(0, end).getBytes(StandardCharsets.UTF_8).length;
    }
    Files.writeString(local("events-2.jsonl"), EventJson.write(event(7)) + "\n");

    for (int length = 0; length <= bytes.length; length++) {
      Files.write(local("events.jsonl"), Arrays.copyOf(bytes, length));
      List<JobEvent> expected = new ArrayList<>();
      // A line that lacks only its end is a line.
      expected.addAll(length >= ends[0] - 1 ? events(1) : List.of());
      expected.addAll(length >= ends[3] - 1 ? events(2, 3, 4) : List.of());
      expected.addAll(length >= ends[5] - 1 ? events(5, 6) : List.of());
      expected.addAll(events(7));
      assertEquals("cut at " + length, expected, WholeLog.read(fs, folder));
    }
  }

  @Test
  public void shouldTakeOverOnlyWholeDecisions() throws IOException {
    Files.writeString(
        local("events.jsonl"),
        EventJson.write(event(1)) + "\n" + EventJson.write(event(2), true) + "\n");

    try (EventLog log = log(fs, 2, PATIENT)) {
      assertEquals(events(1), EarlierEvents.of(log));
      assertEquals(1, log.earlierEventCount());
      log.record(events(3));
    }

    assertEquals(events(1, 3), WholeLog.read(fs, folder));
    assertEquals(events(1, 3), List.copyOf(told));
  }

  // ---- A file system that fails for a while ----

  @Test
  public void shouldGoOnInAnotherFileWhenOneCannotBeWritten() throws Exception {
    try (FlushGate gate = FlushGate.on(fs);
        EventLog log = log(gate.fileSystem(), 1, PATIENT)) {
      log.record(events(1, 2));
      gate.awaitFlush();
      log.record(events(3));
      gate.failAfterWriting(1);
      assertEquals(event(1), told.take());
      assertEquals(event(2), told.take());
      assertEquals(event(3), told.take());
      // The first file has what was written and not known to be: it counts once.
      assertEquals(2, Files.readAllLines(local("events.jsonl")).size());
      assertEquals(events(1, 2, 3), WholeLog.read(fs, folder));
      assertEquals(3, log.readableLineCount());
      assertEquals(events(2, 3), log.read(1, 1_000).stream().map(LogFailuresTest::read).toList());
    }
    assertEquals(3, Files.readAllLines(local("events.1.jsonl")).size());
    assertEquals(events(1, 2, 3), WholeLog.read(fs, folder));

    try (EventLog next = log(fs, 2, PATIENT)) {
      assertEquals(events(1, 2, 3), EarlierEvents.of(next));
      next.record(events(4));
    }
    assertEquals(events(1, 2, 3, 4), WholeLog.read(fs, folder));
  }

  @Test
  public void shouldLeaveNoFileBehindForEachTryThatFails() throws Exception {
    Files.writeString(local("probe-of-attempt-1"), "of a process that was killed");
    try (FlushGate gate = FlushGate.on(fs);
        EventLog log = log(gate.fileSystem(), 1, IMPATIENT)) {
      log.record(events(1));
      gate.awaitFlush();
      gate.fail();
      gate.awaitFailures(5);
      awaitToldOf(JobEvent.Type.LOG_BEHIND);
      gate.repair();
      awaitToldOf(JobEvent.Type.LOG_CAUGHT_UP);
    }
    assertEquals(
        List.of("events.1.jsonl", "events.jsonl"),
        Arrays.stream(java.nio.file.Path.of(folder.toUri()).toFile().list()).sorted().toList());
  }

  @Test
  public void shouldCloseEachFileThatItGivesUp() throws Exception {
    try (FlushGate gate = FlushGate.on(fs)) {
      try (EventLog log = log(gate.fileSystem(), 1, PATIENT)) {
        log.record(events(1));
        gate.awaitFlush();
        gate.fail();
        gate.awaitFailures(3);
        gate.repair();
        assertEquals(event(1), told.take());
      }
      awaitAllClosed(gate);
    }
  }

  private static void awaitAllClosed(FlushGate gate) {
    while (gate.unclosed() > 0) {
      Thread.onSpinWait(); // other threads close them
    }
  }

  @Test
  public void shouldReadBackLinesOfEachOfItsFiles() throws Exception {
    try (FlushGate gate = FlushGate.on(fs);
        EventLog log = log(gate.fileSystem(), 1, PATIENT)) {
      gate.open();
      log.record(events(1, 2));
      assertEquals(event(1), told.take());
      gate.failAfterWriting(1);
      log.record(events(3, 4));
      assertEquals(event(2), told.take());
      assertEquals(event(3), told.take());

      for (int number = 1; number <= 4; number++) {
        assertEquals(event(number), read(log.read(number - 1, 1).get(0)));
      }
    }
    assertEquals(2, Files.readAllLines(local("events.1.jsonl")).size());
  }

  @Test
  public void shouldKeepWhatCannotBeWrittenAndTellWhatThatMeans() throws Exception {
    try (FlushGate gate = FlushGate.on(fs);
        EventLog log = log(gate.fileSystem(), 1, IMPATIENT)) {
      timeStands = true;
      log.record(events(1, 2));
      CountDownLatch done = new CountDownLatch(1);
      log.runWhenDurable(done::countDown);
      gate.fail();
      gate.awaitFailures(2); // the first is known before the second
      timeStands = false;
      done.await();
      assertEquals(event(1), told.take());
      assertEquals(event(2), told.take());
      JobEvent behind = told.take();
      timeStands = true;
      assertEquals(JobEvent.Type.LOG_BEHIND, behind.type());
      assertEquals(CLOCK.instant(), behind.time());
      assertTrue(behind.toString(), behind.detail("message").contains("the data nodes are gone"));
      assertTrue(behind.toString(), behind.detail("message").contains(folder.toString()));
      log.record(events(3));
      assertEquals("at once, as long as it is behind", event(3), told.take());
      assertEquals(0, log.readableLineCount());

      gate.repair();

      assertEquals(JobEvent.Type.LOG_CAUGHT_UP, told.take().type());
      log.record(events(4));
    }

    assertEquals(
        List.of(
            JobEvent.Type.TASK_PROGRESS,
            JobEvent.Type.TASK_PROGRESS,
            JobEvent.Type.LOG_BEHIND,
            JobEvent.Type.TASK_PROGRESS,
            JobEvent.Type.LOG_CAUGHT_UP,
            JobEvent.Type.TASK_PROGRESS),
        types(WholeLog.read(fs, folder)));
  }

  /** Else it would say that it is written again, and the next failure would be another one. */
  @Test
  public void shouldBeBehindUntilAllIsWritten() throws Exception {
    try (FlushGate gate = FlushGate.on(fs);
        EventLog log = log(gate.fileSystem(), 1, IMPATIENT)) {
      log.record(events(1));
      gate.fail();
      awaitToldOf(JobEvent.Type.LOG_BEHIND);
      gate.hold();
      gate.awaitFlush();
      log.record(events(2));
      assertEquals(event(2), told.take());
      gate.repair();

      gate.openForOne(); // the probe
      gate.awaitFlush();
      gate.openForOne(); // the first event
      gate.awaitFlush(); // that of the second one

      log.record(events(3));
      assertEquals("at once: it is still behind", event(3), told.take());
      gate.open();
      assertEquals(JobEvent.Type.LOG_CAUGHT_UP, told.take().type());
    }
    assertEquals(
        List.of(
            JobEvent.Type.TASK_PROGRESS,
            JobEvent.Type.LOG_BEHIND,
            JobEvent.Type.TASK_PROGRESS,
            JobEvent.Type.TASK_PROGRESS,
            JobEvent.Type.LOG_CAUGHT_UP),
        types(WholeLog.read(fs, folder)));
  }

  /** The one before is over, and would lead whoever reads it astray. */
  @Test
  public void shouldTellWhyItIsBehindThisTime() throws Exception {
    try (FlushGate gate = FlushGate.on(fs);
        EventLog log = log(gate.fileSystem(), 1, IMPATIENT)) {
      log.record(events(1));
      gate.fail();
      awaitToldOf(JobEvent.Type.LOG_BEHIND);
      gate.repair();
      awaitToldOf(JobEvent.Type.LOG_CAUGHT_UP);
      log.record(events(2));
      assertEquals(event(2), told.take());

      gate.hold();
      log.record(events(3));

      assertEquals(event(3), told.take());
      String message = told.take().detail("message");
      assertTrue(message, message.contains("the file system does not answer"));
      gate.open();
    }
  }

  /** As where a thread of HDFS's client cannot be had: nobody else would write the log. */
  @Test
  public void shouldGoOnWritingWhereTheJvmLacksSomethingForAWhile() throws Exception {
    AtomicInteger lacks = new AtomicInteger(2);
    try (FlushGate gate = FlushGate.on(fs);
        EventLog log = log(gate.fileSystem(), 1, PATIENT)) {
      gate.afterCreation(
          file -> {
            if (lacks.getAndDecrement() > 0) {
              throw new OutOfMemoryError("unable to create native thread");
            }
          });
      log.record(events(1));
      gate.awaitFlush();
      gate.failAfterWriting(1);
      assertEquals(event(1), told.take());
      log.record(events(2));
    }
    assertEquals(events(1, 2), WholeLog.read(fs, folder));
    assertTrue(lacks.get() < 0);
  }

  /** In that time the file system may have answered: this process could not hear it. */
  @Test
  public void shouldNotTakeItsOwnStandstillForASilenceOfTheFileSystem() throws Exception {
    AtomicInteger looks = new AtomicInteger();
    LongSupplier stoodStill =
        () -> {
          boolean teller = Thread.currentThread().getName().equals("event-log-notifier");
          return teller ? looks.incrementAndGet() * PATIENT.toNanos() * 2 : System.nanoTime();
        };
    try (FlushGate gate = FlushGate.on(fs);
        EventLog log = log(gate.fileSystem(), 1, PATIENT, stoodStill)) {
      log.record(events(1));
      while (looks.get() < 3 && told.isEmpty()) {
        Thread.onSpinWait(); // at the third it knows of a standstill
      }
      assertEquals(List.of(), List.copyOf(told));
      gate.open();
      assertEquals(event(1), told.take());
    }
    assertEquals(events(1), WholeLog.read(fs, folder));
  }

  @Test
  public void shouldTellAndDoNothingBeforeItsPatienceEnds() throws Exception {
    try (FlushGate gate = FlushGate.on(fs);
        EventLog log = log(gate.fileSystem(), 1, PATIENT)) {
      log.record(events(1));
      CountDownLatch done = new CountDownLatch(1);
      log.runWhenDurable(done::countDown);
      gate.awaitFlush();
      gate.fail();
      gate.awaitFailures(5);
      assertTrue(told.isEmpty());
      assertEquals(1, done.getCount());

      gate.repair();

      done.await();
      assertEquals(events(1), List.copyOf(told));
    }
  }

  @Test
  public void shouldHoldUpNobodyWhileItTells() throws Exception {
    try (EventLog log = log(fs, 1, PATIENT)) {
      CountDownLatch telling = new CountDownLatch(1);
      CountDownLatch told = new CountDownLatch(1);
      log.runWhenDurable(
          () -> {
            telling.countDown();
            try {
              told.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      telling.await();

      log.record(events(1));

      while (log.readableLineCount() < 1) {
        Thread.onSpinWait(); // it is written meanwhile, which nobody is told
      }
      told.countDown();
    }
  }

  @Test
  public void shouldTellTheOthersWhenAStepFails() throws Exception {
    try (EventLog log = log(fs, 1, PATIENT)) {
      log.runWhenDurable(
          () -> {
            throw new IllegalStateException("as it should");
          });
      log.record(events(1));
      assertEquals(event(1), told.take());
    }
  }

  // ---- Events that are missing ----

  @Test
  public void shouldReadNothingBehindAHole() throws Exception {
    Files.writeString(local("events.jsonl"), EventJson.write(event(1)) + "\n");
    Files.writeString(
        local("events.2.jsonl"), EventJson.withNumber(EventJson.write(event(5)), 4) + "\n");

    assertEquals(events(1), WholeLog.read(fs, folder));
    try (EventLog log = log(fs, 2, PATIENT)) {
      assertEquals(
          "events.2.jsonl begins with event 4 of the job, and the files before it have 1",
          log.missing());
      assertEquals(events(1), EarlierEvents.of(log));
      log.record(events(6));
    }
    assertEquals(events(1, 6), WholeLog.read(fs, folder));
    try (EventLog log = log(fs, 3, PATIENT)) {
      assertEquals("", log.missing());
    }
  }

  @Test
  public void shouldReadBackAnyLine() throws Exception {
    int count = 2_000;
    try (EventLog log = log(fs, 1, PATIENT)) {
      for (int number = 0; number < count / 2; number++) {
        log.record(events(number));
      }
    }
    try (EventLog log = log(fs, 2, PATIENT)) {
      for (int number = count / 2; number < count; number++) {
        log.record(events(number));
      }
      while (log.readableLineCount() < count) {
        Thread.onSpinWait();
      }
      for (int from = 0; from < count; from += 37) {
        List<JobEvent> read = log.read(from, 300).stream().map(LogFailuresTest::read).toList();
        assertFalse(read.isEmpty());
        assertTrue(read.size() < 5);
        assertEquals(
            IntStream.range(from, from + read.size()).mapToObj(LogFailuresTest::event).toList(),
            read);
      }
      assertThrows(IndexOutOfBoundsException.class, () -> log.read(count, 1));
    }
  }

  // ---- A later ApplicationMaster ----

  @Test
  public void shouldWriteAndTellNothingOnceALaterApplicationMasterHasBegun() throws Exception {
    try (FlushGate gate = FlushGate.on(fs)) {
      idle = Duration.ofHours(1); // else it may see the other before it has anything to write
      EventLog first = log(gate.fileSystem(), 1, PATIENT);
      CountDownLatch done = new CountDownLatch(1);
      try (EventLog second = log(fs, 2, PATIENT)) {
        first.record(events(1));
        first.runWhenDurable(done::countDown);
        gate.awaitFlush();
        gate.failAfterWriting(1); // as HDFS refuses it whose lease was recovered

        fenced.await();

        second.record(events(2));
        assertEquals(event(2), told.take());
      }
      first.record(events(3));
      first.close();
      assertTrue(told.isEmpty());
      assertEquals(1, done.getCount());
      assertFalse(Files.readString(local("events.1.jsonl")).contains("text"));
    }
  }

  /** Its process ends then, and the next one goes on from what is written. */
  @Test
  public void shouldTellNothingThatItDoesNotLiveToWrite() throws Exception {
    try (FlushGate gate = FlushGate.on(fs)) {
      EventLog log = log(gate.fileSystem(), 1, PATIENT);
      log.record(events(1));
      gate.awaitFlush();
      log.record(events(2));
      log.runWhenDurable(() -> told.add(event(3)));
      memoryIsShort = true;
      gate.open();

      log.close();

      assertEquals(events(1), WholeLog.read(fs, folder));
      assertTrue(told.toString(), events(1).containsAll(told));
    }
  }

  /** One that is cut off from YARN, say, and still has its executors. */
  @Test
  public void shouldSeeALaterApplicationMasterWhileItHasNothingToWrite() throws Exception {
    EventLog first = log(fs, 1, PATIENT);
    first.record(events(1));
    assertEquals(event(1), told.take());
    create(2);

    fenced.await();

    first.runWhenDurable(() -> told.add(event(2)));
    first.close();
    assertTrue("it does nothing any more", told.isEmpty());
  }

  /** It is to let go of the executors then, and not only when it would look again. */
  @Test
  public void shouldKnowThatItIsFencedAsSoonAsItSeesALaterApplicationMaster() throws Exception {
    AtomicReference<Thread> writer = new AtomicReference<>();
    AtomicInteger asked = new AtomicInteger();
    LongSupplier idleOnce =
        () -> {
          if (!Thread.currentThread().getName().equals("event-log")) {
            return 0;
          }
          writer.set(Thread.currentThread());
          return asked.incrementAndGet() < 2 ? 0 : PATIENT.toNanos();
        };
    FileSystem slow =
        new FilterFileSystem(fs) {
          @Override
          public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
            while (Thread.currentThread().getName().equals("event-log-ownership")
                && (asked.get() < 4 || writer.get().getState() != Thread.State.TIMED_WAITING)) {
              Thread.onSpinWait(); // until it waits again to have something to write
            }
            return super.listStatusIterator(path);
          }
        };
    EventLog.Limits limits =
        new EventLog.Limits(PATIENT, PATIENT, PATIENT, PATIENT, PATIENT, idleOnce);
    try (EventLog first = EventLog.create(slow, folder, 1, CLOCK, fenced::countDown, limits)) {
      create(2);
      first.start((number, lines) -> {});

      fenced.await();
    }
  }

  /** It begins after this one has looked for it, and before this one writes. */
  @Test
  public void shouldSeeALaterApplicationMasterThatBeginsWhileItRolls() throws Exception {
    try (FlushGate gate = FlushGate.on(fs)) {
      EventLog first = log(gate.fileSystem(), 1, PATIENT);
      gate.afterCreation(
          file -> {
            if (file.getName().equals("events.1.jsonl")) {
              create(2);
            }
          });
      first.record(events(1));
      gate.awaitFlush();
      gate.failAfterWriting(1);

      fenced.await();

      first.close();
      assertTrue(told.isEmpty());
      awaitAllClosed(gate);
    }
  }

  @Test
  public void shouldWriteNothingBeforeItKnowsThatNoLaterApplicationMasterHasBegun()
      throws Exception {
    try (FlushGate gate = FlushGate.on(fs)) {
      EventLog log = log(gate.fileSystem(), 1, PATIENT);
      gate.afterCreation(
          file -> {
            if (file.getName().equals("events.1.jsonl")) {
              gate.failNextLook();
            }
          });
      log.record(events(1));
      gate.awaitFlush();
      gate.failAfterWriting(1);

      assertEquals(event(1), told.take());
      log.close();
      awaitAllClosed(gate);
    }
    assertEquals("", Files.readString(local("events.1.jsonl")));
    assertEquals(1, Files.readAllLines(local("events.2.jsonl")).size());
    assertEquals(events(1), WholeLog.read(fs, folder));
  }

  private void create(int attempt) {
    try {
      EventLog.create(fs, folder, attempt, CLOCK, () -> {});
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  public void shouldNotBeginWhenALaterApplicationMasterHas() throws IOException {
    create(3);

    IOException refused = assertThrows(IOException.class, () -> log(fs, 2, PATIENT));

    assertTrue(refused.toString(), refused.getMessage().contains("later ApplicationMaster"));
  }

  private void awaitToldOf(JobEvent.Type type) throws InterruptedException {
    while (told.take().type() != type) {
      // others come before it
    }
  }
}
