package io.tony.client.submit;

import io.tony.client.application.OtherClient;
import io.tony.client.application.RunningApplication;
import io.tony.client.input.InvalidJobException;
import io.tony.client.output.JobLog;
import io.tony.client.submit.ExistingApplication.AttachDecision;
import io.tony.clock.AwakeClock;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.OnExisting;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * Decides what to do about running applications of other executions of the same step. An
 * application is left alone if its client is alive, and followed or killed if it has none. It is
 * also killed if its ApplicationMaster is running but does not answer, so that two applications do
 * not train at the same time. An application belongs to the step only if its staged configuration
 * names the step; the tag alone is not trusted.
 */
final class OtherExecutions {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

  /** Maximum wait for the end of an application whose staged files were deleted. */
  private static final Duration MAX_END_WAIT = Duration.ofSeconds(20);

  private final Duration maxEndWait;
  private final Configuration conf;
  private final YarnClient yarn;
  private final TonyConfig config;
  private final JobLog out;

  /** Ids of the applications that {@link #next} has returned, so that it returns each only once. */
  private final Set<ApplicationId> foundIds = new HashSet<>();

  private boolean anyUnreadable;

  /** Checkpoint folders of the applications that are left alone. */
  private final Set<String> foldersInUse = new TreeSet<>();

  private Optional<String> ownFolder = Optional.empty();
  // Describes the last application that was found running and may be left running; empty if there
  // is none, or this execution follows or kills it. Set by the thread that runs the job, read by
  // the thread that cancels it.
  private volatile Optional<String> leftAlive = Optional.empty();

  OtherExecutions(Configuration conf, YarnClient yarn, TonyConfig config, JobLog out) {
    this(conf, yarn, config, out, MAX_END_WAIT);
  }

  /**
   * Like the other constructor, but with a maximum wait for the end of an application whose staged
   * files were deleted.
   */
  OtherExecutions(
      Configuration conf, YarnClient yarn, TonyConfig config, JobLog out, Duration maxEndWait) {
    this.maxEndWait = maxEndWait;
    this.conf = conf;
    this.yarn = yarn;
    this.config = config;
    this.out = out;
  }

  /**
   * Returns the newest application of the step that has not ended and that this method has not
   * returned before; empty if there is none, or the job does not run in Azkaban. Each call queries
   * YARN, because more applications may have started meanwhile.
   */
  Optional<ApplicationReport> next() throws IOException, YarnException {
    Optional<String> step = ApplicationRequest.stepTag(config);
    if (step.isEmpty()) {
      return Optional.empty();
    }
    return ApplicationSearch.findByTag(yarn, ApplicationSearch.LIVE, step.get()).stream()
        .filter(report -> foundIds.add(report.getApplicationId()))
        .findFirst();
  }

  /**
   * Decides what to do about another application that has the step's tag. Waits until it is known
   * whether the application's client is alive, which may take more than a minute.
   *
   * @return empty if the application has ended and its result cannot be used, or it belongs to
   *     another step
   * @throws InvalidJobException if the application prevents this submission
   */
  Optional<ExistingApplication> decide(ApplicationReport report, Submission submission)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    ApplicationId id = report.getApplicationId();
    RunningApplication application = RunningApplication.of(conf, yarn, config, id);
    Optional<TonyConfig> other = awaitConfiguration(application);
    if (other.isEmpty()) {
      return decideUnreadable(application.report());
    }
    if (!JobIdentity.ofStep(other.get()).equals(JobIdentity.ofStep(config))) {
      return Optional.empty();
    }
    String what =
        id
            + " of execution "
            + other.get().find(AzkabanOptions.EXECUTION).orElse("")
            + " of this step";
    leftAlive = Optional.of(what);
    out.println(
        what + " is there already: whether its client still follows it is known in 20 to 90 s");
    out.flush();
    OtherClient client =
        OtherClient.detect(application, config.get(AzkabanOptions.CLIENT_STALE_AFTER));
    Optional<ExistingApplication> decision =
        decideByClient(client, application.report(), what, other.get(), submission);
    leftAlive =
        decision.filter(found -> found.decision() == AttachDecision.LEAVE_ALONE).map(found -> what);
    return decision;
  }

  /**
   * Decides what to do about another application of this step.
   *
   * @param client state of that application's client
   * @param what describes the application, for messages
   * @param other configuration of that application
   * @return empty if the application has ended and its result cannot be used
   */
  Optional<ExistingApplication> decideByClient(
      OtherClient client,
      ApplicationReport report,
      String what,
      TonyConfig other,
      Submission submission)
      throws InvalidJobException, IOException {
    return switch (client) {
      case ALIVE ->
          Optional.of(
              leaveAlone(
                  report.getApplicationId(),
                  what + " is alive, and so is its client",
                  other,
                  submission));
      case GONE ->
          Optional.of(
              decideAbandoned(
                  report,
                  isSameSpecification(other, submission),
                  what + " was left without a client"));
      case ENDED, ENDED_ALONE ->
          decideEnded(
              report,
              client == OtherClient.ENDED_ALONE && isSameSpecification(other, submission),
              what);
      case UNKNOWN -> Optional.of(decideUnanswered(report, what, other, submission));
    };
  }

  /**
   * Returns a checkpoint folder that only this execution uses; empty if this execution can use the
   * usual folder, because no application that is left alone may write to it.
   */
  Optional<String> ownFolder() {
    return ownFolder;
  }

  /** Returns whether an application that is left alone may write its checkpoints to this folder. */
  boolean isInUse(String folder) {
    return anyUnreadable || foldersInUse.contains(folder);
  }

  /**
   * Returns the sentence to print if this execution is cancelled before its submission: that
   * another execution's application, which this client has found running, continues. Empty if it
   * has found none, or does not leave it running.
   */
  Optional<String> leftAliveMessage() {
    return leftAlive.map(
        what ->
            what
                + " was found alive, and goes on (to end it: tony kill "
                + what.substring(0, what.indexOf(' '))
                + ")");
  }

  private static boolean isSameSpecification(TonyConfig other, Submission submission)
      throws IOException {
    return submission
        .specificationHashes()
        .contains(other.find(AzkabanOptions.SPECIFICATION).orElse(""));
  }

  /**
   * Returns the configuration in the application's staging folder. If it cannot be read, waits up
   * to {@code maxEndWait} until the application has ended, because an ApplicationMaster deletes its
   * staged files shortly before YARN shows the application as ended; returns empty if it still
   * cannot be read.
   */
  private Optional<TonyConfig> awaitConfiguration(RunningApplication application)
      throws IOException, YarnException, InterruptedException {
    long deadline = AwakeClock.nanoTime() + maxEndWait.toNanos();
    Optional<TonyConfig> found = application.configuration();
    while (found.isEmpty()
        && !RunningApplication.hasEnded(application.report())
        && AwakeClock.nanoTime() < deadline) {
      Thread.sleep(POLL_INTERVAL.toMillis());
      found = application.configuration();
    }
    return found;
  }

  /**
   * Decides what to do about an application that has the step's tag, but whose staged configuration
   * cannot be read. Leaves it alone and, unless the user configured a checkpoint folder, gives this
   * execution a folder of its own. Returns empty if the application has ended.
   */
  private Optional<ExistingApplication> decideUnreadable(ApplicationReport report)
      throws IOException {
    if (RunningApplication.hasEnded(report)) {
      return Optional.empty();
    }
    anyUnreadable = true;
    if (!CheckpointLocation.isConfigured(config)) {
      ownFolder = Optional.of(CheckpointLocation.executionUri(FileSystem.get(conf), config));
    }
    return Optional.of(
        new ExistingApplication(
            report.getApplicationId(),
            AttachDecision.LEAVE_ALONE,
            report.getApplicationId()
                + " has the tag of this step, and its files cannot be read: it is left alone"));
  }

  /**
   * Decides to leave the application alone, and gives this execution another checkpoint folder if
   * both would write to the same one.
   *
   * @param what describes the application, for messages
   * @param other configuration of that application
   * @throws InvalidJobException if both would write to the same folder and the user configured it
   */
  private ExistingApplication leaveAlone(
      ApplicationId id, String what, TonyConfig other, Submission submission)
      throws InvalidJobException, IOException {
    FileSystem fs = FileSystem.get(conf);
    String theirs = other.find(JobOptions.CHECKPOINT_DIR).orElse("");
    String mine = CheckpointLocation.uri(fs, config, "");
    foldersInUse.add(theirs);
    if (!theirs.equals(mine)) {
      return new ExistingApplication(id, AttachDecision.LEAVE_ALONE, what + ": it is left alone");
    }
    if (CheckpointLocation.isConfigured(config)) {
      throw new InvalidJobException(
          List.of(
              what
                  + "; both would write the checkpoints of "
                  + JobOptions.CHECKPOINT_DIR.key()
                  + "="
                  + mine
                  + ": wait for its end, kill it (tony kill "
                  + id
                  + "), or give each execution a folder of its own, with"
                  + " ${azkaban.flow.execid} in its name"));
    }
    String execution = CheckpointLocation.executionUri(fs, config);
    ownFolder =
        Optional.of(
            foldersInUse.contains(execution) ? execution + "-" + submission.id() : execution);
    return new ExistingApplication(
        id,
        AttachDecision.LEAVE_ALONE,
        what
            + ": it is left alone, with the step's checkpoints. This execution keeps its own in "
            + ownFolder.get());
  }

  private ExistingApplication decideAbandoned(ApplicationReport report, boolean same, String what)
      throws InvalidJobException {
    ApplicationId id = report.getApplicationId();
    boolean follow = requirePolicy(config, what, id) == OnExisting.ATTACH;
    if (follow && same) {
      return new ExistingApplication(
          id,
          AttachDecision.FOLLOW,
          what
              + "; options and files are the same, and this execution follows it: "
              + report.getTrackingUrl());
    }
    String why = follow ? ", and this execution's options or files are others" : "";
    return new ExistingApplication(id, AttachDecision.KILL, what + why + "; it is killed first");
  }

  /**
   * Decides what to do about an application that ended while this client examined it: follows it if
   * it succeeded, its result is usable and the user's policy is to attach; otherwise returns empty.
   *
   * @param resultUsable whether the application's options and files are the same, and no client got
   *     its result
   */
  private Optional<ExistingApplication> decideEnded(
      ApplicationReport report, boolean resultUsable, String what) throws InvalidJobException {
    FinalApplicationStatus status = report.getFinalApplicationStatus();
    String message = what + " has ended meanwhile: " + status;
    boolean taken =
        resultUsable
            && status == FinalApplicationStatus.SUCCEEDED
            && config.get(AzkabanOptions.ON_EXISTING) == OnExisting.ATTACH;
    if (!taken) {
      out.println(message + "; this execution runs the step anew");
      return Optional.empty();
    }
    return Optional.of(
        new ExistingApplication(
            report.getApplicationId(),
            AttachDecision.FOLLOW,
            message
                + ", without a client; options and files are the same, and its result is taken"));
  }

  /**
   * Decides what to do about an application whose ApplicationMaster does not answer. If YARN has
   * not started the ApplicationMaster yet, the application trains nothing and is left alone. If the
   * application is running, it is killed, because its tasks may be training.
   *
   * @throws InvalidJobException if it would be left alone but both use the same configured
   *     checkpoint folder, or if the user's policy does not allow killing it
   */
  private ExistingApplication decideUnanswered(
      ApplicationReport report, String what, TonyConfig other, Submission submission)
      throws InvalidJobException, IOException {
    ApplicationId id = report.getApplicationId();
    if (report.getYarnApplicationState() != YarnApplicationState.RUNNING) {
      return leaveAlone(id, what + " waits for its ApplicationMaster", other, submission);
    }
    Duration silence = config.get(AzkabanOptions.CLIENT_STALE_AFTER);
    String message =
        what + " has an ApplicationMaster that has not answered for " + silence.toSeconds() + " s";
    requirePolicy(config, message, id);
    return new ExistingApplication(id, AttachDecision.KILL, message + "; it is killed first");
  }

  /**
   * Returns the user's policy for existing applications ({@code tony.azkaban.on-existing}): attach
   * or kill.
   *
   * @param what describes the application; the exception's message begins with it
   * @throws InvalidJobException if the policy is that the job fails
   */
  static OnExisting requirePolicy(TonyConfig config, String what, ApplicationId id)
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
