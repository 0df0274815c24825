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
 * The standard output of a command; in Azkaban, the job's log. Printed text is made safe by {@link
 * PlainText}, because much of it comes from the user's programs. Events, which readers of the
 * machine-readable output trust, are written with {@link #recordEvent} only. Thread-safe.
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
   * Creates a log that passes events to {@code listener} immediately, and does not write them to
   * {@code out}.
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
   * Writes an event to the machine-readable output. {@link EventLines} prints it later, in a line
   * with other events; if this log has a listener, the listener gets it immediately instead.
   */
  public void recordEvent(JobEvent event) {
    eventListener.accept(event);
  }

  /**
   * Prints the pending events if they are due. Returns the time until pending events are due, but
   * at most {@code maxWait}; {@code maxWait} if no events are pending any more.
   */
  public Duration flushDueEvents(Duration maxWait) {
    Duration remaining = events.printDue(maxWait);
    out.flush();
    return remaining;
  }

  /** Prints all pending events now, even if they are not due yet. */
  public void flushEvents() {
    events.printAll();
    out.flush();
  }

  /** Prints a line of JSON. Characters that could change the state of a terminal are escaped. */
  public void printJson(String line) {
    out.println(PlainText.ofJson(line));
  }

  /**
   * Returns the output without any filter, for {@code tony logs}, which shows the bytes of log
   * files unchanged.
   */
  public OutputStream raw() {
    return out;
  }

  public void flush() {
    out.flush();
  }

  /**
   * Returns the value of {@link System#nanoTime} when something was last written or, if nothing
   * was, when this log was created.
   */
  public long lastOutputNanos() {
    return timestampedOutput.lastWriteNanos;
  }

  /** Passes everything to the underlying output and records the time of the last write. */
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
