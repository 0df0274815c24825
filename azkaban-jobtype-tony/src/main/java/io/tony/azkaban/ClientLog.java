package io.tony.azkaban;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Copies a child process's output to the job's log, line by line, on its own thread. A process that
 * the child left behind can hold the stream open; it must not keep the job from ending.
 */
final class ClientLog {

  /**
   * How long to wait for the last lines after the child has ended; these lines are already in the
   * pipe.
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

  /** Waits until all output of the child, which has ended, is in the log. */
  void finish() throws InterruptedException {
    thread.join(LAST_LINES_MILLIS);
    if (!thread.isAlive()) {
      try {
        process.getInputStream().close();
      } catch (IOException e) {
        // Everything has been read.
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
      // Java 8 closes the stream of a process that is being destroyed: there is nothing more to
      // read.
    }
  }
}
