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
 * Takes the right to write a file from whoever has it. HDFS then closes the file with all that was
 * flushed, and refuses what its writer, which may only have stood still, wants to append.
 */
final class Lease {
  private static final long MIN_POLL_DELAY_MS = 10;
  private static final long MAX_POLL_DELAY_MS = 200;

  /** A data node that was to close the file may be gone; HDFS takes another when it is asked. */
  private static final Duration RECOVERY_RETRY_INTERVAL = Duration.ofSeconds(5);

  private Lease() {}

  /**
   * Returns when nobody can append to the file any more. A file system without leases is passed
   * over.
   *
   * @param nanos measures the limit
   * @throws IOException also when the file is not closed within the limit
   */
  static void recover(FileSystem fs, Path file, Duration limit, LongSupplier nanos)
      throws IOException {
    try {
      Path real = fs.resolvePath(file); // it may only be mounted on this file system
      FileSystem holder = fs instanceof LeaseRecoverable ? fs : real.getFileSystem(fs.getConf());
      if (holder instanceof LeaseRecoverable leases) {
        recover(leases, fs instanceof LeaseRecoverable ? file : real, limit, nanos);
      }
    } catch (FileNotFoundException e) {
      // Who deletes a job's history has fenced its writer, too.
    }
  }

  /** Whether somebody may still append to the file; never where there are no leases. */
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
