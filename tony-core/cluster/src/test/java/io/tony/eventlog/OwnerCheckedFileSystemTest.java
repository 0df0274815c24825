package io.tony.eventlog;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A log is believed only where it is the user's whose job it tells of. */
public class OwnerCheckedFileSystemTest {
  private static final String ID = "application_1_0001";
  private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochSecond(1_000));
  private static final JobEvent EVENT =
      new JobEvent(
          Instant.ofEpochSecond(1), JobEvent.Type.TASK_PROGRESS, 0, null, Map.of("text", "one"));

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final Configuration conf = new Configuration();

  private FileSystem fs() throws IOException {
    return FileSystem.get(temporary.getRoot().toURI(), conf);
  }

  private Path folder() {
    return EventLog.folder(new Path(temporary.getRoot().toURI()), ID);
  }

  private EventLog create(int attempt) throws IOException {
    return EventLog.create(fs(), folder(), attempt, CLOCK, () -> {});
  }

  private void write(String name) throws IOException {
    java.nio.file.Path folder = temporary.getRoot().toPath().resolve(ID);
    Files.createDirectories(folder);
    Files.writeString(folder.resolve(name), EventJson.write(EVENT) + "\n");
  }

  private static String self() throws IOException {
    return UserGroupInformation.getCurrentUser().getShortUserName();
  }

  private List<String> tail(String user) throws IOException {
    List<String> lines = new ArrayList<>();
    new LogTail(new OwnerCheckedFileSystem(fs(), user), folder())
        .read((line, event) -> lines.add(line));
    return lines;
  }

  private void assertRefused(String user) {
    ForeignLogException one =
        assertThrows(
            ForeignLogException.class,
            () -> WholeLog.read(new OwnerCheckedFileSystem(fs(), user), folder()));
    ForeignLogException two = assertThrows(ForeignLogException.class, () -> tail(user));
    for (ForeignLogException refused : List.of(one, two)) {
      assertTrue(
          refused.getMessage(),
          refused.getMessage().contains(ID)
              && refused.getMessage().contains(" belongs to mallory and not to " + user));
      assertTrue(refused.getMessage(), refused.getMessage().contains("tony.history.location"));
    }
  }

  @Test
  public void shouldReadTheLogOfTheUser() throws IOException {
    write("events.jsonl");

    assertEquals(List.of(EVENT), WholeLog.read(new OwnerCheckedFileSystem(fs(), self()), folder()));
    assertEquals(List.of(EventJson.write(EVENT)), tail(self()));
  }

  @Test
  public void shouldNotReadALogInTheFolderOfAStranger() throws IOException {
    write("events.jsonl");
    SharedFolder.give(conf, ID, "mallory");

    assertRefused(self());
    assertRefused("bob");
  }

  @Test
  public void shouldNotReadTheFileOfAStranger() throws IOException {
    write("events.jsonl");
    write("events-2.jsonl");
    SharedFolder.give(conf, "events-2.jsonl", "mallory");

    assertRefused(self());
  }

  @Test
  public void shouldBelieveTheUserWhomTheApplicationIsOf() throws IOException {
    write("events.jsonl");
    SharedFolder.give(conf, ID, "bob");
    SharedFolder.give(conf, "events.jsonl", "bob");

    assertEquals(List.of(EVENT), WholeLog.read(new OwnerCheckedFileSystem(fs(), "bob"), folder()));
  }

  @Test
  public void shouldBelieveAStoreThatNamesWhoeverAsksOrNobody() throws IOException {
    write("events.jsonl");
    SharedFolder.give(conf, ID, "");

    assertEquals(
        "as S3", List.of(EVENT), WholeLog.read(new OwnerCheckedFileSystem(fs(), "bob"), folder()));
  }

  /** The user who reads, whatever a store calls others; and who has that user's home. */
  @Test
  public void shouldBelieveTheReaderAndTheOwnerOfTheReadersHome() throws IOException {
    write("events.jsonl");
    temporary.newFolder("home");
    SharedFolder.give(conf, ID, self());
    SharedFolder.give(conf, "events.jsonl", "keeper");
    assertThrows(
        ForeignLogException.class,
        () -> WholeLog.read(new OwnerCheckedFileSystem(withHome("home"), "bob"), folder()));

    SharedFolder.give(conf, "home", "keeper");

    assertEquals(
        List.of(EVENT),
        WholeLog.read(new OwnerCheckedFileSystem(withHome("home"), "bob"), folder()));
  }

  private FileSystem withHome(String name) throws IOException {
    return new FilterFileSystem(fs()) {
      @Override
      public Path getHomeDirectory() {
        return new Path(new Path(temporary.getRoot().toURI()), name);
      }
    };
  }

  @Test
  public void shouldRefuseAStrangersLogAlsoWhereTheReaderHasNoHome() throws IOException {
    write("events.jsonl");
    SharedFolder.give(conf, ID, "mallory");
    FileSystem homeless = withHome("no-such-folder");

    assertThrows(
        ForeignLogException.class,
        () -> WholeLog.read(new OwnerCheckedFileSystem(homeless, self()), folder()));
  }

  /** The folder may be shared by a group, which notes something there. */
  @Test
  public void shouldNotMindWhatAStrangerHasBesideTheLog() throws IOException {
    write("events.jsonl");
    write("notes.txt");
    SharedFolder.give(conf, "notes.txt", "mallory");

    assertEquals(List.of(EVENT), WholeLog.read(new OwnerCheckedFileSystem(fs(), self()), folder()));
  }

  @Test
  public void shouldSeeNoLogWhereThereIsNone() throws IOException {
    assertEquals(List.of(), WholeLog.read(new OwnerCheckedFileSystem(fs(), "bob"), folder()));
    assertEquals(List.of(), tail("bob"));
  }

  @Test
  public void shouldNotReadTheFileOfAStrangerThatComesWhileTheLogIsFollowed() throws IOException {
    SharedFolder.give(conf, "other", "nobody");
    List<String> lines = new ArrayList<>();
    LogTail tail = new LogTail(new OwnerCheckedFileSystem(fs(), self()), folder());
    write("events.jsonl");
    tail.read((line, event) -> lines.add(line));

    write("events-2.jsonl");
    SharedFolder.give(conf, "events-2.jsonl", "mallory");

    assertThrows(ForeignLogException.class, () -> tail.read((line, event) -> lines.add(line)));
    assertEquals(List.of(EventJson.write(EVENT)), lines);
  }

  @Test
  public void shouldNotWriteInTheFolderOfAStranger() throws IOException {
    temporary.newFolder(ID);
    SharedFolder.give(conf, ID, "mallory");

    ForeignLogException refused = assertThrows(ForeignLogException.class, () -> create(1));

    assertTrue(refused.getMessage(), refused.getMessage().contains(" belongs to mallory and not"));
  }

  @Test
  public void shouldNotGoOnFromTheLogOfAStranger() throws IOException {
    write("events.jsonl");
    SharedFolder.give(conf, "events.jsonl", "mallory");

    assertThrows(ForeignLogException.class, () -> create(2));
  }

  @Test
  public void shouldWriteAndGoOnWhateverTheFileSystemCallsThisUser() throws IOException {
    for (String name : List.of(ID, "events.jsonl", "events-2.jsonl")) {
      SharedFolder.give(conf, name, "8a0b7c62-object-id");
    }
    write("events.jsonl");

    try (EventLog second = create(2)) {
      second.start((first, lines) -> {});
      assertEquals(List.of(EVENT), EarlierEvents.of(second));
    }
  }

  /** Some stores show a file only when it is closed: then the user is who Hadoop says it is. */
  @Test
  public void shouldGoOnFromTheUsersLogOnlyWhereItsOwnFileCannotBeSeenYet() throws IOException {
    write("events.jsonl");
    try (EventLog second = EventLog.create(lateToShow(2), folder(), 2, CLOCK, () -> {})) {
      assertEquals(List.of(EVENT), EarlierEvents.of(second));
      second.start((first, lines) -> {});
    }
    SharedFolder.give(conf, "events.jsonl", "mallory");

    FileSystem late = lateToShow(3);
    assertThrows(
        ForeignLogException.class, () -> EventLog.create(late, folder(), 3, CLOCK, () -> {}));
  }

  private FileSystem lateToShow(int attempt) throws IOException {
    return new FilterFileSystem(fs()) {
      @Override
      public FileStatus getFileStatus(Path path) throws IOException {
        if (path.equals(LogFile.of(folder(), attempt, 0).path())) {
          throw new FileNotFoundException(path.toString());
        }
        return super.getFileStatus(path);
      }
    };
  }

  // ---- A folder in which the user may not write ----

  /** As HDFS refuses it: for the lowest folder that is there. */
  private String denial(Path folder) throws IOException {
    FileSystem denying =
        new FilterFileSystem(fs()) {
          @Override
          public boolean mkdirs(Path path) throws IOException {
            throw new AccessControlException("Permission denied: user=bob");
          }
        };
    return assertThrows(
            ForeignLogException.class, () -> EventLog.create(denying, folder, 1, CLOCK, () -> {}))
        .getMessage();
  }

  @Test
  public void shouldSayWhoseFolderKeepsItsLogFromBeingWritten() throws IOException {
    String history = temporary.newFolder("history").getName();
    Path inHistory = new Path(new Path(temporary.getRoot().toURI()), history + "/bob/" + ID);
    SharedFolder.give(conf, history, "hdfs");

    String above = denial(inHistory);

    assertTrue(above, above.contains(self() + " may not write in "));
    assertTrue(above, above.contains("/history, which belongs to hdfs."));

    temporary.newFolder(ID);
    String own = denial(folder());
    assertTrue(own, own.contains(self() + " may not write in " + folder()));
    SharedFolder.give(conf, ID, "mallory");
    String strangers = denial(folder());
    assertTrue(strangers, strangers.contains(" belongs to mallory and not to " + self() + "."));
  }
}
