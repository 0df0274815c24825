package io.tony.eventlog;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes expired event logs. A log has expired if its job no longer runs and nothing was written
 * to the log for the retention time. A folder that contains anything else than a log is kept.
 */
public final class LogRetention {
  private static final Logger LOG = LoggerFactory.getLogger(LogRetention.class);

  /** Tells whether an application is alive. */
  @FunctionalInterface
  public interface Applications {
    ApplicationLiveness find(String application) throws IOException;
  }

  private final FileSystem fs;
  private final Duration retention;
  private final Applications applications;
  private final InstantSource clock;

  public LogRetention(
      FileSystem fs, Duration retention, Applications applications, InstantSource clock) {
    this.fs = fs;
    this.retention = retention;
    this.applications = applications;
    this.clock = clock;
  }

  /**
   * Returns false if the log in {@code folder} cannot have expired, according to the modification
   * time of the folder. If true, {@link #deleteIfExpired} must check the files, too: their
   * modification times may be much later than the folder's.
   */
  public boolean mayBeExpired(FileStatus folder) {
    return folder.isDirectory()
        && isExpired(folder.getModificationTime(), ApplicationLiveness.ENDED);
  }

  /**
   * Deletes an application's folder if the log in it has expired.
   *
   * @return true if the folder was deleted
   * @throws AccessDeniedException if the current user may not delete the folder; some file systems
   *     throw another exception
   * @throws IOException if YARN or the file system does not respond
   */
  public boolean deleteIfExpired(FileStatus folder) throws IOException {
    long lastModified = folder.getModificationTime();
    List<Path> files = new ArrayList<>();
    RemoteIterator<FileStatus> entries = fs.listStatusIterator(folder.getPath());
    while (entries.hasNext()) {
      FileStatus file = entries.next();
      if (!EventLog.isLogEntry(file) || files.size() == LogFile.MAX_FILES) {
        LOG.info("{} stays: it is no part of an event log", file.getPath());
        return false;
      }
      files.add(file.getPath());
      lastModified = Math.max(lastModified, file.getModificationTime());
    }
    // Check whether a file is still open: HDFS may report the time of its opening as the
    // modification time.
    if (!isExpired(lastModified, applications.find(folder.getPath().getName()))
        || EventLog.isBeingWritten(fs, folder.getPath())) {
      return false;
    }
    LOG.info("{} is of a job that has ended long ago; it is deleted", folder.getPath());
    delete(folder.getPath(), files);
    return true;
  }

  /**
   * Deletes {@code files} and then the folder, if nothing else is in it. Deletes by name and not
   * recursively: if another user replaces the folder meanwhile, only files of the same names are
   * deleted.
   */
  private void delete(Path folder, List<Path> files) throws IOException {
    for (Path file : files) {
      if (!fs.delete(file, false) && fs.exists(file)) {
        throw new AccessDeniedException(file.toString());
      }
    }
    if (!fs.delete(folder, false)) {
      throw new AccessDeniedException(folder.toString());
    }
  }

  private boolean isExpired(long millis, ApplicationLiveness liveness) {
    Duration age = Duration.between(Instant.ofEpochMilli(millis), clock.instant());
    return age.compareTo(retention) > 0 && liveness.mayDelete(age);
  }
}
