package io.tony.azkaban;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.Logger;

/** A client that ends one application, awaited to its end. */
final class KillCommand {

  /** For a JVM to start, ask YARN and wait for the end of the application. */
  static final long LIMIT_MILLIS = 60_000;

  /** For a job whose programs take long to end: Azkaban does not wait for ever. */
  static final long MAX_LIMIT_MILLIS = 300_000;

  private KillCommand() {}

  /**
   * Runs it, with its output in the job's log.
   *
   * @param name of the thread that copies the output
   * @param unknown the end of the sentence that says why the end of the application is not known
   * @return whether the application has ended; the log says why not
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
