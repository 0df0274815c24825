package io.tony.am.checkpoint;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.checkpoint.CheckpointName;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Which sets an application may delete. */
public class DeletableCheckpointsTest {
  private static final String APPLICATION = "application_1700000000000_0012";
  private static final CheckpointName EARLIER =
      new CheckpointName(CheckpointName.generation("application_1700000000000_0011", 0), 1);

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final DeletableCheckpoints own = new DeletableCheckpoints(APPLICATION);

  /** While it is asked for a list, its asker's patience ends. */
  private final class Slow extends RawLocalFileSystem {
    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
      Thread patience = new Thread(() -> own.recordListingFailure(1), "patience");
      patience.start();
      try {
        patience.join(10_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException();
      }
      assertFalse("it waits for the list", patience.isAlive());
      return super.listStatus(path);
    }
  }

  private CheckpointListing folders(RawLocalFileSystem fs) throws IOException {
    fs.initialize(URI.create("file:///"), new Configuration());
    Path folder = new Path(temporary.newFolder("sets").toURI());
    assertTrue(fs.mkdirs(new Path(folder, EARLIER.toString())));
    return new CheckpointListing(fs, folder, new CheckpointsInUse());
  }

  @Test
  public void shouldDeleteWhatWasThereBefore() throws Exception {
    own.recordListed(folders(new RawLocalFileSystem()));
    assertTrue(own.contains(EARLIER));
  }

  @Test
  public void shouldNotWaitForAListToSayThatNothingWasSeen() throws Exception {
    own.recordListed(folders(new Slow()));
    assertFalse("the start did without it", own.contains(EARLIER));
  }
}
