package io.tony.eventlog;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Which files are deleted, also when somebody renames folders at the same time. */
public class LogRetentionTest {
  private static final Duration RETENTION = Duration.ofDays(30);

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private FileSystem fs;
  private Path log;

  @Before
  public void open() throws IOException {
    fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    log = temporary.newFolder("application_1_0001").toPath();
    Files.createFile(log.resolve("events.jsonl"));
    Files.createFile(log.resolve("events-2.jsonl"));
  }

  /** {@code meanwhile} is what happens between the look at the files and their deletion. */
  private boolean deleteIfOld(Runnable meanwhile) throws IOException {
    LogRetention rule =
        new LogRetention(
            fs,
            RETENTION,
            application -> {
              meanwhile.run();
              return ApplicationLiveness.ENDED;
            },
            () -> Instant.now().plus(RETENTION).plus(RETENTION));
    FileStatus folder = fs.getFileStatus(new org.apache.hadoop.fs.Path(log.toUri()));
    return rule.deleteIfExpired(folder);
  }

  @Test
  public void shouldDeleteALogWithAllItsFiles() throws IOException {
    assertTrue(deleteIfOld(() -> {}));

    assertEquals(0, temporary.getRoot().list().length);
  }

  @Test
  public void shouldDeleteNothingThatIsMovedInAtTheLastMoment() throws IOException {
    Path models = temporary.newFolder("models").toPath();
    Files.createFile(Files.createDirectory(models.resolve("v1")).resolve("weights"));
    Files.createFile(models.resolve("weights"));

    assertThrows(
        IOException.class,
        () ->
            deleteIfOld(
                () -> {
                  try {
                    Files.move(log, temporary.getRoot().toPath().resolve("aside"));
                    Files.move(models, log);
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                }));

    assertTrue(Files.exists(log.resolve("v1/weights")));
    assertTrue(Files.exists(log.resolve("weights")));
    assertFalse(Files.exists(models));
  }

  @Test
  public void shouldDeleteALogWithTheProbeOfAnApplicationMaster() throws IOException {
    Files.createFile(log.resolve("probe-of-attempt-2"));

    assertTrue(deleteIfOld(() -> {}));
  }

  @Test
  public void shouldKeepAFolderThatHoldsSomethingElse() throws IOException {
    for (String other : List.of("notes.txt", "events.jsonl.tmp")) {
      Path note = Files.createFile(log.resolve(other));
      assertFalse(other, deleteIfOld(() -> {}));
      Files.delete(note);
    }
    Files.createDirectory(log.resolve("events-3.jsonl"));

    assertFalse("a folder", deleteIfOld(() -> {}));

    assertTrue(Files.exists(log.resolve("events.jsonl")));
  }

  @Test
  public void shouldDeleteNoMoreFilesThanALogHas() throws IOException {
    for (int attempt = 3; attempt <= LogFile.MAX_FILES + 1; attempt++) {
      Files.createFile(log.resolve("events-" + attempt + ".jsonl"));
    }
    assertFalse(deleteIfOld(() -> {}));
    Files.delete(log.resolve("events-3.jsonl"));

    assertTrue(deleteIfOld(() -> {}));
  }

  /** As HDFS shows it: the file has the time when its writing began, which is long ago. */
  @Test
  public void shouldKeepALogThatIsBeingWritten() throws IOException {
    fs = new Leases(log.resolve("events-2.jsonl"));
    assertFalse(deleteIfOld(() -> {}));
    fs = new Leases(log.resolve("events-3.jsonl"));

    assertTrue(deleteIfOld(() -> {}));
  }

  @Test
  public void shouldNotMindAFileThatSomebodyElseDeletes() throws IOException {
    assertTrue(
        deleteIfOld(
            () -> {
              try {
                Files.delete(log.resolve("events-2.jsonl"));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }));
  }

  /** Some file systems only say that nothing was deleted. */
  @Test
  public void shouldSayWhatItMayNotDelete() throws IOException {
    for (String kept : List.of("events-2.jsonl", log.getFileName().toString())) {
      fs =
          new FilterFileSystem(FileSystem.getLocal(new Configuration()).getRawFileSystem()) {
            @Override
            public boolean delete(org.apache.hadoop.fs.Path path, boolean recursive)
                throws IOException {
              return !path.getName().equals(kept) && super.delete(path, recursive);
            }
          };

      AccessDeniedException denied =
          assertThrows(AccessDeniedException.class, () -> deleteIfOld(() -> {}));

      assertTrue(denied.getMessage(), denied.getMessage().endsWith(kept));
    }
  }

  /** Of HDFS it has that one file is open. */
  private static final class Leases extends RawLocalFileSystem implements LeaseRecoverable {
    private final Path open;

    Leases(Path open) throws IOException {
      this.open = open;
      initialize(open.toUri(), new Configuration());
    }

    @Override
    public boolean recoverLease(org.apache.hadoop.fs.Path path) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isFileClosed(org.apache.hadoop.fs.Path path) {
      return !path.getName().equals(open.getFileName().toString());
    }
  }
}
