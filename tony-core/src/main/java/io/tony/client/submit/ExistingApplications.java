package io.tony.client.submit;

import io.tony.client.application.RunningApplication;
import io.tony.client.follow.StatusFile;
import io.tony.client.input.InvalidJobException;
import io.tony.client.output.JobLog;
import io.tony.client.submit.ExistingApplication.AttachDecision;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.OnExisting;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * Finds the applications of the same step that YARN has already, as after Azkaban's executor or the
 * client was killed, and decides what becomes of each. They are found by tags, of the same user.
 */
final class ExistingApplications {
  /** By how much the clocks of Azkaban and YARN may differ. */
  private static final Duration MAX_CLOCK_SKEW = Duration.ofMinutes(1);

  private final Configuration conf;
  private final YarnClient yarn;
  private final TonyConfig config;
  private final StatusFile status;
  private final JobLog out;
  private final OtherExecutions otherExecutions;

  ExistingApplications(
      Configuration conf, YarnClient yarn, TonyConfig config, StatusFile status, JobLog out) {
    this.conf = conf;
    this.yarn = yarn;
    this.config = config;
    this.status = status;
    this.out = out;
    this.otherExecutions = new OtherExecutions(conf, yarn, config, out);
  }

  /**
   * Looks for an earlier attempt of the same job of the same execution, the newest that is alive
   * or, where this is a later attempt, that has succeeded. Nothing for a job that is not Azkaban's.
   *
   * @return what is to be followed; what was not to be has ended
   * @throws InvalidJobException when one is in the way and the user wants none
   */
  Optional<ApplicationId> resolveEarlierAttempt()
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Optional<String> identity = ApplicationRequest.identityTag(config);
    if (identity.isEmpty()) {
      return Optional.empty();
    }
    Optional<ApplicationReport> alive =
        ApplicationSearch.findByTag(yarn, ApplicationSearch.LIVE, identity.get()).stream()
            .filter(this::isOfThisExecution)
            .findFirst();
    Optional<ExistingApplication> found = Optional.empty();
    if (alive.isPresent()) {
      found = Optional.of(resolveEarlierAttempt(alive.get()));
    } else if (config.get(AzkabanOptions.ATTEMPT) > 0) {
      found = findSucceededAttempt(identity.get());
    }
    return found.isPresent() && applyDecision(found.get())
        ? found.map(ExistingApplication::id)
        : Optional.empty();
  }

  /**
   * Looks for what makes a submission needless: an earlier attempt that this one would only repeat,
   * or another execution of the same step, the newest first. Where the submission goes on, it is
   * given the checkpoint folder that is its own to write.
   *
   * @return what is to be followed; what was not to be has ended or is left alone
   */
  Optional<ApplicationId> resolveReplacement(Submission submission)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Optional<ApplicationReport> next = otherExecutions.next();
    while (next.isPresent()) {
      Optional<ExistingApplication> found = otherExecutions.decide(next.get(), submission);
      if (found.isPresent() && applyDecision(found.get())) {
        return found.map(ExistingApplication::id);
      }
      next = otherExecutions.next();
    }
    // One of the others may have ended meanwhile, or was ended here.
    PreviousRun previousRun =
        PreviousRun.of(conf, yarn, config, executionStart().minus(MAX_CLOCK_SKEW));
    Optional<ExistingApplication> futile = previousRun.futileRetry(submission::specification);
    if (futile.isPresent() && applyDecision(futile.get())) {
      return futile.map(ExistingApplication::id);
    }
    otherExecutions.ownFolder().ifPresent(submission::setCheckpointFolder);
    Optional<String> previousFolder =
        previousRun.checkpointFolder().filter(uri -> !otherExecutions.isInUse(uri));
    if (previousFolder.isPresent()) {
      previousRun.printCheckpointNotice(previousFolder.get(), out);
      submission.setCheckpointFolder(previousFolder.get());
    }
    return Optional.empty();
  }

  /** For the log of a job that is stopped before it has one of its own to end. */
  Optional<String> leftAliveMessage() {
    return otherExecutions.leftAliveMessage();
  }

  /** What is told where YARN does not say whether there is one. */
  static String unknownMessage(TonyConfig config, long seconds) {
    return "whether an application of an earlier attempt has ended is not known within "
        + seconds
        + " s: yarn application -list -appTags "
        + ApplicationRequest.identityTag(config).orElse("");
  }

  /** Carries the decision out. */
  private boolean applyDecision(ExistingApplication existing)
      throws IOException, YarnException, InterruptedException {
    out.println(existing.message());
    if (existing.decision() == AttachDecision.KILL) {
      RunningApplication application = RunningApplication.of(conf, yarn, config, existing.id());
      // Should this process not live to the end of it, whoever started it kills that, too.
      status.setEndingApplication(existing.id().toString());
      status.setStopGrace(application.stopGrace());
      application.kill("a later client of the same job", out);
      status.recordEnd();
    }
    return existing.decision() == AttachDecision.FOLLOW;
  }

  private ExistingApplication resolveEarlierAttempt(ApplicationReport report)
      throws InvalidJobException {
    ApplicationId id = report.getApplicationId();
    String what = id + " of an earlier attempt of this job is still alive";
    return onExistingPolicy(config, what, id) == OnExisting.ATTACH
        ? new ExistingApplication(
            id,
            AttachDecision.FOLLOW,
            what + "; this attempt follows it: " + report.getTrackingUrl())
        : new ExistingApplication(id, AttachDecision.KILL, what + "; it is killed first");
  }

  /** When the execution began; far in the future where Azkaban does not tell. */
  private Instant executionStart() {
    try {
      return OffsetDateTime.parse(config.find(AzkabanOptions.FLOW_START).orElse("")).toInstant();
    } catch (DateTimeParseException e) {
      return Instant.MAX;
    }
  }

  /**
   * Whether an application began after the execution did: the ids of an Azkaban that was installed
   * anew begin at 1 again, and a second one may run as the same user. True where Azkaban does not
   * tell when the execution began.
   */
  private boolean isOfThisExecution(ApplicationReport report) {
    Instant start = executionStart();
    return start.equals(Instant.MAX) || startedSince(report, start);
  }

  private static boolean startedSince(ApplicationReport report, Instant start) {
    return Instant.ofEpochMilli(report.getStartTime()).plus(MAX_CLOCK_SKEW).isAfter(start);
  }

  /** One of which only the way of its result to Azkaban failed; none of before the execution. */
  private Optional<ExistingApplication> findSucceededAttempt(String identity)
      throws IOException, YarnException {
    return ApplicationSearch.findByTag(yarn, EnumSet.of(YarnApplicationState.FINISHED), identity)
        .stream()
        .filter(report -> startedSince(report, executionStart()))
        .filter(report -> report.getFinalApplicationStatus() == FinalApplicationStatus.SUCCEEDED)
        .map(ApplicationReport::getApplicationId)
        .findFirst()
        .map(
            id ->
                new ExistingApplication(
                    id,
                    AttachDecision.FOLLOW,
                    id + " of an earlier attempt of this job has succeeded; its result is taken"));
  }

  /**
   * What the user wants to become of an application that is there.
   *
   * @throws InvalidJobException where he wants none to be there
   */
  static OnExisting onExistingPolicy(TonyConfig config, String what, ApplicationId id)
      throws InvalidJobException {
    OnExisting policy = config.get(AzkabanOptions.ON_EXISTING);
    if (policy == OnExisting.FAIL) {
      throw new InvalidJobException(
          List.of(
              what
                  + ": wait for its end, kill it (tony kill "
                  + id
                  + "), or set tony.azkaban.on-existing to attach or kill"));
    }
    return policy;
  }
}
