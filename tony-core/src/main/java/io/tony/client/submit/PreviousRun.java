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
 * The failed run of the same job that this run repeats: an earlier Azkaban attempt in the same
 * execution or, if Azkaban retries the whole flow as a new execution, the step's newest
 * application. Azkaban does not provide the id of the execution that a flow retry repeats.
 */
final class PreviousRun {
  /** Value of {@link AzkabanOptions#EXECUTION_SOURCE} in a flow retry. */
  private static final String RETRY = "retry";

  /** Maximum time between the end of a run and the flow retry that repeats it. */
  private static final Duration MAX_AGE = Duration.ofDays(1);

  /**
   * Maximum number of runs whose logs are read: the newest runs may have ended before their options
   * were logged.
   */
  private static final int MAX_RUNS = 4;

  /**
   * Maximum time between two attempts for which a repeated failure ends the job. Users who
   * configure a longer delay expect something to change meanwhile.
   */
  private static final Duration MAX_BACKOFF = Duration.ofMinutes(5);

  /**
   * Computes the hashes of the job's specification on demand, because that reads the job's files.
   */
  interface SpecificationHashes {
    List<String> read() throws IOException;
  }

  private final TonyConfig config;
  private final Instant now;
  private final boolean flowRetry;
  private final List<EndedApplication> earlierRuns;

  /**
   * Creates a view of the given runs.
   *
   * @param earlierRuns the runs since the last one that succeeded, the newest first
   */
  PreviousRun(
      TonyConfig config, Instant now, boolean flowRetry, List<EndedApplication> earlierRuns) {
    this.config = config;
    this.now = now;
    this.flowRetry = flowRetry;
    this.earlierRuns = earlierRuns;
  }

  /**
   * Finds the earlier runs in YARN and reads their logs.
   *
   * @param since when the present execution started
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
   * Returns the newest run if this run would only fail in the same way: the newest run's own
   * restarts have shown that, or the run before it failed in the same way.
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
   * Returns whether a person requested this attempt: that person has probably changed something.
   */
  private boolean isManualRetry() {
    return config.get(AzkabanOptions.ATTEMPT) > config.get(AzkabanOptions.RETRIES);
  }

  /**
   * Returns the checkpoint folder of the run that this run repeats: of an earlier attempt, even if
   * that attempt used another folder than its options say, or of the execution that a flow retry
   * repeats.
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
   * Prints that this execution continues from the checkpoints of the execution that it repeats.
   * Prints nothing for a job retry.
   */
  void printCheckpointNotice(String folder, JobLog out) {
    if (!flowRetry) {
      return; // an attempt always has the checkpoints of the attempt before it
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
