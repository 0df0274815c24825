package io.tony.history;

import io.tony.eventlog.EventLog;
import org.apache.hadoop.fs.Path;

/**
 * A job in the index.
 *
 * @param history the parent folder of the job's own folder
 * @param modifiedMillis modification time of the job's folder, when a log file was created last, in
 *     milliseconds since 1970
 */
record IndexedJob(String history, long modifiedMillis, JobSummary summary) {
  String application() {
    return summary.application();
  }

  HistoryIndex.Log log() {
    return new HistoryIndex.Log(summary, EventLog.folder(new Path(history), application()));
  }
}
