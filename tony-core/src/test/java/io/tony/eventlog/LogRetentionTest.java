package io.tony.eventlog;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.model.Known;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What is deleted when somebody renames folders at the same time. */
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
              return Known.ENDED;
            },
            () -> Instant.now().plus(RETENTION).plus(RETENTION));
    FileStatus folder = fs.getFileStatus(new org.apache.hadoop.fs.Path(log.toUri()));
    return rule.deleteIfOld(folder);
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
}
