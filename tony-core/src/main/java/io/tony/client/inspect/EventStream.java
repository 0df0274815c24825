package io.tony.client.inspect;

import io.tony.container.PollInterval;
import io.tony.eventlog.LogTail;
import io.tony.model.JobEvent;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** {@code tony events}: reads the lines of an application's event log, also while it is written. */
final class EventStream {
  /** Checks whether the application has ended. */
  interface EndCheck {
    boolean hasEnded() throws IOException, YarnException;
  }

  /** Waits before the next read of the log. */
  interface Pause {
    void sleep(Duration wait) throws InterruptedException;
  }

  private final LogTail tail;
  private final LogTail.LineListener lines;
  private final PollInterval interval = pollInterval();
  private long lineCount;
  private boolean finished;

  EventStream(LogTail tail, LogTail.LineListener lines) {
    this.tail = tail;
    this.lines = lines;
  }

  /** Returns the intervals between reads; each read calls the NameNode and a DataNode. */
  static PollInterval pollInterval() {
    return new PollInterval(Duration.ofMillis(300), Duration.ofSeconds(10), Duration.ofSeconds(5));
  }

  /** Passes the present lines on; returns their number. */
  long read() throws IOException {
    long before = lineCount;
    tail.read(
        (line, event) -> {
          lineCount++;
          finished |= event.type() == JobEvent.Type.JOB_FINISHED;
          lines.onLine(line, event);
        });
    return lineCount - before;
  }

  /** Returns whether the event of the job's end has been read. */
  boolean isFinished() {
    return finished;
  }

  /** Passes present and future lines on until the end of the application. */
  void follow(EndCheck endCheck, Pause pause)
      throws IOException, YarnException, InterruptedException {
    boolean last = false;
    while (!finished && !last) {
      last = endCheck.hasEnded(); // before the read, which then gets all that the application wrote
      if (read() > 0) {
        interval.reset();
      }
      if (!finished && !last) {
        pause.sleep(interval.next());
      }
    }
  }
}
