package io.tony.client.application;

import io.tony.config.TonyConfig;
import io.tony.container.JvmStartFailure;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;

/** Derives the result of a job from YARN's report, for jobs whose event log contains no result. */
public final class YarnResult {
  /**
   * Matches the exit code with which a shell reports that a command (here, java) does not exist.
   */
  private static final Pattern NO_JAVA = Pattern.compile("exitCode: 127\\b");

  private static final String NO_JAVA_REMEDY =
      ", because its node has no Java where one was looked for: " + JvmStartFailure.NO_JAVA_REMEDY;

  private YarnResult() {}

  /**
   * Like {@link #of(ApplicationReport, String, boolean)}, but explains a failed start of the
   * ApplicationMaster's JVM, for which the job's options must be known.
   */
  public static JobResult of(
      ApplicationReport report, String schedulerName, boolean logStarted, TonyConfig config) {
    if (report.getYarnApplicationState() == YarnApplicationState.FAILED) {
      Optional<JvmStartFailure> noStart = JvmStartFailure.ofMaster(config, diagnostics(report));
      if (noStart.isPresent()) {
        FailureKind kind =
            noStart.get().causedByOptions() ? FailureKind.INVALID : FailureKind.AM_LOST;
        return JobResult.failed(kind, noStart.get().sentence());
      }
    }
    return of(report, schedulerName, logStarted);
  }

  private static String diagnostics(ApplicationReport report) {
    return report.getDiagnostics() == null ? "" : report.getDiagnostics().strip();
  }

  /**
   * Like {@link #of(ApplicationReport, String, boolean)}, for a job whose ApplicationMaster has
   * begun the event log.
   */
  public static JobResult of(ApplicationReport report, String schedulerName) {
    return of(report, schedulerName, true);
  }

  /**
   * Returns the result of the job according to YARN.
   *
   * @param schedulerName who reports the result, as the beginning of a sentence
   * @param logStarted whether an ApplicationMaster has begun the event log; if not, the user's
   *     programs never ran, so a failure is not theirs
   */
  public static JobResult of(ApplicationReport report, String schedulerName, boolean logStarted) {
    String diagnostics = diagnostics(report);
    String message = schedulerName + " says: " + diagnostics;
    if (report.getYarnApplicationState() == YarnApplicationState.KILLED) {
      return JobResult.killed(message);
    }
    if (report.getYarnApplicationState() == YarnApplicationState.FINISHED) {
      // The ApplicationMaster reported the status to YARN, so it ended normally; only the event
      // log cannot be read.
      return switch (report.getFinalApplicationStatus()) {
        case SUCCEEDED -> JobResult.succeeded(message);
        case KILLED -> JobResult.killed(message);
        case FAILED, UNDEFINED, ENDED ->
            JobResult.failed(logStarted ? FailureKind.PROGRAM : FailureKind.AM_LOST, message);
      };
    }
    return JobResult.failed(
        FailureKind.AM_LOST,
        "the ApplicationMaster was lost; "
            + attemptText(report)
            + " (tony.am.max-attempts)"
            + (NO_JAVA.matcher(diagnostics).find() ? NO_JAVA_REMEDY : "")
            + ". "
            + message);
  }

  private static String attemptText(ApplicationReport report) {
    ApplicationAttemptId last = report.getCurrentApplicationAttemptId();
    int count = last == null ? 0 : last.getAttemptId();
    return count == 1 ? "1 was tried" : count + " were tried";
  }
}
