package io.tony.client;

import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The process that started this client and waits for it, such as Azkaban's executor. {@link
 * #exitWithParent} makes the client exit as soon as this process has ended. The job then continues
 * until {@code tony.application.client-lost-timeout} ends it or another client follows it.
 */
final class LauncherProcess {
  /**
   * Environment variable, set by the job type, with the launcher's process id. If it is not set,
   * the launcher is the parent of this process.
   */
  private static final String PARENT_PID_VARIABLE = "TONY_STARTER";

  private static final String ENDED_MESSAGE =
      "The process that started this client has ended: nothing is submitted or followed.";

  private static final Duration POLL_INTERVAL = Duration.ofMillis(250);

  /** Empty if the launcher has ended or cannot be found. */
  private final Optional<ProcessHandle> process;

  private final boolean hasEnded;

  private LauncherProcess(Optional<ProcessHandle> process, boolean hasEnded) {
    this.process = process;
    this.hasEnded = hasEnded;
  }

  /**
   * Finds the launcher. If the environment variable names a process id, that is the ancestor of
   * this process with this id or, if a process in between has ended, any process with this id; if
   * there is none, the launcher has ended. Otherwise, the launcher is the parent of this process.
   */
  static LauncherProcess of(Map<String, String> environment) {
    Optional<ProcessHandle> parent = ProcessHandle.current().parent();
    String pid = environment.getOrDefault(PARENT_PID_VARIABLE, "");
    if (!pid.matches("\\d{1,18}") || parent.isEmpty()) {
      return new LauncherProcess(parent, false);
    }
    Optional<ProcessHandle> byPid =
        Stream.iterate(parent, Optional::isPresent, child -> child.flatMap(ProcessHandle::parent))
            .map(Optional::get)
            .filter(ancestor -> pid.equals(Long.toString(ancestor.pid())))
            .findFirst()
            .or(() -> ProcessHandle.of(Long.parseLong(pid)));
    return new LauncherProcess(byPid, byPid.isEmpty());
  }

  Optional<ProcessHandle> process() {
    return process;
  }

  boolean hasEnded() {
    return hasEnded;
  }

  /**
   * Starts to watch the launcher on a background thread: when it ends, this process exits without
   * output. If the launcher had already ended when {@link #of} was called, prints a message and
   * exits at once.
   */
  void exitWithParent() throws IOException {
    if (hasEnded) {
      System.out.println(ENDED_MESSAGE);
      TonyCli.haltWithUnknownEnd();
    }
    if (process.isPresent()) {
      Spawner.SYSTEM.startThread("starter", () -> exitAfter(process.get()));
    }
  }

  private static void exitAfter(ProcessHandle parent) {
    try {
      while (parent.isAlive()) {
        TimeUnit.NANOSECONDS.sleep(POLL_INTERVAL.toNanos());
      }
      TonyCli.haltWithUnknownEnd();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
