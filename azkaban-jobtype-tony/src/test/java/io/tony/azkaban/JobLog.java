package io.tony.azkaban;

import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/** The log of one job, as Azkaban gives it to the job, with its lines at hand. */
final class JobLog extends AppenderSkeleton {

  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(180);

  private final Logger logger = Logger.getLogger("job-" + UUID.randomUUID());
  private final List<String> lines = new ArrayList<>();

  JobLog() {
    logger.setLevel(Level.INFO);
    logger.setAdditivity(false);
    logger.addAppender(this);
  }

  Logger logger() {
    return logger;
  }

  synchronized List<String> lines() {
    return List.copyOf(lines);
  }

  /** How many lines contain the text. */
  long count(String text) {
    return lines().stream().filter(line -> line.contains(text)).count();
  }

  /** Waits until a line has been logged that contains the text. */
  synchronized void await(String text) throws InterruptedException {
    long deadline = System.nanoTime() + LIMIT_NANOS;
    while (lines.stream().noneMatch(line -> line.contains(text))) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      assertTrue("No line with " + text + " in " + lines, left > 0);
      wait(left);
    }
  }

  @Override
  protected synchronized void append(LoggingEvent event) {
    lines.add(event.getLevel() + " " + event.getRenderedMessage());
    String[] trace = event.getThrowableStrRep();
    if (trace != null) {
      lines.addAll(List.of(trace));
    }
    notifyAll();
  }

  @Override
  public void close() {}

  @Override
  public boolean requiresLayout() {
    return false;
  }
}
