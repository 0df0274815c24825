package io.tony.azkaban;

import azkaban.utils.Props;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.log4j.Logger;

/**
 * What becomes of a running attempt when its pod is ended by SIGTERM. Azkaban's process in a pod
 * does not cancel its jobs then. Kubernetes ends the pod by SIGKILL after 30 s, unless its template
 * says otherwise.
 */
final class PodShutdown implements AutoCloseable {

  /** How long Azkaban may take to store the log and the status of what has ended, in its main. */
  private static final long AZKABAN_LIMIT_MILLIS = 5_000;

  private static final String RETRY_STATUSES = "flow.retry.statuses";
  private static final String MAX_RETRIES = "flow.max.retries";
  private static final String OLD_RETRY = "allow.restart.on.execution.stopped";
  private static final String SOURCE = "azkaban.flow.executionsource";

  /** The attempt that the pod runs. */
  interface Attempt {
    /** True from the moment at which Azkaban wanted it ended. */
    boolean isCancelled();

    /** Ends it and its application, and waits for their end. */
    void cancel() throws InterruptedException;
  }

  private final Optional<Thread> hook;

  private PodShutdown(
      boolean isPod, boolean isRetried, Logger log, Supplier<String> application, Attempt attempt) {
    this.hook =
        isPod
            ? Optional.of(
                new Thread(
                    () -> shutDown(isRetried, log, application, attempt), "tony-pod-shutdown"))
            : Optional.empty();
  }

  /**
   * Watches over an attempt until it is closed; does nothing outside of pods.
   *
   * @param environment of Azkaban's JVM
   * @param application what the attempt runs, in words
   * @throws JobFailedException when the pod is already being ended
   */
  static PodShutdown watch(
      Map<String, String> environment,
      Props job,
      Logger log,
      Supplier<String> application,
      Attempt attempt)
      throws JobFailedException {
    PodShutdown shutdown =
        new PodShutdown(Pod.isPod(environment), isRetried(job), log, application, attempt);
    if (shutdown.hook.isPresent()) {
      try {
        Runtime.getRuntime().addShutdownHook(shutdown.hook.get());
      } catch (IllegalStateException e) {
        throw new JobFailedException("This pod is being ended: nothing is submitted from it.");
      }
    }
    return shutdown;
  }

  /**
   * Whether Azkaban starts the flow again when the pod has ended, as far as the job can know: the
   * number of retries is not among its properties, only whether this execution is one.
   */
  static boolean isRetried(Props job) {
    boolean isRequested =
        Boolean.parseBoolean(job.getString(OLD_RETRY, "false"))
            || Arrays.asList(job.getString(RETRY_STATUSES, "").trim().split("\\s*,\\s*", -1))
                .contains("EXECUTION_STOPPED");
    int max;
    try {
      max = Integer.parseInt(job.getString(MAX_RETRIES, "1").trim());
    } catch (NumberFormatException e) {
      max = 0;
    }
    int used = job.getString(SOURCE, "").equals("retry") ? 1 : 0;
    return isRequested && max > used;
  }

  private void shutDown(
      boolean isRetried, Logger log, Supplier<String> application, Attempt attempt) {
    if (isRetried && !attempt.isCancelled()) {
      log.warn(
          "This pod is being ended. Azkaban starts the flow again (flow parameter "
              + RETRY_STATUSES
              + "): "
              + application.get()
              + " is left to run, and the next execution follows it.");
      return;
    }
    log.warn(
        attempt.isCancelled()
            ? "This pod is being ended: the kill of the job is finished first."
            : "This pod is being ended, and Azkaban does not retry the flow after EXECUTION_STOPPED:"
                + " the job is stopped.");
    try {
      attempt.cancel();
      awaitAzkaban();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the main thread, which ends, or would exit, when the flow has ended. */
  private static void awaitAzkaban() throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("main")) {
        thread.join(AZKABAN_LIMIT_MILLIS);
        return;
      }
    }
  }

  /** The attempt has ended. */
  @Override
  public void close() {
    hook.ifPresent(
        thread -> {
          try {
            Runtime.getRuntime().removeShutdownHook(thread);
          } catch (IllegalStateException e) {
            // it runs
          }
        });
  }
}
