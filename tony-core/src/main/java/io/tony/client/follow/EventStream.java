package io.tony.client.follow;

import io.tony.container.LookInterval;
import io.tony.eventlog.LogTail;
import io.tony.model.JobEvent;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** {@code tony events}: the lines of an application's log, also while it is written. */
final class EventStream {
  /** Whether the application has ended, however it did. */
  interface End {
    boolean isThere() throws IOException, YarnException;
  }

  /** Waits before the next look at the log. */
  interface Pause {
    void take(Duration wait) throws InterruptedException;
  }

  private final LogTail tail;
  private final LogTail.Lines lines;
  private final LookInterval interval = interval();
  private long seen;
  private boolean finished;

  EventStream(LogTail tail, LogTail.Lines lines) {
    this.tail = tail;
    this.lines = lines;
  }

  /** A look at a log asks the NameNode and a data node. */
  static LookInterval interval() {
    return new LookInterval(Duration.ofMillis(300), Duration.ofSeconds(10), Duration.ofSeconds(5));
  }

  /** Gives what is there; returns how many lines that were. */
  long read() throws IOException {
    long before = seen;
    tail.read(
        (line, event) -> {
          seen++;
          finished |= event.type() == JobEvent.Type.JOB_FINISHED;
          lines.line(line, event);
        });
    return seen - before;
  }

  /** True once the job's end was given. */
  boolean isFinished() {
    return finished;
  }

  /** Gives what is there and what comes until the end. */
  void follow(End end, Pause pause) throws IOException, YarnException, InterruptedException {
    boolean last = false;
    while (!finished && !last) {
      last = end.isThere(); // what it wrote before that is in the log by now
      if (read() > 0) {
        interval.restart();
      }
      if (!finished && !last) {
        pause.take(interval.next());
      }
    }
  }
}
