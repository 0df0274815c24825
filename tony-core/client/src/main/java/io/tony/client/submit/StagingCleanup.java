package io.tony.client.submit;

import io.tony.client.application.YarnLookup;
import io.tony.container.HistoryLocation;
import io.tony.container.Staging;
import io.tony.eventlog.ApplicationLiveness;
import io.tony.eventlog.EventLog;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes staging folders of this user's earlier jobs. Such a folder remains if both the
 * ApplicationMaster and the client of a job were killed.
 */
final class StagingCleanup {
  private static final Logger LOG = LoggerFactory.getLogger(StagingCleanup.class);

  private final YarnLookup yarn;
  private final InstantSource clock;

  StagingCleanup(YarnLookup yarn, InstantSource clock) {
    this.yarn = yarn;
    this.clock = clock;
  }

  static StagingCleanup of(YarnClient yarn) {
    return new StagingCleanup(YarnLookup.of(yarn), InstantSource.system());
  }

  /**
   * Deletes stale folders in the parent folder of {@code own}, the new job's staging folder.
   * Failures are only logged.
   */
  void sweep(Staging own) {
    FileSystem fs = own.fileSystem();
    try {
      for (FileStatus folder : fs.listStatus(own.folder().getParent())) {
        if (isStale(fs, folder)) {
          LOG.info("{} was left by a job that has ended; it is deleted", folder.getPath());
          fs.delete(folder.getPath(), true);
        }
      }
    } catch (FileNotFoundException e) {
      // The new job has already ended, and its staging folder was deleted.
      LOG.debug("There is no staging folder at all", e);
    } catch (IOException | YarnException e) {
      LOG.warn("Staging folders of earlier jobs may stay behind: {}", e.toString());
    }
  }

  private boolean isStale(FileSystem fs, FileStatus folder) throws IOException, YarnException {
    Optional<ApplicationId> application = parseApplicationId(folder.getPath());
    Duration age =
        Duration.between(Instant.ofEpochMilli(folder.getModificationTime()), clock.instant());
    // Ask YARN only if the answer matters: the folder is old enough to be deleted if the
    // application has ended.
    if (application.isEmpty() || !ApplicationLiveness.ENDED.mayDelete(age)) {
      return false;
    }
    ApplicationLiveness liveness = yarn.find(application.get());
    return liveness.mayDelete(age)
        && !(liveness == ApplicationLiveness.UNKNOWN && isInUse(fs, folder.getPath()));
  }

  /**
   * Returns whether an ApplicationMaster, maybe of another YARN cluster, still writes the event log
   * of the job to which the staging folder belongs; true if that cannot be found out.
   */
  private static boolean isInUse(FileSystem fs, Path folder) {
    Staging staging = new Staging(fs, folder.getParent().toString(), folder.getName());
    try {
      Path history = HistoryLocation.ofCurrentUser(fs, staging.readConfig());
      return EventLog.isBeingWritten(fs, EventLog.folder(history, folder.getName()));
    } catch (FileNotFoundException e) {
      return false; // the folder was never filled, or the job has no event log
    } catch (IOException | RuntimeException e) {
      LOG.warn("Whether {} is still needed is not known: {}", folder, e.toString());
      return true;
    }
  }

  /** Returns the folder's name as an application id; empty if the name is not an application id. */
  static Optional<ApplicationId> parseApplicationId(Path folder) {
    try {
      return Optional.of(ApplicationId.fromString(folder.getName()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
