package io.tony.client.output;

import io.tony.model.JobEvent;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Consumer;

/**
 * The standard output of a command; in Azkaban, the log of the job. Much of the text comes from the
 * job's programs, so all text is made {@link PlainText}. Events, which programs such as the job's
 * page read and trust, have a method of their own. For use by several threads.
 */
public final class JobLog {
  private final TimestampedOutput timestampedOutput;
  private final PrintStream out;
  private final EventLines events;
  private final Consumer<JobEvent> eventListener;

  public JobLog(OutputStream out) {
    this(out, InstantSource.system());
  }

  public JobLog(OutputStream out, InstantSource clock) {
    this.timestampedOutput = new TimestampedOutput(out);
    this.out = new PrintStream(timestampedOutput, false, StandardCharsets.UTF_8);
    this.events = new EventLines(this.out, clock);
    this.eventListener = events::add;
  }

  /**
   * Creates a log whose events are passed to the listener immediately, and not written to the
   * output.
   */
  public JobLog(OutputStream out, Consumer<JobEvent> listener) {
    this.timestampedOutput = new TimestampedOutput(out);
    this.out = new PrintStream(timestampedOutput, false, StandardCharsets.UTF_8);
    this.events = new EventLines(this.out, InstantSource.system());
    this.eventListener = listener;
  }

  public void println(Object text) {
    out.println(PlainText.of(String.valueOf(text)));
  }

  /**
   * Records an event for programs: in one of the next {@link EventLines} or, if this log has a
   * listener, immediately.
   */
  public void recordEvent(JobEvent event) {
    eventListener.accept(event);
  }

  /**
   * Prints the events that are due; returns how long no other event will be due, at most {@code
   * maxWait}.
   */
  public Duration flushDueEvents(Duration maxWait) {
    Duration remaining = events.printDue(maxWait);
    out.flush();
    return remaining;
  }

  /** Prints all pending events. */
  public void flushEvents() {
    events.printAll();
    out.flush();
  }

  /** Prints a line of JSON, with the characters escaped that could harm a terminal. */
  public void printJson(String line) {
    out.println(PlainText.ofJson(line));
  }

  /**
   * Returns the unfiltered output, for the bytes of log files, which {@code tony logs} shows
   * unchanged.
   */
  public OutputStream raw() {
    return out;
  }

  public void flush() {
    out.flush();
  }

  /**
   * Returns when something was last written, or else when this log was created, by {@link
   * System#nanoTime}.
   */
  public long lastOutputNanos() {
    return timestampedOutput.lastWriteNanos;
  }

  /** Passes everything on and records the time. */
  private static final class TimestampedOutput extends FilterOutputStream {
    private volatile long lastWriteNanos = System.nanoTime();

    TimestampedOutput(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int one) throws IOException {
      lastWriteNanos = System.nanoTime();
      out.write(one);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      lastWriteNanos = System.nanoTime();
      out.write(bytes, from, length);
    }
  }
}
