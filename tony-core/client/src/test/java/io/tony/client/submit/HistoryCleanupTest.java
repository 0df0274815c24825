package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.application.YarnLookup;
import io.tony.eventlog.ApplicationLiveness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class HistoryCleanupTest {
  private static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");
  private static final Duration KEPT = Duration.ofDays(30);

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private FileSystem fs;
  private String user;

  @Before
  public void open() throws IOException {
    fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    user = fs.getFileStatus(history()).getOwner();
  }

  private Path history() {
    return new Path(temporary.getRoot().toURI());
  }

  private static String id(int number) {
    return "application_1700000000000_%04d".formatted(number);
  }

  /** A folder with a log, last written so long ago, that was begun a hundred days before. */
  private void log(String name, Duration age) throws IOException {
    java.nio.file.Path folder = temporary.newFolder(name).toPath();
    java.nio.file.Path log = Files.createFile(folder.resolve("events.jsonl"));
    Files.setLastModifiedTime(log, FileTime.from(NOW.minus(age)));
    Files.setLastModifiedTime(folder, FileTime.from(NOW.minus(age).minus(Duration.ofDays(100))));
  }

  private Set<String> left() throws IOException {
    return Arrays.stream(fs.listStatus(history()))
        .map(FileStatus::getPath)
        .map(Path::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void sweep(Duration retention, YarnLookup scheduler) {
    new HistoryCleanup(fs, history(), retention, user, scheduler, () -> NOW, () -> 0).sweep();
  }

  @Test
  public void shouldDeleteTheLogsOfJobsThatEndedBefore() throws IOException {
    log(id(1), KEPT.plusHours(1));
    log(id(2), KEPT.minusHours(1));
    log(id(3), KEPT.plusDays(300));

    sweep(KEPT, id -> ApplicationLiveness.ENDED);

    assertEquals(Set.of(id(2)), left());
  }

  @Test
  public void shouldKeepTheLogOfAJobThatIsAlive() throws IOException {
    log(id(1), KEPT.plusDays(300));
    log(id(2), KEPT.plusDays(300));

    sweep(KEPT, id -> id.getId() == 1 ? ApplicationLiveness.ALIVE : ApplicationLiveness.ENDED);

    assertEquals(Set.of(id(1)), left());
  }

  @Test
  public void shouldKeepAllUnlessAsked() throws IOException {
    log(id(1), Duration.ofDays(3_000));

    sweep(Duration.ZERO, id -> ApplicationLiveness.ENDED);

    assertEquals(Set.of(id(1)), left());
  }

  /**
   * Whoever follows the job may still read it; and one that YARN does not know may be elsewhere.
   */
  @Test
  public void shouldKeepAnyLogForAWhile() throws IOException {
    log(id(1), Duration.ofMinutes(59));
    log(id(2), Duration.ofMinutes(61));
    log(id(3), Duration.ofDays(6));
    log(id(4), Duration.ofDays(8));

    sweep(
        Duration.ofSeconds(1),
        id -> id.getId() < 3 ? ApplicationLiveness.ENDED : ApplicationLiveness.UNKNOWN);

    assertEquals(Set.of(id(1), id(3)), left());
  }

  @Test
  public void shouldLeaveWhatIsNoLogOfThisUser() throws IOException {
    log("notes", KEPT.plusDays(300));
    log("application_x", KEPT.plusDays(300));
    Path file = new Path(history(), id(7));
    fs.create(file).close();
    fs.setTimes(file, 0, -1);
    Set<String> all = left();

    sweep(KEPT, id -> ApplicationLiveness.ENDED);
    assertEquals(all, left());

    log(id(1), KEPT.plusDays(300));
    user = "somebody-else";
    sweep(KEPT, id -> ApplicationLiveness.ENDED);
    assertTrue(left().contains(id(1)));
  }

  @Test
  public void shouldDoSoMuchOnlyForOneSubmission() throws IOException {
    for (int number = 0; number < HistoryCleanup.MAX_CHECKS + 20; number++) {
      log(id(number), KEPT.plusDays(300));
    }
    AtomicInteger asked = new AtomicInteger();
    for (int left : List.of(20, 0)) {
      sweep(
          KEPT,
          id -> {
            asked.incrementAndGet();
            return ApplicationLiveness.ENDED;
          });

      assertEquals(left, left().size());
    }
    assertEquals(HistoryCleanup.MAX_CHECKS + 20, asked.get());
  }

  @Test
  public void shouldDeleteNothingWhenYarnDoesNotAnswer() throws IOException {
    log(id(1), KEPT.plusDays(300));

    sweep(
        KEPT,
        id -> {
          throw new YarnException("the ResourceManager is away");
        });

    assertEquals(Set.of(id(1)), left());
  }

  @Test
  public void shouldDoNothingWhereThereIsNoHistory() throws IOException {
    new HistoryCleanup(
            fs, new Path(history(), "none"), KEPT, user, id -> ApplicationLiveness.ENDED, () -> NOW)
        .sweep();

    assertEquals(Set.of(), left());
  }

  @Test
  public void shouldKeepAFolderWithAnythingElse() throws IOException {
    for (int number = 1; number < 5; number++) {
      log(id(number), KEPT.plusDays(300));
    }
    add(id(1), "model.bin");
    add(id(2), "events-2.1.jsonl");
    add(id(3), "probe-of-attempt-2");
    fs.mkdirs(new Path(history(), id(4) + "/events-2.jsonl"));
    age(id(4));

    sweep(KEPT, id -> ApplicationLiveness.ENDED);

    assertEquals(Set.of(id(1), id(4)), left());
  }

  private void add(String folder, String file) throws IOException {
    java.nio.file.Path path = temporary.getRoot().toPath().resolve(folder).resolve(file);
    Files.createFile(path);
    Files.setLastModifiedTime(path, FileTime.from(NOW.minus(KEPT.plusDays(300))));
    age(folder);
  }

  private void age(String folder) throws IOException {
    Files.setLastModifiedTime(
        temporary.getRoot().toPath().resolve(folder), FileTime.from(NOW.minus(KEPT.plusDays(300))));
  }

  /** The file system, with as many folders of young logs before those that are there. */
  private FileSystem behind(int others, String owner) {
    return new FilterFileSystem(fs) {
      @Override
      public RemoteIterator<FileStatus> listStatusIterator(Path folder) throws IOException {
        RemoteIterator<FileStatus> real = fs.listStatusIterator(folder);
        if (!folder.equals(history())) {
          return real;
        }
        int[] given = {0};
        return new RemoteIterator<>() {
          @Override
          public boolean hasNext() throws IOException {
            return given[0] < others || real.hasNext();
          }

          @Override
          public FileStatus next() throws IOException {
            return given[0]++ < others
                ? new FileStatus(
                    0, true, 1, 0, NOW.toEpochMilli(), 0, null, owner, "", new Path(folder, id(1)))
                : real.next();
          }
        };
      }
    };
  }

  private void sweep(FileSystem listed, LongSupplier nanos) {
    new HistoryCleanup(
            listed, history(), KEPT, user, id -> ApplicationLiveness.ENDED, () -> NOW, nanos)
        .sweep();
  }

  @Test
  public void shouldReachItsLogsBehindThoseOfOthers() throws IOException {
    log(id(2), KEPT.plusDays(300));

    sweep(behind(HistoryCleanup.MAX_ENTRIES, user), () -> 0);
    assertEquals(Set.of(id(2)), left());

    sweep(behind(HistoryCleanup.MAX_ENTRIES, "somebody-else"), () -> 0);
    assertEquals(Set.of(), left());
  }

  @Test
  public void shouldTakeAMomentHoweverManyOthersThereAre() throws IOException {
    log(id(2), KEPT.plusDays(300));
    AtomicLong seconds = new AtomicLong(Long.MAX_VALUE / 1_000_000_000);

    sweep(
        behind(10, "somebody-else"),
        () -> Duration.ofSeconds(1).toNanos() * seconds.getAndIncrement());

    assertEquals(Set.of(id(2)), left());
  }
}
