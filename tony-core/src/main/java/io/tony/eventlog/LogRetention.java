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
 * Deletes expired event logs. A log is expired if its job no longer runs, nothing was written to it
 * for the retention time, and its folder contains nothing else.
 */
public final class LogRetention {
  private static final Logger LOG = LoggerFactory.getLogger(LogRetention.class);

  /** Returns what YARN knows about an application. */
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
   * Returns false if the modification time of {@code folder} shows that the log in it cannot have
   * expired. True only means that the files must be checked: a job that started long ago may have
   * ended just now.
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
   * Deletes the checked files and then the folder, if nothing else is in it. If another user
   * replaces the folder meanwhile, only files with the names of the checked files are deleted.
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
