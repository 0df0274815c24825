package io.tony.client.submit;

import io.tony.client.follow.RunningApplication;
import io.tony.container.Staging;
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
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Staging folders of this user's earlier jobs that nobody deleted, because the ApplicationMaster
 * and the client were both killed: the next submission does.
 */
final class StaleStaging {
  private static final Logger LOG = LoggerFactory.getLogger(StaleStaging.class);

  /** For whoever ended the application to delete the folder. */
  static final Duration AFTER_THE_END = Duration.ofHours(1);

  /**
   * YARN forgets applications that ended, but one that it does not know may also be at work in
   * another YARN that shares this file system.
   */
  static final Duration WHEN_UNKNOWN = Duration.ofDays(7);

  /** What YARN says of an application. */
  enum Known {
    ALIVE,
    ENDED,
    UNKNOWN
  }

  /** Asks YARN. */
  interface Scheduler {
    Known find(ApplicationId application) throws IOException, YarnException;

    static Scheduler of(YarnClient yarn) {
      return id -> {
        try {
          return RunningApplication.ended(yarn.getApplicationReport(id))
              ? Known.ENDED
              : Known.ALIVE;
        } catch (ApplicationNotFoundException e) {
          return Known.UNKNOWN;
        }
      };
    }
  }

  private final Scheduler scheduler;
  private final InstantSource clock;

  StaleStaging(Scheduler scheduler, InstantSource clock) {
    this.scheduler = scheduler;
    this.clock = clock;
  }

  static StaleStaging of(YarnClient yarn) {
    return new StaleStaging(Scheduler.of(yarn), InstantSource.system());
  }

  /** Deletes those that lie beside the job's own. That it fails is no reason to fail the job. */
  void sweep(Staging own) {
    FileSystem fs = own.fileSystem();
    try {
      for (FileStatus folder : fs.listStatus(own.folder().getParent())) {
        if (stale(folder)) {
          LOG.info("{} was left by a job that has ended; it is deleted", folder.getPath());
          fs.delete(folder.getPath(), true);
        }
      }
    } catch (FileNotFoundException e) {
      LOG.debug("There is no staging folder at all", e); // the job has ended meanwhile
    } catch (IOException | YarnException e) {
      LOG.warn("Staging folders of earlier jobs may stay behind: {}", e.toString());
    }
  }

  private boolean stale(FileStatus folder) throws IOException, YarnException {
    Optional<ApplicationId> application = application(folder.getPath());
    Duration age =
        Duration.between(Instant.ofEpochMilli(folder.getModificationTime()), clock.instant());
    if (application.isEmpty() || age.compareTo(AFTER_THE_END) <= 0) {
      return false;
    }
    return switch (scheduler.find(application.get())) {
      case ALIVE -> false;
      case ENDED -> true;
      case UNKNOWN -> age.compareTo(WHEN_UNKNOWN) > 0;
    };
  }

  /** Nothing for what is not a job's. */
  static Optional<ApplicationId> application(Path folder) {
    try {
      return Optional.of(ApplicationId.fromString(folder.getName()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
