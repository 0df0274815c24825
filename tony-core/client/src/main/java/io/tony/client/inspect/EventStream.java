package io.tony.client.inspect;

import io.tony.container.PollInterval;
import io.tony.eventlog.LogTail;
import io.tony.model.JobEvent;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * Reads the lines of an application's event log, including lines that are written meanwhile, for
 * {@code tony events} and {@code tony logs -follow}.
 */
final class EventStream {
  /** Checks with YARN whether the application has ended. */
  interface EndCheck {
    boolean hasEnded() throws IOException, YarnException;
  }

  /** Waits before the next read of the event log. */
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

  /**
   * Returns the intervals between reads: 300 ms at first and after new lines, later up to 5 s. They
   * grow because each read calls HDFS's NameNode and a DataNode.
   */
  static PollInterval pollInterval() {
    return new PollInterval(Duration.ofMillis(300), Duration.ofSeconds(10), Duration.ofSeconds(5));
  }

  /**
   * Passes the lines that were added since the last read to the consumer; returns the number of
   * lines.
   */
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

  /** Returns whether the event {@code JOB_FINISHED} was read. */
  boolean isFinished() {
    return finished;
  }

  /** Passes present and future lines to the consumer until the application ends. */
  void follow(EndCheck endCheck, Pause pause)
      throws IOException, YarnException, InterruptedException {
    boolean last = false;
    while (!finished && !last) {
      // Check before the read, so that the last read gets all lines that the application wrote.
      last = endCheck.hasEnded();
      if (read() > 0) {
        interval.reset();
      }
      if (!finished && !last) {
        pause.sleep(interval.next());
      }
    }
  }
}
