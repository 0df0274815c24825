package io.tony.azkaban;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.Logger;

/** Runs a client that ends one application, and waits for the client. */
final class KillCommand {

  /**
   * Default time limit. Within it, the client's JVM starts, calls YARN and waits for the
   * application's end.
   */
  static final long LIMIT_MILLIS = 60_000;

  /**
   * Maximum time limit, even if the user's programs need longer to end, so that Azkaban does not
   * wait without limit.
   */
  static final long MAX_LIMIT_MILLIS = 300_000;

  private KillCommand() {}

  /**
   * Runs the command and copies its output to the job's log. If the process exceeds the time limit,
   * kills it.
   *
   * @param name the name of the thread that copies the output
   * @param unknown text that ends the log message about a failure; it says that the application may
   *     still run
   * @return true if the application has ended; otherwise the log contains the reason
   */
  static boolean run(
      ProcessBuilder command, String name, long limitMillis, String unknown, Logger log)
      throws InterruptedException {
    try {
      Process process = command.start();
      process.getOutputStream().close();
      ClientLog output = ClientLog.follow(process, name, log::info);
      boolean ended = false;
      if (!process.waitFor(limitMillis, TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        log.error("The kill did not end in " + limitMillis + " ms" + unknown);
      } else if (process.exitValue() != 0) {
        log.error("The kill failed with exit code " + process.exitValue() + unknown);
      } else {
        ended = true;
      }
      output.finish();
      return ended;
    } catch (IOException e) {
      log.error("The kill could not be started (" + e.getMessage() + ")" + unknown);
      return false;
    }
  }
}
