package io.tony.executor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Looks at processes that are nobody's child here. */
public final class ProcessWatch {
  private ProcessWatch() {}

  /** A process that has ended and that nobody has reaped yet does not run. */
  public static boolean running(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }

  /** No event tells of such a process's end. */
  public static void awaitEnd(long pid) throws InterruptedException {
    while (running(pid)) {
      Thread.sleep(5);
    }
  }
}
