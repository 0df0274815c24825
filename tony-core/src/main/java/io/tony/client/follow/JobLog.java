package io.tony.client.follow;

import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What a command says on its standard output: in Azkaban, the log of the job. Much of it was
 * written by the job's programs. So text that is printed is made {@link PlainText}, and events,
 * which programs such as the job's page read and believe, have a method of their own. Bytes that
 * are written, and not printed, stay as they are.
 */
public final class JobLog extends PrintStream {
  public JobLog(OutputStream out) {
    super(out, false, StandardCharsets.UTF_8);
  }

  @Override
  public void print(String text) {
    super.print(PlainText.of(String.valueOf(text)));
  }

  /** One line that programs read. */
  void event(JobEvent event) {
    synchronized (this) {
      super.print(PlainText.EVENT_MARK + " " + PlainText.ofJson(EventJson.write(event)));
      println();
    }
  }
}
