package io.tony.eventlog;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;

/**
 * Takes the lease, HDFS's exclusive right to append to a file, away from another process. HDFS then
 * closes the file with everything that the process has flushed, and rejects its later appends, even
 * if the process was only suspended and continues.
 */
final class Lease {
  private static final long MIN_POLL_DELAY_MS = 10;
  private static final long MAX_POLL_DELAY_MS = 200;

  /**
   * How long to wait before asking HDFS again to close the file: HDFS may have assigned this to a
   * data node that is gone, and assigns it to another one when asked again.
   */
  private static final Duration RECOVERY_RETRY_INTERVAL = Duration.ofSeconds(5);

  private Lease() {}

  /**
   * Waits until no process can append to {@code file}. Returns immediately if the file does not
   * exist or its file system has no leases.
   *
   * @param limit maximum time to wait
   * @param nanos clock in nanoseconds that measures {@code limit}
   * @throws IOException also if the file is not closed within {@code limit}
   */
  static void recover(FileSystem fs, Path file, Duration limit, LongSupplier nanos)
      throws IOException {
    try {
      Path real = fs.resolvePath(file); // another file system may be mounted at the path
      FileSystem holder = fs instanceof LeaseRecoverable ? fs : real.getFileSystem(fs.getConf());
      if (holder instanceof LeaseRecoverable leases) {
        recover(leases, fs instanceof LeaseRecoverable ? file : real, limit, nanos);
      }
    } catch (FileNotFoundException e) {
      // The file was deleted with the job's history, so no process can append to it.
    }
  }

  /**
   * Returns true if a process may still append to {@code file}; always false for a file system
   * without leases.
   */
  static boolean isHeld(FileSystem fs, Path file) throws IOException {
    Path real = fs.resolvePath(file);
    FileSystem holder = fs instanceof LeaseRecoverable ? fs : real.getFileSystem(fs.getConf());
    return holder instanceof LeaseRecoverable leases
        && !leases.isFileClosed(fs instanceof LeaseRecoverable ? file : real);
  }

  private static void recover(
      LeaseRecoverable leases, Path file, Duration limit, LongSupplier nanos) throws IOException {
    long start = nanos.getAsLong();
    long lastRequest = start;
    long pause = MIN_POLL_DELAY_MS;
    boolean closed = leases.recoverLease(file);
    while (!closed) {
      long now = nanos.getAsLong();
      if (now - start > limit.toNanos()) {
        throw new IOException(
            "HDFS has not closed "
                + file
                + ", the log of the previous ApplicationMaster, within "
                + limit.toSeconds()
                + " s: its data nodes may be down. See that they are up, or close it with 'hdfs debug recoverLease -path "
                + file
                + "'");
      }
      pause(pause);
      pause = Math.min(2 * pause, MAX_POLL_DELAY_MS);
      if (now - lastRequest > RECOVERY_RETRY_INTERVAL.toNanos()) {
        lastRequest = now;
        closed = leases.recoverLease(file);
      } else {
        closed = leases.isFileClosed(file);
      }
    }
  }

  private static void pause(long millis) throws InterruptedIOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while HDFS closes a file");
    }
  }
}
