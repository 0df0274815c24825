package io.tony.history;

import io.tony.eventlog.EventLog;
import org.apache.hadoop.fs.Path;

/**
 * A job in the index.
 *
 * @param history the history folder that contains the job's folder
 * @param modifiedMillis when the job's folder was last modified, which is when its last log file
 *     was created; in milliseconds since 1970
 */
record IndexedJob(String history, long modifiedMillis, JobSummary summary) {
  String application() {
    return summary.application();
  }

  HistoryIndex.Log log() {
    return new HistoryIndex.Log(summary, EventLog.folder(new Path(history), application()));
  }
}
