package io.tony.client;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The process that started this client and listens to it. A client that nobody hears any more goes
 * without a word: the job trains on, and {@code tony.application.client-lost-timeout} begins to
 * count.
 */
final class Starter {
  /** Set by the job type: its process id. Without it the starter is this client's parent. */
  private static final String STARTER = "TONY_STARTER";

  /** Empty where it has ended. */
  private final Optional<ProcessHandle> process;

  private Starter(Optional<ProcessHandle> process) {
    this.process = process;
  }

  /** Whoever died before this client looked is none of its ancestors any more. */
  static Starter of(Map<String, String> environment) {
    String pid = environment.getOrDefault(STARTER, "");
    return new Starter(
        Stream.iterate(
                ProcessHandle.current().parent(),
                Optional::isPresent,
                child -> child.flatMap(ProcessHandle::parent))
            .map(Optional::get)
            .filter(ancestor -> pid.isEmpty() || pid.equals(Long.toString(ancestor.pid())))
            .findFirst());
  }

  Optional<ProcessHandle> process() {
    return process;
  }

  /** From now on, this process ends when it does; at once where it has. */
  void endWithIt() {
    if (process.isEmpty()) {
      TonyCli.exitWithoutAnEnd();
    }
    Thread thread =
        new Thread(
            () -> {
              process.get().onExit().join();
              TonyCli.exitWithoutAnEnd();
            },
            "starter");
    thread.setDaemon(true);
    thread.start();
  }
}
