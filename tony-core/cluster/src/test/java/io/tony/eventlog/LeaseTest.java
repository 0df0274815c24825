package io.tony.eventlog;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** How long a file's closing is waited for, and how often it is asked for. */
public class LeaseTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private long nanos = Long.MAX_VALUE - 1; // it overflows, as the JVM's may
  private int requests;
  private int looks;
  private Path file;

  @Before
  public void open() throws IOException {
    file = new Path(temporary.newFile("events.jsonl").toURI());
  }

  /** Of HDFS it has that a file may be open; time passes when somebody looks whether it is. */
  private final class Leases extends RawLocalFileSystem implements LeaseRecoverable {
    private final Duration eachLook;
    private final int closedByRequest;
    private final int closedByLook;

    Leases(Duration eachLook, int closedByRequest, int closedByLook) throws IOException {
      this.eachLook = eachLook;
      this.closedByRequest = closedByRequest;
      this.closedByLook = closedByLook;
      initialize(file.toUri(), new Configuration());
    }

    @Override
    public boolean recoverLease(Path path) throws IOException {
      getFileStatus(path);
      return ++requests >= closedByRequest;
    }

    @Override
    public boolean isFileClosed(Path path) {
      nanos += eachLook.toNanos();
      return ++looks >= closedByLook;
    }
  }

  private Leases never(Duration eachLook) throws IOException {
    return new Leases(eachLook, Integer.MAX_VALUE, Integer.MAX_VALUE);
  }

  private void recover(FileSystem fs) throws IOException {
    Lease.recover(fs, file, LIMIT, () -> nanos);
  }

  @Test
  public void shouldWaitForNothingWhereTheFileIsClosed() throws IOException {
    recover(new Leases(Duration.ofMinutes(1), 1, 1));

    assertEquals(1, requests);
    assertEquals(0, looks);
  }

  @Test
  public void shouldOnlyLookWhetherItIsClosedInTheFirstSeconds() throws IOException {
    recover(new Leases(Duration.ofSeconds(1), 2, 4));

    assertEquals(4, looks);
    assertEquals(1, requests);
  }

  /** HDFS then has another data node close the file. */
  @Test
  public void shouldAskAgainWhereADataNodeDoesNotCloseIt() throws IOException {
    recover(new Leases(Duration.ofSeconds(3), 3, Integer.MAX_VALUE));

    assertEquals(3, requests);
    assertEquals("two for each of the other two", 4, looks);
  }

  @Test
  public void shouldSayWhatToDoWhereNobodyClosesItInTime() throws IOException {
    FileSystem fs = never(Duration.ofMinutes(2));

    String message = assertThrows(IOException.class, () -> recover(fs)).getMessage();

    assertTrue(message, message.contains("has not closed " + file + ","));
    assertTrue(message, message.contains("within 300 s"));
    assertTrue(message, message.contains("'hdfs debug recoverLease -path " + file + "'"));
    assertTrue(nanos - Long.MAX_VALUE + " ns", nanos - Long.MAX_VALUE > LIMIT.toNanos());
    assertTrue(looks + " looks", looks <= 3);
  }

  /** A process that ends does not stay for that. */
  @Test
  public void shouldEndItsWaitWhenItIsInterrupted() throws IOException {
    FileSystem fs = never(Duration.ofNanos(1));
    Thread.currentThread().interrupt();

    assertThrows(IOException.class, () -> recover(fs));

    assertTrue(Thread.interrupted());
  }

  /** Who deletes the history of a job has fenced its writer. */
  @Test
  public void shouldTakeADeletedFileForClosed() throws IOException {
    FileSystem fs = never(Duration.ofMinutes(1));
    assertTrue(fs.delete(file, false));

    recover(fs);

    assertThrows(FileNotFoundException.class, () -> Lease.isHeld(fs, file));
  }

  @Test
  public void shouldKnowWhetherSomebodyMayWriteYet() throws IOException {
    assertTrue(Lease.isHeld(never(Duration.ofNanos(1)), file));
    assertFalse(Lease.isHeld(new Leases(Duration.ofNanos(1), 1, 1), file));
    assertFalse(Lease.isHeld(FileSystem.getLocal(new Configuration()), file));
  }

  /** The history may be mounted there from the cluster that has the leases. */
  @Test
  public void shouldTakeALeaseThroughAMount() throws IOException {
    Configuration conf = new Configuration();
    String mounts = "fs.viewfs.mounttable.all.link./history";
    conf.set(mounts, temporary.getRoot().toURI().toString());
    conf.setClass("fs.file.impl", Mounted.class, FileSystem.class);
    conf.setBoolean("fs.file.impl.disable.cache", true);
    Mounted.recovered.clear();
    try (FileSystem view = FileSystem.newInstance(URI.create("viewfs://all/"), conf)) {
      Path mounted = new Path("/history/" + file.getName());

      Lease.recover(view, mounted, LIMIT, () -> nanos);

      assertEquals(List.of(file.toUri().getPath()), Mounted.recovered);
      assertTrue(Lease.isHeld(view, mounted));
    }
  }

  /** Made by Hadoop, for each who asks. */
  public static final class Mounted extends RawLocalFileSystem implements LeaseRecoverable {
    private static final List<String> recovered = new CopyOnWriteArrayList<>();

    @Override
    public boolean recoverLease(Path path) throws IOException {
      recovered.add(getFileStatus(path).getPath().toUri().getPath());
      return true;
    }

    @Override
    public boolean isFileClosed(Path path) {
      return recovered.size() > 1;
    }
  }
}
