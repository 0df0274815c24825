package io.tony.client.submit;

import io.tony.client.output.JobLog;
import io.tony.client.submit.ExistingApplication.AttachDecision;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.ResumePolicy;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * The earlier runs that this run repeats, and what this run takes from them. They are earlier
 * attempts of the job in the same Azkaban execution or, if Azkaban retries the whole flow as a new
 * execution, the newest applications of the step, because Azkaban does not provide the id of the
 * retried execution.
 */
final class PreviousRun {
  /** Value of {@link AzkabanOptions#EXECUTION_SOURCE} if Azkaban retries a flow. */
  private static final String RETRY = "retry";

  /** Maximum time between the end of a run and the flow retry that repeats it. */
  private static final Duration MAX_AGE = Duration.ofDays(1);

  /**
   * Maximum number of earlier runs whose event logs are read. More than the two that {@link
   * #futileRetry} compares, because a run may have ended before its options were logged.
   */
  private static final int MAX_RUNS = 4;

  /**
   * Maximum time since the end of the last run for a repeated failure to end the job. Users who
   * configure a longer retry delay expect something to change in that time.
   */
  private static final Duration MAX_BACKOFF = Duration.ofMinutes(5);

  /**
   * Computes the hashes of the job's specification only when needed, because all files of the job
   * are read for that.
   */
  interface SpecificationHashes {
    List<String> read() throws IOException;
  }

  private final TonyConfig config;
  private final Instant now;
  private final boolean flowRetry;
  private final List<EndedApplication> earlierRuns;

  /**
   * Creates the view of these earlier runs.
   *
   * @param flowRetry whether Azkaban retries the whole flow as a new execution
   * @param earlierRuns the runs since the last success, the newest first
   */
  PreviousRun(
      TonyConfig config, Instant now, boolean flowRetry, List<EndedApplication> earlierRuns) {
    this.config = config;
    this.now = now;
    this.flowRetry = flowRetry;
    this.earlierRuns = earlierRuns;
  }

  /**
   * Finds the earlier runs in YARN and reads their event logs.
   *
   * @param since when the present flow execution started; for a retry of the job, applications that
   *     started earlier are ignored
   */
  static PreviousRun of(Configuration conf, YarnClient yarn, TonyConfig config, Instant since)
      throws IOException, YarnException {
    Instant now = Instant.now();
    boolean jobRetry = config.get(AzkabanOptions.ATTEMPT) > 0;
    boolean flowRetry =
        !jobRetry && RETRY.equals(config.find(AzkabanOptions.EXECUTION_SOURCE).orElse(""));
    Optional<String> tag =
        jobRetry
            ? ApplicationRequest.identityTag(config)
            : ApplicationRequest.stepTag(config).filter(step -> flowRetry);
    if (tag.isEmpty()) {
      return new PreviousRun(config, now, flowRetry, List.of());
    }
    Instant oldest = jobRetry ? since : now.minus(MAX_AGE);
    List<EndedApplication> earlierRuns =
        ApplicationSearch.findByTag(yarn, ApplicationSearch.ENDED, tag.get()).stream()
            .takeWhile(
                report -> report.getFinalApplicationStatus() != FinalApplicationStatus.SUCCEEDED)
            .filter(report -> (jobRetry ? startTime(report) : endTime(report)).isAfter(oldest))
            .limit(MAX_RUNS)
            .map(report -> EndedApplication.of(conf, config, report))
            .toList();
    return new PreviousRun(config, now, flowRetry, earlierRuns);
  }

  private static Instant startTime(ApplicationReport report) {
    return Instant.ofEpochMilli(report.getStartTime());
  }

  private static Instant endTime(ApplicationReport report) {
    return Instant.ofEpochMilli(report.getFinishTime());
  }

  /**
   * Returns the newest earlier run, with the decision to follow it, if this run would only repeat
   * its failure. That is so if the restarts within that run have shown that the job always fails in
   * the same way, or if the run before it failed in the same way. The runs compared must have the
   * same specification as this job.
   *
   * @param specification hashes of the job that is about to be submitted
   * @return empty if the job should run
   */
  Optional<ExistingApplication> futileRetry(SpecificationHashes specification) throws IOException {
    if (earlierRuns.isEmpty() || isManualRetry() || !hasFailed(earlierRuns.get(0))) {
      return Optional.empty();
    }
    EndedApplication last = earlierRuns.get(0);
    String why;
    if (last.isFutile()) {
      why =
          ", with the same options and files, failed as any further one would; its result is taken";
    } else if (isRepeatedFailure(last)) {
      why =
          " and the one before it, with the same options and files, failed in the same way; its"
              + " result is taken ("
              + AmOptions.STOP_REPEATED_FAILURES.key()
              + "=false tries again)";
    } else {
      return Optional.empty();
    }
    List<String> hashes = specification.read();
    if (!earlierRuns.stream()
        .limit(last.isFutile() ? 1 : 2)
        .allMatch(run -> run.hasSpecification(hashes))) {
      return Optional.empty();
    }
    return Optional.of(
        new ExistingApplication(
            last.report().getApplicationId(),
            AttachDecision.FOLLOW,
            "nothing is submitted: "
                + last.report().getApplicationId()
                + " of an earlier "
                + (flowRetry ? "execution of this step" : "attempt of this job")
                + why));
  }

  private boolean isRepeatedFailure(EndedApplication last) {
    return earlierRuns.size() > 1
        && hasFailed(earlierRuns.get(1))
        && last.failedLike(earlierRuns.get(1))
        && config.get(AmOptions.STOP_REPEATED_FAILURES)
        && Duration.between(endTime(last.report()), now).compareTo(MAX_BACKOFF) < 0;
  }

  private static boolean hasFailed(EndedApplication run) {
    return run.report().getFinalApplicationStatus() == FinalApplicationStatus.FAILED;
  }

  /**
   * Returns true if a person started this attempt, which shows by its number: it is higher than the
   * number of Azkaban's automatic retries. The person has probably changed something.
   */
  private boolean isManualRetry() {
    return config.get(AzkabanOptions.ATTEMPT) > config.get(AzkabanOptions.RETRIES);
  }

  /**
   * Returns the checkpoint folder of the newest earlier run whose options are known: of an earlier
   * attempt or, for a flow retry, of the execution that is retried. It may differ from the default
   * folder, for example if another application was using that one.
   *
   * @return empty if the user configured the folder, a flow retry is to start without checkpoints,
   *     or no folder is known
   */
  Optional<String> checkpointFolder() {
    boolean isWanted =
        !CheckpointLocation.isConfigured(config)
            && (!flowRetry || config.get(CheckpointOptions.RESUME) != ResumePolicy.NEVER);
    return isWanted ? describedRun().flatMap(EndedApplication::checkpointFolder) : Optional.empty();
  }

  private Optional<EndedApplication> describedRun() {
    return earlierRuns.stream().filter(run -> run.checkpointFolder().isPresent()).findFirst();
  }

  /**
   * Prints, for a flow retry, that this execution uses the checkpoints of the execution that is
   * retried.
   */
  void printCheckpointNotice(String folder, JobLog out) {
    if (!flowRetry) {
      // Within an execution, every attempt uses the checkpoints of the one before it, so say
      // nothing.
      return;
    }
    EndedApplication last = describedRun().orElseThrow();
    out.println(
        "Azkaban retries the flow: this execution has the checkpoints of execution "
            + last.execution()
            + " ("
            + last.report().getApplicationId()
            + ", "
            + last.report().getFinalApplicationStatus()
            + "), in "
            + folder);
  }
}
