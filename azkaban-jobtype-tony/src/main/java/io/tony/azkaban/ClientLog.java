package io.tony.azkaban;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Copies a child process's output to the job's log, line by line, on a separate thread. Another
 * process that the child started may hold the stream open after the child's end; {@link #finish}
 * does not wait for it.
 */
final class ClientLog {

  /**
   * Maximum wait for the copying of the last lines after the child has ended. These lines are
   * already in the pipe.
   */
  private static final long LAST_LINES_MILLIS = 5_000;

  private final Process process;
  private final Thread thread;

  private ClientLog(Process process, Thread thread) {
    this.process = process;
    this.thread = thread;
  }

  static ClientLog follow(Process process, String name, Consumer<String> line) {
    Thread thread = new Thread(() -> copy(process, line), name);
    thread.setDaemon(true);
    thread.start();
    return new ClientLog(process, thread);
  }

  /**
   * Waits until the output of the child, which must have ended, has been copied to the log; then
   * closes the stream.
   */
  void finish() throws InterruptedException {
    thread.join(LAST_LINES_MILLIS);
    if (!thread.isAlive()) {
      try {
        process.getInputStream().close();
      } catch (IOException e) {
        // Nothing to do: the child has ended and its output has been copied.
      }
    }
  }

  private static void copy(Process process, Consumer<String> line) {
    BufferedReader reader =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    try {
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        line.accept(text);
      }
    } catch (IOException e) {
      // Java 8 closes the stream of a process that is being destroyed; nothing remains to be read.
    }
  }
}
