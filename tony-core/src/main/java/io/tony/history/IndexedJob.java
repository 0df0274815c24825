package io.tony.history;

import io.tony.eventlog.EventLog;
import org.apache.hadoop.fs.Path;

/**
 * A job of the index.
 *
 * @param history the folder that its own folder is in
 * @param modifiedMillis when a file of its log was made last, in milliseconds since 1970
 */
record IndexedJob(String history, long modifiedMillis, JobSummary summary) {
  String application() {
    return summary.application();
  }

  HistoryIndex.Log log() {
    return new HistoryIndex.Log(summary, EventLog.folder(new Path(history), application()));
  }
}
