package io.tony.client.follow;

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
  private final LastOutput lastOutput;
  private final PrintStream out;
  private final EventLines events;
  private final Consumer<JobEvent> programs;

  public JobLog(OutputStream out) {
    this(out, InstantSource.system());
  }

  JobLog(OutputStream out, InstantSource clock) {
    this.lastOutput = new LastOutput(out);
    this.out = new PrintStream(lastOutput, false, StandardCharsets.UTF_8);
    this.events = new EventLines(this.out, clock);
    this.programs = events::add;
  }

  /** Whose events go to a program in this process, at once, and not to the output. */
  public JobLog(OutputStream out, Consumer<JobEvent> listener) {
    this.lastOutput = new LastOutput(out);
    this.out = new PrintStream(lastOutput, false, StandardCharsets.UTF_8);
    this.events = new EventLines(this.out, InstantSource.system());
    this.programs = listener;
  }

  public void println(Object text) {
    out.println(PlainText.of(String.valueOf(text)));
  }

  /** For programs: in one of the next {@link EventLines}, or at once in this process. */
  void event(JobEvent event) {
    programs.accept(event);
  }

  /** Tells programs what is due; returns how long nothing else is, {@code most} at most. */
  Duration tellDue(Duration most) {
    Duration left = events.tellDue(most);
    out.flush();
    return left;
  }

  /** Tells programs all that they have not been told yet. */
  public void tellAll() {
    events.tellAll();
    out.flush();
  }

  /** One line of JSON, of the same content, that a terminal may show. */
  public void json(String line) {
    out.println(PlainText.ofJson(line));
  }

  /** For the bytes of a file of logs, which {@code tony logs} shows as they are. */
  OutputStream raw() {
    return out;
  }

  public void flush() {
    out.flush();
  }

  /** When something was last written, or else when this log began, by {@link System#nanoTime}. */
  public long lastOutput() {
    return lastOutput.at;
  }

  /** Passes all on, and remembers when. */
  private static final class LastOutput extends FilterOutputStream {
    private volatile long at = System.nanoTime();

    LastOutput(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int one) throws IOException {
      at = System.nanoTime();
      out.write(one);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      at = System.nanoTime();
      out.write(bytes, from, length);
    }
  }
}
