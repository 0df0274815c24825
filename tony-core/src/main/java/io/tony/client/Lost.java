package io.tony.client;

import io.tony.client.follow.ExitCode;
import io.tony.client.follow.JobLog;
import io.tony.client.follow.Refusal;
import io.tony.client.source.JobFolder;
import io.tony.config.Secrets;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Tells of trouble that nobody foresaw: a sentence for whoever runs the job, and the trace for
 * whoever looks after the program. A terminal gets both. In Azkaban the trace goes to a file in the
 * folder of the execution, which Azkaban deletes after a time, and the sentence names the file.
 */
final class Lost {
  /** Such files are shipped to no task. */
  private static final String PREFIX = ".tony-client-";

  private final Map<String, String> environment;
  private final JobLog out;
  private final PrintStream err;

  Lost(Map<String, String> environment, JobLog out, PrintStream err) {
    this.environment = environment;
    this.out = out;
    this.err = err;
  }

  /** A command could not do its work. */
  ExitCode command(Throwable trouble) {
    out.tellAll();
    if (Refusal.of(trouble).isPresent()) {
      out.println("FAILED: " + Refusal.sentence(trouble)); // what to do is said
    } else {
      tell("FAILED (LOST): ", trouble);
    }
    return ExitCode.INFRASTRUCTURE;
  }

  /** A thread beside the command's own has ended. */
  void thread(Thread thread, Throwable trouble) {
    tell("warning: the thread " + thread.getName() + " of this client has ended: ", trouble);
  }

  private void tell(String what, Throwable trouble) {
    StringWriter text = new StringWriter();
    trouble.printStackTrace(new PrintWriter(text));
    String trace = Secrets.maskText(text.toString());
    String sentence = what + Refusal.sentence(trouble);
    try {
      JobFolder folder = JobFolder.of(environment);
      if (folder.isConfined()) {
        // A new file, never one that somebody has put there, and for Azkaban's own user only.
        Path file = Files.createTempFile(folder.top(), PREFIX, ".log");
        Files.writeString(file, trace);
        out.println(sentence + "; its trace is in " + file + " of Azkaban's executor");
      } else {
        out.println(sentence);
        err.print(trace);
      }
    } catch (IOException | RuntimeException e) {
      out.println(sentence + "; its trace could not be written: " + Refusal.sentence(e));
    }
    out.flush();
  }
}
