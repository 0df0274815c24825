package io.tony.container;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.model.Endpoint;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class StagingTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private FileSystem fs;
  private Staging staging;

  @Before
  public void create() throws IOException {
    fs = FileSystem.getLocal(new Configuration());
    staging = new Staging(fs, temporary.getRoot().toString(), "application_1_0001");
    staging.create();
  }

  @Test
  public void shouldTellWhereTheMasterIs() throws IOException {
    assertThrows(FileNotFoundException.class, () -> Staging.readMaster(fs, staging.master()));
    Endpoint first = new Endpoint("node-1.example.com", 40_000);

    staging.writeMaster(1, first, () -> true);

    assertEquals(first, Staging.readMaster(fs, staging.master()));
  }

  @Test
  public void shouldReplaceTheAddressOfAnEarlierMaster() throws IOException {
    staging.writeMaster(1, new Endpoint("node-1", 40_000), () -> true);
    Endpoint second = new Endpoint("node-2", 50_000);

    staging.writeMaster(2, second, () -> true);

    assertEquals(second, Staging.readMaster(fs, staging.master()));
    assertEquals("rw-------", fs.getFileStatus(staging.master()).getPermission().toString());
    assertEquals(
        "nothing else is left",
        "[master]",
        Arrays.toString(names(fs.listStatus(staging.folder()))));
  }

  @Test
  public void shouldTellWhereTheMasterIsAfterATryThatDidNotComeToItsEnd() throws IOException {
    staging.write(staging.master().suffix(".new-2")).close();
    Endpoint next = new Endpoint("node-2", 50_000);

    staging.writeMaster(2, next, () -> true);

    assertEquals(next, Staging.readMaster(fs, staging.master()));
  }

  /** The job may have ended, and tidied up, since. */
  @Test
  public void shouldNotBringTheFolderBack() throws IOException {
    staging.delete();

    assertThrows(
        IOException.class, () -> staging.writeMaster(1, new Endpoint("node-1", 1), () -> true));
    assertEquals(false, fs.exists(staging.folder()));
  }

  private static String[] names(FileStatus[] files) {
    return Arrays.stream(files).map(file -> file.getPath().getName()).toArray(String[]::new);
  }

  /** One that stood still while another one began. */
  @Test
  public void shouldLeaveTheAddressOfALaterMasterAsItIs() throws IOException {
    Endpoint later = new Endpoint("node-2", 40_002);
    staging.writeMaster(2, later, () -> true);

    assertFalse(staging.writeMaster(1, new Endpoint("node-1", 40_001), () -> false));

    assertEquals(later, Staging.readMaster(fs, staging.master()));
  }

  private final Endpoint earlier = new Endpoint("node-1", 40_001);
  private final Endpoint latest = new Endpoint("node-2", 40_002);

  private boolean writesOfTheEarlier(boolean believesItself) {
    try {
      return staging.writeMaster(1, earlier, () -> believesItself);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  public void shouldPublishItsOwnAddressWhileAnEarlierMasterWritesIts() throws IOException {
    assertTrue(staging.writeMaster(2, latest, () -> !writesOfTheEarlier(false)));

    assertEquals(latest, Staging.readMaster(fs, staging.master()));
  }

  @Test
  public void shouldWriteItsAddressAgainWhereAnEarlierMasterHasReplacedIt() throws IOException {
    AtomicInteger reads = new AtomicInteger();
    FileSystem disturbed =
        new FilterFileSystem(fs) {
          @Override
          public FSDataInputStream open(Path file, int bufferSize) throws IOException {
            if (reads.incrementAndGet() == 1) {
              assertTrue(writesOfTheEarlier(true));
            }
            return super.open(file, bufferSize);
          }
        };
    Staging staged = new Staging(disturbed, temporary.getRoot().toString(), "application_1_0001");

    assertTrue(staged.writeMaster(2, latest, () -> true));

    assertEquals(latest, Staging.readMaster(fs, staging.master()));
    assertEquals(2, reads.get());
  }
}
