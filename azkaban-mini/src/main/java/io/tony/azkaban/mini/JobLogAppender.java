package io.tony.azkaban.mini;

import java.time.Instant;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.spi.LoggingEvent;

/** Forwards the log of one attempt of a job to a {@link FlowListener}, line by line. */
final class JobLogAppender extends AppenderSkeleton {

  private final String job;
  private final int attempt;
  private final FlowListener listener;

  JobLogAppender(String job, int attempt, FlowListener listener) {
    this.job = job;
    this.attempt = attempt;
    this.listener = listener;
  }

  @Override
  protected void append(LoggingEvent event) {
    String message = event.getRenderedMessage();
    if (message != null) {
      message.lines().forEach(line -> forward(event, line));
    }
    String[] stackTrace = event.getThrowableStrRep();
    if (stackTrace != null) {
      for (String line : stackTrace) {
        forward(event, line);
      }
    }
  }

  private void forward(LoggingEvent event, String line) {
    Instant at = Instant.ofEpochMilli(event.getTimeStamp());
    listener.jobLogged(new LogLine(job, attempt, event.getLevel(), at, line));
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public boolean requiresLayout() {
    return false;
  }
}
