package io.tony.azkaban;

import azkaban.utils.Props;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.log4j.Logger;

/**
 * A JVM shutdown hook that ends an attempt when its pod is ended by SIGTERM, because Azkaban's
 * process in the pod does not cancel its jobs then. If Azkaban will start the flow again, the
 * application is left running instead, for the next execution to follow. Kubernetes sends SIGKILL
 * 30 s after SIGTERM, unless the pod's template sets another time.
 */
final class PodShutdown implements AutoCloseable {

  /**
   * Maximum wait, after the attempt's end, for Azkaban's main thread to store the flow's log and
   * status.
   */
  private static final long AZKABAN_LIMIT_MILLIS = 5_000;

  private static final String RETRY_STATUSES = "flow.retry.statuses";
  private static final String MAX_RETRIES = "flow.max.retries";
  private static final String OLD_RETRY = "allow.restart.on.execution.stopped";
  private static final String SOURCE = "azkaban.flow.executionsource";

  /** The attempt that runs in the pod. */
  interface Attempt {
    /** Returns true if Azkaban has cancelled the attempt. */
    boolean isCancelled();

    /** Ends the attempt and its application, and returns when both have ended. */
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
   * Registers the shutdown hook for an attempt; {@link #close} removes it. Has no effect outside of
   * pods.
   *
   * @param environment of Azkaban's JVM
   * @param application returns the id of the attempt's application or, if none is known, words for
   *     it; for the log
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
   * Returns true if Azkaban will probably start the flow again after the pod's end. The job's
   * properties do not contain the number of retries so far, only whether this execution is a retry.
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

  /**
   * Waits for Azkaban's main thread, which ends or calls {@code System.exit} after the flow's end.
   */
  private static void awaitAzkaban() throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("main")) {
        thread.join(AZKABAN_LIMIT_MILLIS);
        return;
      }
    }
  }

  /** Removes the shutdown hook, because the attempt has ended. */
  @Override
  public void close() {
    hook.ifPresent(
        thread -> {
          try {
            Runtime.getRuntime().removeShutdownHook(thread);
          } catch (IllegalStateException e) {
            // The hook is already running.
          }
        });
  }
}
