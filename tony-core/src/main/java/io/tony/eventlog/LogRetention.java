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
 * Which event logs are old, and deletes them: those that nobody has written for the retention, of
 * jobs that are not alive, in folders that hold nothing else.
 */
public final class LogRetention {
  private static final Logger LOG = LoggerFactory.getLogger(LogRetention.class);

  /** Asks YARN. */
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

  /** As far as the folder itself tells: a job that began long ago may have ended just now. */
  public boolean mayBeExpired(FileStatus folder) {
    return folder.isDirectory()
        && isExpired(folder.getModificationTime(), ApplicationLiveness.ENDED);
  }

  /**
   * Deletes an application's folder where its log is old.
   *
   * @return whether it did
   * @throws AccessDeniedException where it may not; a file system may throw another one for that
   * @throws IOException where YARN or the file system does not answer
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
    // HDFS may show, for a file that is being written, the time when the writing began.
    if (!isExpired(lastModified, applications.find(folder.getPath().getName()))
        || EventLog.isBeingWritten(fs, folder.getPath())) {
      return false;
    }
    LOG.info("{} is of a job that has ended long ago; it is deleted", folder.getPath());
    delete(folder.getPath(), files);
    return true;
  }

  /**
   * Deletes the files that were looked at, and the folder once it is empty. Whoever may rename
   * something may put it in the folder's place meanwhile: nothing in it is deleted that has not the
   * name of such a file.
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
