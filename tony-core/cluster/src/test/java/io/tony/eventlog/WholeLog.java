package io.tony.eventlog;

import io.tony.model.JobEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** All events of a log that is short. */
public final class WholeLog {
  private WholeLog() {}

  public static List<JobEvent> read(FileSystem fs, Path folder) throws IOException {
    List<JobEvent> events = new ArrayList<>();
    EventLog.read(fs, folder, 0, events::add);
    return events;
  }
}
