package io.tony.client.follow;

import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What a command says on its standard output: in Azkaban, the log of the job. Much of it was
 * written by the job's programs. So all text is made {@link PlainText}, and events, which programs
 * such as the job's page read and believe, have a method of their own. For use by several threads.
 */
public final class JobLog {
  private final PrintStream out;

  public JobLog(OutputStream out) {
    this.out = new PrintStream(out, false, StandardCharsets.UTF_8);
  }

  public void println(Object text) {
    out.println(PlainText.of(String.valueOf(text)));
  }

  /** One line that programs read. */
  void event(JobEvent event) {
    out.println(PlainText.EVENT_MARK + " " + PlainText.ofJson(EventJson.write(event)));
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
}
