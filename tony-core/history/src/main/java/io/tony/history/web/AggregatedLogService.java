package io.tony.history.web;

import io.tony.event.TaskFact;
import io.tony.history.JobSummary;
import io.tony.history.JobSummary.Status;
import io.tony.logs.AggregatedLogPieces;
import io.tony.logs.LogPiece;
import io.tony.logs.LogPieceJson;
import io.tony.logs.LogRequest;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves pieces of the aggregated container logs of finished jobs. The log files are read as the
 * user who runs this service, and only if they belong to the owner of the job.
 */
final class AggregatedLogService {
  private static final Logger LOG = LoggerFactory.getLogger(AggregatedLogService.class);

  /** Delay after which the page asks again for a log that is not available yet, in milliseconds. */
  private static final int RETRY_DELAY_MS = 5_000;

  /**
   * Time after the end of an application within which its nodes should have aggregated its logs.
   */
  private static final Duration MAX_AGGREGATION_DELAY = Duration.ofMinutes(5);

  /**
   * Maximum number of concurrent reads. Each read may search a file of many GiB for the container.
   */
  private static final int MAX_CONCURRENT_READS = 4;

  private static final Duration READ_TIMEOUT = Duration.ofSeconds(20);

  private final Configuration conf;
  private final InstantSource clock;
  private final Semaphore readPermits = new Semaphore(MAX_CONCURRENT_READS);

  /**
   * Owners of the jobs whose logs are being read. Each owner's logs are read one request at a time.
   */
  private final Set<String> activeOwners = ConcurrentHashMap.newKeySet();

  AggregatedLogService(Configuration conf, InstantSource clock) {
    this.conf = conf;
    this.clock = clock;
  }

  /**
   * Returns the answer to {@code request} as JSON ({@link LogPieceJson}); {@code allocated} is the
   * allocation of the requested container.
   */
  String logPiece(JobSummary job, TaskFact.Allocated allocated, LogRequest request) {
    if (job.status() == Status.RUNNING) {
      return LogPieceJson.notYet(
          "The job runs: its page at YARN's link shows what its tasks write.", RETRY_DELAY_MS);
    }
    if (!conf.getBoolean(
        YarnConfiguration.LOG_AGGREGATION_ENABLED,
        YarnConfiguration.DEFAULT_LOG_AGGREGATION_ENABLED)) {
      return LogPieceJson.onNode(
          "The nodes of this cluster keep the logs of ended jobs for a while, and hand them in"
              + " nowhere (yarn.log-aggregation-enable).");
    }
    if (!activeOwners.add(job.user())) {
      return LogPieceJson.busy(RETRY_DELAY_MS);
    }
    try {
      return readPermits.tryAcquire()
          ? readAndRelease(job, allocated, request)
          : LogPieceJson.busy(RETRY_DELAY_MS);
    } finally {
      activeOwners.remove(job.user());
    }
  }

  private String readAndRelease(JobSummary job, TaskFact.Allocated allocated, LogRequest request) {
    try {
      return read(job, allocated, request);
    } finally {
      readPermits.release();
    }
  }

  private String read(JobSummary job, TaskFact.Allocated allocated, LogRequest request) {
    String file = request.file().fileName();
    String why = "";
    try {
      AggregatedLogPieces logs =
          new AggregatedLogPieces(
              conf, ApplicationId.fromString(job.application()), job.user(), READ_TIMEOUT);
      Optional<LogPiece> piece =
          logs.piece(allocated.container(), allocated.node(), file, request.from());
      if (piece.isPresent()) {
        return LogPieceJson.complete(piece.get());
      }
    } catch (IOException e) {
      LOG.info("{} of {} cannot be shown: {}", file, allocated.container(), e.getMessage());
      why = " (" + e.getMessage() + ")";
    }
    Instant now = clock.instant();
    if (job.ended() != null
        && Duration.between(job.ended(), now).compareTo(MAX_AGGREGATION_DELAY) < 0) {
      return LogPieceJson.notYet(
          "Its node has not handed in " + file + " yet" + why + ".", RETRY_DELAY_MS);
    }
    return LogPieceJson.none(
        "There is no "
            + file
            + " of it that this service may read among the logs that the nodes have handed in"
            + why
            + ". YARN deletes them after a while (yarn.log-aggregation.retain-seconds). This"
            + " command shows what you may read yourself: tony logs "
            + job.application()
            + " "
            + allocated.task());
  }
}
