package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.client.input.LocalFile;
import io.tony.client.input.Sha256;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class HashCacheTest {
  private static final String NOTED = "f".repeat(64);

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private FileSystem fs;
  private Path folder;
  private java.nio.file.Path file;

  @Before
  public void open() throws IOException {
    fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    folder = new Path(temporary.newFolder("notes").toURI());
    file = temporary.newFile("large").toPath();
    resize(16 << 20);
  }

  private void resize(long bytes) throws IOException {
    try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
      large.setLength(bytes);
    }
  }

  /** As it is some time after the last change of the file. */
  private String hash(Duration later) throws IOException {
    return new HashCache(fs, folder, () -> Instant.now().plus(later))
        .getOrCompute(LocalFile.of(file));
  }

  private FileStatus[] notes() throws IOException {
    return fs.listStatus(folder);
  }

  /** So that one can tell a hash that was remembered from one that was computed. */
  private void mark() throws IOException {
    assertEquals(1, notes().length);
    Files.writeString(java.nio.file.Path.of(notes()[0].getPath().toUri()), NOTED);
  }

  @Test
  public void shouldNotReadAFileTwice() throws IOException {
    assertEquals(Sha256.of(LocalFile.of(file)), hash(Duration.ofMinutes(1)));
    assertEquals("rw-------", notes()[0].getPermission().toString());
    mark();

    assertEquals(NOTED, hash(Duration.ofMinutes(1)));
  }

  @Test
  public void shouldReadAFileThatWasWrittenTo() throws IOException {
    hash(Duration.ofMinutes(1));
    mark();
    FileTime modified = Files.getLastModifiedTime(file);
    try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
      large.write(1);
    }
    Files.setLastModifiedTime(file, modified); // as cp -p and rsync do

    assertEquals(Sha256.of(LocalFile.of(file)), hash(Duration.ofMinutes(1)));
  }

  @Test
  public void shouldNotTrustANoteThatIsNotComplete() throws IOException {
    hash(Duration.ofMinutes(1));
    mark();
    Files.writeString(java.nio.file.Path.of(notes()[0].getPath().toUri()), "ff");

    assertNotEquals("ff", hash(Duration.ofMinutes(1)));
    assertEquals(Sha256.of(LocalFile.of(file)), hash(Duration.ofMinutes(1)));
  }

  @Test
  public void shouldNoteNothingOfAFileThatMayYetChangeOrIsSmall() throws IOException {
    hash(Duration.ofSeconds(1));
    resize(1 << 20);
    hash(Duration.ofMinutes(1));

    assertEquals(0, notes().length);
  }

  @Test
  public void shouldEndWhenItIsInterrupted() {
    Thread.currentThread().interrupt();
    assertThrows(ClosedByInterruptException.class, () -> hash(Duration.ZERO));
    assertTrue("as a cancelled upload expects", Thread.interrupted());
  }
}
