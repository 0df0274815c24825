package io.tony.client;

import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The process that started this client and listens to it. A client that nobody hears any more goes
 * without a word: the job trains on, and {@code tony.application.client-lost-timeout} begins to
 * count.
 */
final class LauncherProcess {
  /** Set by the job type: its process id. Without it the starter is this client's parent. */
  private static final String PARENT_PID_VARIABLE = "TONY_STARTER";

  private static final String ENDED_MESSAGE =
      "The process that started this client has ended: nothing is submitted or followed.";

  private static final Duration POLL_INTERVAL = Duration.ofMillis(250);

  /** Empty where it has ended, or is not to be seen from here. */
  private final Optional<ProcessHandle> process;

  private final boolean hasEnded;

  private LauncherProcess(Optional<ProcessHandle> process, boolean hasEnded) {
    this.process = process;
    this.hasEnded = hasEnded;
  }

  /**
   * Whoever died before this client looked is none of its ancestors any more. One that lives and is
   * none has started it by way of a process that is gone.
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

  /** From now on, this process ends when it does; at once where it has. */
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
