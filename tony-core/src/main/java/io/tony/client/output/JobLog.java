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
 * What a command says on its standard output: in Azkaban, the log of the job. Much of it was
 * written by the job's programs. So all text is made {@link PlainText}, and events, which programs
 * such as the job's page read and believe, have a method of their own. For use by several threads.
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

  /** Whose events go to a program in this process, at once, and not to the output. */
  public JobLog(OutputStream out, Consumer<JobEvent> listener) {
    this.timestampedOutput = new TimestampedOutput(out);
    this.out = new PrintStream(timestampedOutput, false, StandardCharsets.UTF_8);
    this.events = new EventLines(this.out, InstantSource.system());
    this.eventListener = listener;
  }

  public void println(Object text) {
    out.println(PlainText.of(String.valueOf(text)));
  }

  /** For programs: in one of the next {@link EventLines}, or at once in this process. */
  public void recordEvent(JobEvent event) {
    eventListener.accept(event);
  }

  /** Tells programs what is due; returns how long nothing else is, {@code most} at most. */
  public Duration flushDueEvents(Duration maxWait) {
    Duration remaining = events.printDue(maxWait);
    out.flush();
    return remaining;
  }

  /** Tells programs all that they have not been told yet. */
  public void flushEvents() {
    events.printAll();
    out.flush();
  }

  /** One line of JSON, of the same content, that a terminal may show. */
  public void printJson(String line) {
    out.println(PlainText.ofJson(line));
  }

  /** For the bytes of a file of logs, which {@code tony logs} shows as they are. */
  public OutputStream raw() {
    return out;
  }

  public void flush() {
    out.flush();
  }

  /** When something was last written, or else when this log began, by {@link System#nanoTime}. */
  public long lastOutputNanos() {
    return timestampedOutput.lastWriteNanos;
  }

  /** Passes all on, and remembers when. */
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
