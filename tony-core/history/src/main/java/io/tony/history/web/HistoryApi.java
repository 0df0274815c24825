package io.tony.history.web;

import com.fasterxml.jackson.databind.node.TextNode;
import io.tony.event.TaskFact;
import io.tony.eventlog.EventJson;
import io.tony.history.HistoryIndex;
import io.tony.history.JobSummary;
import io.tony.history.JobSummary.Status;
import io.tony.history.SummaryJson;
import io.tony.logs.LogPieceJson;
import io.tony.logs.LogRequest;
import io.tony.page.PageFiles;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * The data that the history service serves.
 *
 * @param logs reads the event logs of jobs
 * @param aggregatedLogs reads the aggregated container logs
 * @param listFiles static files of the job lists' pages
 * @param pageFiles static files of a job's page
 */
record HistoryApi(
    HistoryIndex index,
    OpenLogs logs,
    AggregatedLogService aggregatedLogs,
    JobVisibility visibleJobs,
    PageFiles listFiles,
    PageFiles pageFiles) {
  /**
   * Interval at which the page of a running job asks for new events, in milliseconds. Each request
   * reads from HDFS.
   */
  private static final int POLL_INTERVAL_MS = 5_000;

  static HistoryApi of(
      Configuration conf, FileSystem fs, HistoryIndex index, JobVisibility visibleJobs)
      throws IOException {
    return new HistoryApi(
        index,
        new OpenLogs(fs, OpenLogs.MAX_CHARS),
        new AggregatedLogService(conf, InstantSource.system()),
        visibleJobs,
        PageFiles.ofLists(),
        PageFiles.ofJob());
  }

  /**
   * Returns a page of the jobs that match {@code filter}, and the total number of these jobs, as
   * JSON.
   */
  String jobs(Predicate<JobSummary> filter, int offset, int limit) {
    HistoryIndex.Page page = index.boundedPage(filter, offset, limit);
    return SummaryJson.object(
        json -> {
          json.writeNumberField("total", page.total());
          json.writeNumberField("offset", page.offset());
          json.writeArrayFieldStart("jobs");
          for (JobSummary job : page.jobs()) {
            json.writeStartObject();
            SummaryJson.write(job, json);
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  /**
   * Returns the jobs with the given application ID that {@code seen} accepts, which are those that
   * the visitor may see.
   */
  List<HistoryIndex.Log> find(String application, Predicate<JobSummary> seen) {
    return index.logs(application).stream().filter(log -> seen.test(log.job())).toList();
  }

  /** Returns the data for the heading of a job's page, as JSON. */
  String jobInfo(JobSummary job) {
    return SummaryJson.object(
        json -> {
          json.writeStringField("application", job.application());
          json.writeStringField("name", job.title());
          json.writeStringField("user", job.user());
          json.writeStringField("queue", job.queue());
          json.writeArrayFieldStart("path");
          json.writeStartObject();
          json.writeStringField("label", "History");
          json.writeStringField("href", "../../");
          json.writeEndObject();
          json.writeEndArray();
        });
  }

  /**
   * Returns the lines of the job's event log from number {@code from} on, in the JSON format that
   * the ApplicationMaster's page of a running job uses, too.
   */
  String events(HistoryIndex.Log log, long from) throws IOException {
    return logs.readAndRender(log.folder(), from, piece -> events(log.job(), piece));
  }

  /**
   * Returns the lines of {@code piece} as JSON, with the status and message of the job from the
   * index: if the job is lost, the event log does not contain them.
   */
  private static String events(JobSummary job, OpenLogs.Piece piece) {
    boolean finished = piece.atEnd() && job.status() != Status.RUNNING;
    boolean lost = finished && job.status() == Status.LOST;
    return "{\"from\":"
        + piece.first()
        + ",\"finished\":"
        + finished
        + ",\"status\":\""
        + job.status()
        + (lost ? "\",\"message\":" + TextNode.valueOf(job.message()) : "\"")
        + ",\"pause\":"
        + (piece.atEnd() && !finished ? POLL_INTERVAL_MS : 0)
        + ",\"events\":["
        + piece.lines().stream().map(HistoryApi::eventOrNull).collect(Collectors.joining(","))
        + "]}";
  }

  /** Returns a piece of a container log of a task, in the JSON format of {@link LogPieceJson}. */
  String taskLog(HistoryIndex.Log log, LogRequest request) throws IOException {
    OpenLogs.Piece piece;
    try {
      piece = logs.read(log.folder(), request.event());
    } catch (OpenLogs.BusyException e) {
      return LogPieceJson.busy(POLL_INTERVAL_MS);
    }
    if (piece.first() < request.event() && !piece.atEnd()) {
      // The requested line cannot be reached in one request; the page asks again.
      return LogPieceJson.busy(POLL_INTERVAL_MS);
    }
    Optional<TaskFact.Allocated> allocated =
        piece.first() != request.event() || piece.lines().isEmpty()
            ? Optional.empty()
            : request.allocation(piece.lines().get(0), log.job().application());
    return allocated
        .map(task -> aggregatedLogs.logPiece(log.job(), task, request))
        .orElseGet(() -> LogPieceJson.none("This job has no such container."));
  }

  /**
   * Returns {@code line} if it is an event, otherwise the text {@code null}. Owners can write lines
   * that are not JSON to their logs; leaving such a line out would change the numbers of the next
   * lines, which the page counts.
   */
  private static String eventOrNull(String line) {
    try {
      return EventJson.write(EventJson.read(line));
    } catch (IOException | RuntimeException e) {
      return "null";
    }
  }
}
