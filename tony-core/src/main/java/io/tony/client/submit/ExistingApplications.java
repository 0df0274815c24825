package io.tony.client.submit;

import io.tony.client.follow.JobLog;
import io.tony.client.follow.OtherClient;
import io.tony.client.follow.RunningApplication;
import io.tony.client.follow.StatusFile;
import io.tony.client.source.InvalidJobException;
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
 * What is there in YARN of the same step of a flow, as when Azkaban's executor or the client was
 * killed, and what becomes of it. Found by tags, of the same user; an application of another
 * execution is believed only where its staged configuration says the same.
 */
final class ExistingApplications {
  /** By how much the clocks of Azkaban and YARN may differ. */
  private static final Duration CLOCKS = Duration.ofMinutes(1);

  /** What becomes of an application that is there. */
  private enum Way {
    FOLLOW,
    KILL,
    LEAVE_ALONE
  }

  /**
   * An application that is there.
   *
   * @param told for the job's log: what it is, and what becomes of it
   */
  private record Existing(ApplicationId id, Way way, String told) {}

  private final Configuration conf;
  private final YarnClient yarn;
  private final TonyConfig config;
  private final StatusFile status;
  private final JobLog out;

  ExistingApplications(
      Configuration conf, YarnClient yarn, TonyConfig config, StatusFile status, JobLog out) {
    this.conf = conf;
    this.yarn = yarn;
    this.config = config;
    this.status = status;
    this.out = out;
  }

  /**
   * Looks for an earlier attempt of the same job of the same execution, the newest that is alive
   * or, where this is a later attempt, that has succeeded. Nothing for a job that is not Azkaban's.
   *
   * @return what is to be followed; what was not to be has ended
   * @throws InvalidJobException when one is in the way and the user wants none
   */
  Optional<ApplicationId> ofThisExecution()
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Optional<String> identity = ApplicationRequest.identityTag(config);
    if (identity.isEmpty()) {
      return Optional.empty();
    }
    List<ApplicationReport> alive =
        ApplicationSearch.tagged(yarn, ApplicationSearch.LIVE, identity.get());
    Optional<Existing> found = Optional.empty();
    if (!alive.isEmpty()) {
      found = Optional.of(ofThisExecution(alive.get(0)));
    } else if (config.get(AzkabanOptions.ATTEMPT) > 0) {
      found = succeeded(identity.get(), started());
    }
    return found.isPresent() && isFollowed(found.get())
        ? found.map(Existing::id)
        : Optional.empty();
  }

  /**
   * Looks for what makes a submission needless: an earlier attempt that this one would only repeat,
   * or another execution of the same step, the newest first.
   *
   * @return what is to be followed; what was not to be has ended or is left alone
   */
  Optional<ApplicationId> insteadOf(Submission submission)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Optional<Existing> futile = futile(submission);
    return futile.isPresent() && isFollowed(futile.get())
        ? futile.map(Existing::id)
        : ofOtherExecutions(submission);
  }

  /** The last attempt of this execution, where it failed and this one would fail as it did. */
  private Optional<Existing> futile(Submission submission) throws IOException, YarnException {
    Optional<String> identity = ApplicationRequest.identityTag(config);
    if (identity.isEmpty() || config.get(AzkabanOptions.ATTEMPT) == 0) {
      return Optional.empty();
    }
    return ApplicationSearch.tagged(yarn, ApplicationSearch.ENDED, identity.get()).stream()
        .filter(report -> isSince(started(), report))
        .limit(1)
        .filter(report -> report.getFinalApplicationStatus() == FinalApplicationStatus.FAILED)
        .map(ApplicationReport::getApplicationId)
        .filter(id -> FutileAttempt.was(conf, config, id, submission))
        .findFirst()
        .map(
            id ->
                new Existing(
                    id,
                    Way.FOLLOW,
                    "nothing is submitted: "
                        + id
                        + " of an earlier attempt of this job, with the same options and files,"
                        + " failed as any further one would; its result is taken"));
  }

  private Optional<ApplicationId> ofOtherExecutions(Submission submission)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Optional<String> step = ApplicationRequest.stepTag(config);
    List<ApplicationReport> alive =
        step.isEmpty()
            ? List.of()
            : ApplicationSearch.tagged(yarn, ApplicationSearch.LIVE, step.get());
    String specification = alive.isEmpty() ? "" : submission.specification();
    for (ApplicationReport report : alive) {
      Optional<Existing> found = ofAnotherExecution(report, specification);
      if (found.isPresent() && isFollowed(found.get())) {
        return found.map(Existing::id);
      }
    }
    return Optional.empty();
  }

  /** What is told where YARN does not say whether there is one. */
  static String unknown(TonyConfig config, long seconds) {
    return "whether an application of an earlier attempt has ended is not known within "
        + seconds
        + " s: yarn application -list -appTags "
        + ApplicationRequest.identityTag(config).orElse("");
  }

  /** Does with it what is to become of it. */
  private boolean isFollowed(Existing existing)
      throws IOException, YarnException, InterruptedException {
    out.println(existing.told());
    if (existing.way() == Way.KILL) {
      // Should this process not live to the end of it, whoever started it kills that, too.
      status.ending(existing.id().toString());
      RunningApplication.of(conf, yarn, config, existing.id())
          .kill("a later client of the same job", out);
      status.ended();
    }
    return existing.way() == Way.FOLLOW;
  }

  private Existing ofThisExecution(ApplicationReport report) throws InvalidJobException {
    ApplicationId id = report.getApplicationId();
    String what = id + " of an earlier attempt of this job is still alive";
    return onExisting(what, id) == OnExisting.ATTACH
        ? new Existing(
            id, Way.FOLLOW, what + "; this attempt follows it: " + report.getTrackingUrl())
        : new Existing(id, Way.KILL, what + "; it is killed first");
  }

  /** When the execution began; far in the future where Azkaban does not tell. */
  private Instant started() {
    try {
      return OffsetDateTime.parse(config.find(AzkabanOptions.FLOW_START).orElse("")).toInstant();
    } catch (DateTimeParseException e) {
      return Instant.MAX;
    }
  }

  /**
   * One of which only the way of its result to Azkaban failed. The ids of an Azkaban that was
   * installed anew begin at 1 again: it must have begun after the execution did.
   */
  private Optional<Existing> succeeded(String identity, Instant since)
      throws IOException, YarnException {
    return ApplicationSearch.tagged(yarn, EnumSet.of(YarnApplicationState.FINISHED), identity)
        .stream()
        .filter(report -> isSince(since, report))
        .filter(report -> report.getFinalApplicationStatus() == FinalApplicationStatus.SUCCEEDED)
        .map(ApplicationReport::getApplicationId)
        .findFirst()
        .map(
            id ->
                new Existing(
                    id,
                    Way.FOLLOW,
                    id + " of an earlier attempt of this job has succeeded; its result is taken"));
  }

  private static boolean isSince(Instant since, ApplicationReport report) {
    return Instant.ofEpochMilli(report.getStartTime()).plus(CLOCKS).isAfter(since);
  }

  private Optional<Existing> ofAnotherExecution(ApplicationReport report, String specification)
      throws InvalidJobException, IOException, InterruptedException {
    ApplicationId id = report.getApplicationId();
    RunningApplication application = RunningApplication.of(conf, yarn, config, id);
    Optional<TonyConfig> other = application.configuration();
    if (other.isEmpty() || !JobIdentity.ofStep(other.get()).equals(JobIdentity.ofStep(config))) {
      return Optional.empty(); // it has ended meanwhile, or only its tag says that it is this step
    }
    String what =
        id
            + " of execution "
            + other.get().find(AzkabanOptions.EXECUTION).orElse("")
            + " of this step";
    return Optional.of(
        switch (OtherClient.of(application, config.get(AzkabanOptions.CLIENT_GONE_AFTER))) {
          case ALIVE ->
              new Existing(
                  id, Way.LEAVE_ALONE, what + " is alive, and so is its client: it is left alone");
          case UNKNOWN ->
              new Existing(
                  id,
                  Way.LEAVE_ALONE,
                  what
                      + " is alive, and whether its client is cannot be told: it is left alone (to"
                      + " end it: tony kill "
                      + id
                      + ")");
          case GONE ->
              abandoned(
                  report,
                  other.get().find(AzkabanOptions.SPECIFICATION).orElse("").equals(specification),
                  what + " was left without a client");
        });
  }

  private Existing abandoned(ApplicationReport report, boolean same, String what)
      throws InvalidJobException {
    ApplicationId id = report.getApplicationId();
    boolean follow = onExisting(what, id) == OnExisting.ATTACH;
    if (follow && same) {
      return new Existing(
          id,
          Way.FOLLOW,
          what
              + "; options and files are the same, and this execution follows it: "
              + report.getTrackingUrl());
    }
    String why = follow ? ", and this execution's options or files are others" : "";
    return new Existing(id, Way.KILL, what + why + "; it is killed first");
  }

  /** What the user wants; an exception where he wants none to be there. */
  private OnExisting onExisting(String what, ApplicationId id) throws InvalidJobException {
    OnExisting wanted = config.get(AzkabanOptions.ON_EXISTING);
    if (wanted == OnExisting.FAIL) {
      throw new InvalidJobException(
          List.of(
              what
                  + ": wait for its end, kill it (tony kill "
                  + id
                  + "), or set tony.azkaban.on-existing to attach or kill"));
    }
    return wanted;
  }
}
