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
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * Finds applications of the same job or step that YARN already has, for example because Azkaban's
 * executor or an earlier client was killed; decides for each whether to follow it, kill it or leave
 * it alone, and does so. Applications are found by tag, among those of the current user.
 */
final class ExistingApplications {
  /** Maximum difference between Azkaban's and YARN's clocks. */
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
   * Looks for an application of an earlier attempt of this job in the same Azkaban execution: the
   * newest application that has not ended or, if there is none and this is not the first attempt,
   * the newest that succeeded. A running application is killed instead of followed if the user's
   * policy ({@code tony.azkaban.on-existing}) says so.
   *
   * @return the application to follow; empty if there is none, or the job does not run in Azkaban
   * @throws InvalidJobException if an application is running and the user's policy is to fail
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
   * Looks for an application that this client can follow instead of submitting the job: a running
   * one of another execution of the same step, or a failed one whose failure the job would only
   * repeat. Kills other executions' running applications or leaves them alone, depending on their
   * state and the user's policy. If the job is to be submitted, also chooses its checkpoint folder
   * and sets it in {@code submission}.
   *
   * @return the application to follow; empty if the job is to be submitted
   * @throws InvalidJobException if an existing application prevents the submission
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
    // Search for earlier runs only now, because the loop above may have killed an application, or
    // waited until it ended.
    PreviousRun previousRun =
        PreviousRun.of(conf, yarn, config, executionStart().minus(MAX_CLOCK_SKEW));
    Optional<ExistingApplication> futile = previousRun.futileRetry(submission::specificationHashes);
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

  /**
   * Returns the sentence to print if this job is cancelled before its submission: that another
   * execution's application, which this client has found running, continues. Empty if it has found
   * none, or does not leave it running.
   */
  Optional<String> leftAliveMessage() {
    return otherExecutions.leftAliveMessage();
  }

  /**
   * Returns the message that YARN did not answer the search for earlier attempts in time.
   *
   * @param seconds how long this client waited
   */
  static String unknownMessage(TonyConfig config, long seconds) {
    return "whether an application of an earlier attempt has ended is not known within "
        + seconds
        + " s: yarn application -list -appTags "
        + ApplicationRequest.identityTag(config).orElse("");
  }

  /** Prints and carries out the decision; returns whether the application is to be followed. */
  private boolean applyDecision(ExistingApplication existing)
      throws IOException, YarnException, InterruptedException {
    out.println(existing.message());
    if (existing.decision() == AttachDecision.KILL) {
      RunningApplication application = RunningApplication.of(conf, yarn, config, existing.id());
      // If this process is killed during the kill, its parent process reads the id and completes
      // the kill.
      status.setEndingApplication(existing.id().toString());
      status.setStopGrace(application.stopGrace());
      application.kill("a later client of the same job", out);
      status.removeEndedApplication();
    }
    return existing.decision() == AttachDecision.FOLLOW;
  }

  private ExistingApplication resolveEarlierAttempt(ApplicationReport report)
      throws InvalidJobException {
    ApplicationId id = report.getApplicationId();
    String what = id + " of an earlier attempt of this job is still alive";
    return OtherExecutions.requirePolicy(config, what, id) == OnExisting.ATTACH
        ? new ExistingApplication(
            id,
            AttachDecision.FOLLOW,
            what + "; this attempt follows it: " + report.getTrackingUrl())
        : new ExistingApplication(id, AttachDecision.KILL, what + "; it is killed first");
  }

  /**
   * Returns when the flow execution started in Azkaban; {@link Instant#MAX} if Azkaban does not
   * provide the time.
   */
  private Instant executionStart() {
    try {
      return OffsetDateTime.parse(config.find(AzkabanOptions.FLOW_START).orElse("")).toInstant();
    } catch (DateTimeParseException e) {
      return Instant.MAX;
    }
  }

  /**
   * Returns true if the application started after the flow execution (give or take {@link
   * #MAX_CLOCK_SKEW}) and therefore belongs to it, or if the start of the execution is unknown. The
   * execution id alone does not show this: a newly installed Azkaban counts from 1 again, and a
   * second Azkaban may run as the same user.
   */
  private boolean isOfThisExecution(ApplicationReport report) {
    Instant start = executionStart();
    return start.equals(Instant.MAX) || startedSince(report, start);
  }

  private static boolean startedSince(ApplicationReport report, Instant start) {
    return Instant.ofEpochMilli(report.getStartTime()).plus(MAX_CLOCK_SKEW).isAfter(start);
  }

  /**
   * Returns the newest application of an earlier attempt that succeeded, with the decision to
   * follow it, because Azkaban did not get its result. Ignores applications that started before the
   * flow execution; returns empty if the start of the execution is unknown.
   */
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
}
