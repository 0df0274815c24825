package io.tony.history.web;

import io.tony.eventlog.EventJson;
import io.tony.history.HistoryIndex;
import io.tony.history.JobSummary;
import io.tony.history.JobSummary.Status;
import io.tony.history.SummaryJson;
import io.tony.page.PageFiles;
import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileSystem;

/**
 * What is served.
 *
 * @param lists the files of the lists of jobs
 * @param page the files of a job's page
 */
record Served(
    HistoryIndex index, OpenLogs logs, Visitors visitors, PageFiles lists, PageFiles page) {
  /** Milliseconds until the page of a job that runs asks again: each time asks HDFS. */
  private static final int PAUSE = 5_000;

  static Served of(FileSystem fs, HistoryIndex index, Visitors visitors) throws IOException {
    return new Served(
        index, new OpenLogs(fs, OpenLogs.MOST), visitors, PageFiles.ofLists(), PageFiles.ofJob());
  }

  /** Those of an application's id that a visitor may see. */
  List<HistoryIndex.Log> find(String application, Predicate<JobSummary> seen) {
    return index.logs(application).stream().filter(log -> seen.test(log.job())).toList();
  }

  /** What a job's page is about. */
  String about(JobSummary job) {
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

  /** The lines of its log from a number on, as the page of a job that runs is told them. */
  String events(HistoryIndex.Log log, long from) throws IOException {
    OpenLogs.Piece piece = logs.read(log.folder(), from);
    boolean finished = piece.whole() && log.job().status() != Status.RUNNING;
    return "{\"from\":"
        + piece.first()
        + ",\"finished\":"
        + finished
        + ",\"status\":\""
        + log.job().status()
        + "\",\"pause\":"
        + (piece.whole() && !finished ? PAUSE : 0)
        + ",\"events\":["
        + piece.lines().stream().map(Served::event).collect(Collectors.joining(","))
        + "]}";
  }

  /** A log is its owner's to write: what is passed on is an event, or nothing in its place. */
  private static String event(String line) {
    try {
      return EventJson.write(EventJson.read(line));
    } catch (IOException | RuntimeException e) {
      return "null";
    }
  }
}
