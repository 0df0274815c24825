package io.tony.client.inspect;

import io.tony.container.PollInterval;
import io.tony.eventlog.LogTail;
import io.tony.model.JobEvent;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** {@code tony events}: the lines of an application's log, also while it is written. */
final class EventStream {
  /** Whether the application has ended, however it did. */
  interface EndCheck {
    boolean hasEnded() throws IOException, YarnException;
  }

  /** Waits before the next look at the log. */
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

  /** A look at a log asks the NameNode and a data node. */
  static PollInterval pollInterval() {
    return new PollInterval(Duration.ofMillis(300), Duration.ofSeconds(10), Duration.ofSeconds(5));
  }

  /** Gives what is there; returns how many lines that were. */
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

  /** True once the job's end was given. */
  boolean isFinished() {
    return finished;
  }

  /** Gives what is there and what comes until the end. */
  void follow(EndCheck endCheck, Pause pause)
      throws IOException, YarnException, InterruptedException {
    boolean last = false;
    while (!finished && !last) {
      last = endCheck.hasEnded(); // what it wrote before that is in the log by now
      if (read() > 0) {
        interval.reset();
      }
      if (!finished && !last) {
        pause.sleep(interval.next());
      }
    }
  }
}
