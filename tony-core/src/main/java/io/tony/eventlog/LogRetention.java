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
 * Finds and deletes expired event logs: logs that were not written for the retention time, of jobs
 * that no longer run, in folders that contain nothing else.
 */
public final class LogRetention {
  private static final Logger LOG = LoggerFactory.getLogger(LogRetention.class);

  /** Asks YARN for the state of an application. */
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
   * Returns false if the folder's own modification time shows that the log cannot have expired. A
   * true result is provisional: a job that started long ago may have ended just now.
   */
  public boolean mayBeExpired(FileStatus folder) {
    return folder.isDirectory()
        && isExpired(folder.getModificationTime(), ApplicationLiveness.ENDED);
  }

  /**
   * Deletes an application's folder if its log has expired.
   *
   * @return whether the folder was deleted
   * @throws AccessDeniedException if the folder may not be deleted; a file system may throw another
   *     exception for this
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
    // For a file that is open for writing, HDFS may report the time when the writing began.
    if (!isExpired(lastModified, applications.find(folder.getPath().getName()))
        || EventLog.isBeingWritten(fs, folder.getPath())) {
      return false;
    }
    LOG.info("{} is of a job that has ended long ago; it is deleted", folder.getPath());
    delete(folder.getPath(), files);
    return true;
  }

  /**
   * Deletes the checked files, and then the folder, which must be empty. A user who may rename
   * files could replace the folder meanwhile; only files with the names of the checked files are
   * deleted then.
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
