package io.tony.azkaban;

import azkaban.utils.Props;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.log4j.Logger;

/**
 * Handles the end of a pod by SIGTERM while an attempt runs. Azkaban's process in a pod does not
 * cancel its jobs in this case. Kubernetes sends SIGKILL after 30 s, unless the pod's template sets
 * another time.
 */
final class PodShutdown implements AutoCloseable {

  /**
   * How long to wait for Azkaban's main thread to store the log and the status of the ended flow.
   */
  private static final long AZKABAN_LIMIT_MILLIS = 5_000;

  private static final String RETRY_STATUSES = "flow.retry.statuses";
  private static final String MAX_RETRIES = "flow.max.retries";
  private static final String OLD_RETRY = "allow.restart.on.execution.stopped";
  private static final String SOURCE = "azkaban.flow.executionsource";

  /** The attempt that the pod runs. */
  interface Attempt {
    /** Returns true from the moment at which Azkaban cancelled the attempt. */
    boolean isCancelled();

    /** Ends the attempt and its application, and waits for their end. */
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
   * Registers a JVM shutdown hook for an attempt until {@link #close}; has no effect outside of
   * pods.
   *
   * @param environment of Azkaban's JVM
   * @param application describes what the attempt runs, for the log
   * @throws JobFailedException if the pod is already being ended
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
   * Returns true if Azkaban will start the flow again after the pod's end, as far as the job can
   * know: the job's properties do not hold the number of retries used, only whether this execution
   * is a retry.
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

  /** Waits for the main thread, which ends, or tries to exit, when the flow has ended. */
  private static void awaitAzkaban() throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("main")) {
        thread.join(AZKABAN_LIMIT_MILLIS);
        return;
      }
    }
  }

  /** Removes the hook; called when the attempt has ended. */
  @Override
  public void close() {
    hook.ifPresent(
        thread -> {
          try {
            Runtime.getRuntime().removeShutdownHook(thread);
          } catch (IllegalStateException e) {
            // the hook is running
          }
        });
  }
}
