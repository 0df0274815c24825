package io.tony.history;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;

import io.tony.eventlog.ApplicationLiveness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.security.AccessControlException;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ExpiredLogsTest {
  private static final Duration KEPT = Duration.ofDays(30);

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final Map<String, ApplicationLiveness> yarn = new HashMap<>();
  private final List<String> asked = new ArrayList<>();
  private final List<String> tried = new ArrayList<>();
  private final Set<String> kept = new HashSet<>();
  private final Set<String> strange = new HashSet<>();
  private Instant now = Instant.parse("2027-11-23T12:00:00Z");
  private boolean away;
  private Path ada;
  private Path bob;
  private HistoryIndex index;
  private ExpiredLogCleanup old;

  @Before
  public void begin() throws IOException {
    ada = Files.createDirectories(folder.getRoot().toPath().resolve("ada/.tony/history"));
    bob = Files.createDirectories(folder.getRoot().toPath().resolve("bob/.tony/history"));
  }

  @After
  public void close() throws IOException {
    index.close();
  }

  /** The local file system, of which some folders may not be deleted. */
  private final class Guarded extends FilterFileSystem {
    Guarded() throws IOException {
      super(FileSystem.getLocal(new Configuration()).getRawFileSystem());
    }

    @Override
    public boolean delete(org.apache.hadoop.fs.Path path, boolean recursive) throws IOException {
      tried.add(path.getName());
      if (kept.contains(path.getName())) {
        throw new AccessControlException("Permission denied");
      }
      return super.delete(path, recursive);
    }
  }

  private void ended(Path history, int number, Duration age) throws IOException {
    RecordedJobs.writeEnded(history, number);
    age(history, number, age);
  }

  private void age(Path history, int number, Duration age) throws IOException {
    Path log = history.resolve(RecordedJobs.id(number));
    List<Path> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(log)) {
      files.forEach(all::add);
    }
    all.add(log);
    for (Path file : all) {
      Files.setLastModifiedTime(file, FileTime.from(now.minus(age)));
    }
  }

  private void open() throws Exception {
    FileSystem fs = new Guarded();
    index =
        new HistoryIndex(fs, List.of(folder.getRoot() + "/*/.tony/history"), null, 2, () -> now);
    index.update();
    old = new ExpiredLogCleanup(fs, index, KEPT, this::find, () -> now);
  }

  private ApplicationLiveness find(String application) throws IOException {
    asked.add(application);
    if (away) {
      throw new IOException("the ResourceManager is away");
    }
    if (strange.contains(application)) {
      throw new IllegalArgumentException("no id of an application");
    }
    return yarn.getOrDefault(application, ApplicationLiveness.UNKNOWN);
  }

  private static Set<String> ids(int... numbers) {
    return IntStream.of(numbers)
        .mapToObj(RecordedJobs::id)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> left(Path history) throws IOException {
    try (Stream<Path> folders = Files.list(history)) {
      return folders
          .map(path -> path.getFileName().toString())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  public void shouldDeleteTheLogsOfAllUsersThatEndedLongAgo() throws Exception {
    ended(ada, 1, KEPT.plusDays(1));
    ended(ada, 2, KEPT.minusDays(1));
    ended(bob, 3, KEPT.plusDays(300));
    open();

    assertEquals(2, old.deleteExpired().deletedCount());

    assertEquals(ids(2), left(ada));
    assertEquals(ids(), left(bob));
    assertEquals("none that is young", ids(1, 3), new TreeSet<>(asked));
    assertEquals(2, index.update().removedCount());
    assertEquals(0, old.deleteExpired().deletedCount());
  }

  @Test
  public void shouldKeepWhatIsAliveWrittenOrNoLog() throws Exception {
    Duration longAgo = KEPT.plusDays(300);
    for (int number = 1; number <= 5; number++) {
      ended(ada, number, longAgo);
    }
    yarn.put(RecordedJobs.id(1), ApplicationLiveness.ALIVE);
    yarn.put(RecordedJobs.id(5), ApplicationLiveness.ENDED);
    Files.createFile(ada.resolve(RecordedJobs.id(2)).resolve("model.bin"));
    age(ada, 2, longAgo);
    Path written = ada.resolve(RecordedJobs.id(3)).resolve("events.jsonl");
    Files.setLastModifiedTime(written, FileTime.from(now.minus(Duration.ofDays(1))));
    RecordedJobs.write(ada, 6, RecordedJobs.begin(6)); // runs, or is lost
    age(ada, 6, longAgo);
    yarn.put(RecordedJobs.id(6), ApplicationLiveness.ALIVE);
    Files.createDirectories(ada.resolve("notes"));
    open();

    assertEquals(2, old.deleteExpired().deletedCount());

    Set<String> rest = ids(1, 2, 3, 6);
    rest.add("notes");
    assertEquals(rest, left(ada));
  }

  @Test
  public void shouldDoSoMuchOnlyAtEachLook() throws Exception {
    for (int number = 1; number <= ExpiredLogCleanup.MAX_FOLDERS_PER_PASS + 20; number++) {
      ended(ada, number, KEPT.plusDays(number));
    }
    yarn.put(
        RecordedJobs.id(ExpiredLogCleanup.MAX_FOLDERS_PER_PASS + 20),
        ApplicationLiveness.ALIVE); // the oldest
    open();

    assertEquals(ExpiredLogCleanup.MAX_FOLDERS_PER_PASS - 1, old.deleteExpired().deletedCount());
    assertEquals(20, old.deleteExpired().deletedCount());
    assertEquals(ids(ExpiredLogCleanup.MAX_FOLDERS_PER_PASS + 20), left(ada));
  }

  @Test
  public void shouldSayOnceWhatItMayNotDeleteAndTryAgainAfterADay() throws Exception {
    ended(ada, 1, KEPT.plusDays(2));
    ended(bob, 2, KEPT.plusDays(1));
    kept.add(RecordedJobs.id(1));
    open();

    ExpiredLogCleanup.DeletionResult first = old.deleteExpired();
    assertEquals(1, first.deletedCount());
    assertEquals(
        List.of(RecordedJobs.id(1)),
        first.refused().stream().map(org.apache.hadoop.fs.Path::getName).toList());
    index.update();
    assertEquals(List.of(), old.deleteExpired().refused());
    assertEquals(1, tried.stream().filter(RecordedJobs.id(1)::equals).count());

    now = now.plus(Duration.ofHours(25));
    assertEquals("said before", List.of(), old.deleteExpired().refused());
    assertEquals(2, tried.stream().filter(RecordedJobs.id(1)::equals).count());

    now = now.plus(Duration.ofHours(25));
    kept.clear();
    assertEquals(1, old.deleteExpired().deletedCount());
  }

  @Test
  public void shouldDeleteNothingUntilYarnAnswers() throws Exception {
    ended(ada, 1, KEPT.plusDays(1));
    ended(ada, 2, KEPT.plusDays(1));
    away = true;
    open();

    assertNotNull(old.deleteExpired().error());
    assertNull("said once", old.deleteExpired().error());
    assertEquals("one question at a look", 2, asked.size());
    assertEquals(ids(1, 2), left(ada));

    away = false;
    now = now.plus(Duration.ofMinutes(11));
    assertEquals(2, old.deleteExpired().deletedCount());
    ended(ada, 3, KEPT.plusDays(1));
    index.update();
    away = true;
    assertNotNull("it answered meanwhile", old.deleteExpired().error());
  }

  /** Whatever it is: one user's log keeps nobody else's. */
  @Test
  public void shouldGoOnBehindALogThatIsInTheWay() throws Exception {
    ended(ada, 1, KEPT.plusDays(9));
    ended(bob, 2, KEPT.plusDays(1));
    strange.add(RecordedJobs.id(1));
    open();
    assertNotNull(old.deleteExpired().error());
    assertEquals(1, old.deleteExpired().deletedCount());
    assertEquals(ids(1), left(ada));
    assertEquals(ids(), left(bob));
  }

  @Test
  public void shouldTakeNoFolderForAnApplicationWhoseNumbersAreTooLarge() throws Exception {
    for (String name : List.of("application_1_9999999999", "application_9999999999999999999_1")) {
      Files.move(
          aged(bob, 1), Files.createDirectories(ada).resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }
    ended(bob, 2, KEPT.plusDays(1));
    open();
    assertEquals(1, index.update().jobCount());
  }

  private Path aged(Path history, int number) throws IOException {
    ended(history, number, KEPT.plusDays(1));
    return history.resolve(RecordedJobs.id(number));
  }

  /** Its owner's next job deletes, too. */
  @Test
  public void shouldPassOverALogThatIsGone() throws Exception {
    ended(ada, 1, KEPT.plusDays(1));
    open();
    Files.delete(ada.resolve(RecordedJobs.id(1)).resolve("events.jsonl"));
    Files.delete(ada.resolve(RecordedJobs.id(1)));

    assertEquals(new ExpiredLogCleanup.DeletionResult(0, List.of(), null), old.deleteExpired());
  }
}
