package io.tony.client.follow;

import io.tony.client.application.EventLogReader;
import io.tony.client.application.LogLinks;
import io.tony.client.application.MasterConnection;
import io.tony.client.application.QueueWatch;
import io.tony.client.application.RunningApplication;
import io.tony.client.application.YarnResult;
import io.tony.client.narrate.Narrator;
import io.tony.client.output.DurationText;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import io.tony.container.PollInterval;
import io.tony.event.JobFact;
import io.tony.event.TaskFact;
import io.tony.eventlog.ForeignLogException;
import io.tony.metrics.ReportedProgress;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.protocol.ClientProtocol;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows one application to its end and reports its progress. If the ApplicationMaster is lost,
 * the follower continues with the next one, which continues the same event log.
 */
public final class ApplicationFollower {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationFollower.class);

  /** Maximum number of characters of the outputs of all tasks, including their names. */
  public static final int MAX_OUTPUT_CHARS = JobView.MAX_OUTPUT_CHARS;

  /** Time without an event after which a user wants to know the reason. */
  private static final Duration MAX_SILENCE = Duration.ofSeconds(19);

  /** Maximum duration of one call that waits for events. */
  private static final Duration WATCH_TIMEOUT = Duration.ofMillis(ClientProtocol.WATCH_MS);

  private final Configuration conf;
  private final TonyConfig config;
  private final RunningApplication application;
  private final JobLog out;
  private final StatusFile status;
  private final Narrator narrator;
  private final QueueWatch queueWatch;
  private final JobView jobView = new JobView();
  private final PollInterval interval = RunningApplication.pollInterval();
  private String progress = ""; // last progress line not yet written to the status file
  private long seenCount;
  private boolean logStarted; // whether an ApplicationMaster has begun the job's event log
  private int masterAttempt; // attempt that sent the last event; 0 before the first

  /** Last report with the address of an ApplicationMaster; null before the first. */
  private ApplicationReport lastMasterReport;

  public ApplicationFollower(
      Configuration conf,
      TonyConfig config,
      RunningApplication application,
      JobLog out,
      StatusFile status,
      Narrator narrator) {
    this.conf = conf;
    this.config = config;
    this.application = application;
    this.out = out;
    this.status = status;
    this.narrator = narrator;
    this.queueWatch = new QueueWatch(application, out);
  }

  /**
   * Follows the application and returns how the job ended. By then YARN knows the end, too, unless
   * the job was stopped.
   *
   * @param limit how long to wait for an ApplicationMaster to begin the job, before this client
   *     kills the application
   */
  public JobResult followToEnd(StartLimit limit)
      throws IOException, YarnException, InterruptedException {
    out.flushEvents(); // so that programs learn the application's id immediately
    ApplicationReport report = application.report();
    boolean finished = false;
    while (!finished && !RunningApplication.hasEnded(report)) {
      try (MasterConnection master = application.connect(report)) {
        if (master != null) {
          finished = watch(master, report);
        } else if (isStartOverdue(report, limit)) {
          return killUnstarted("did not start", limit, "the queue may be full");
        } else {
          queueWatch.updateWaiting(report);
          pause(limit);
        }
      } catch (IOException e) {
        LOG.info("The ApplicationMaster is out of reach, YARN knows more: {}", e.toString());
        if (isStartOverdue(report, limit)) {
          return killUnstarted("has told nothing", limit, "its node may not answer");
        }
        pause(limit);
      }
      report = finished ? report : nextReport(report);
    }
    return finished ? finishedResult() : lostResult(report);
  }

  /** Returns the result that the ApplicationMaster sent. */
  private JobResult finishedResult() throws IOException, YarnException, InterruptedException {
    if (jobView.result() != null) {
      return jobView.result();
    }
    application.awaitEnd(); // its last event is of a version that this client does not understand
    return YarnResult.of(application.report(), application.schedulerName(), true, config);
  }

  /** Returns the result of an application that ended while no ApplicationMaster answered. */
  private JobResult lostResult(ApplicationReport report) throws IOException, YarnException {
    boolean started = readRemainingEvents(report.getUser());
    application.deleteStaging();
    return jobView.result() == null
        ? YarnResult.of(report, application.schedulerName(), started, config)
        : jobView.result();
  }

  /**
   * Returns whether to give the application up: the limit has passed, and no ApplicationMaster has
   * begun the job's log. The log is read because the job may have begun before this client
   * connected, and the tasks of a lost ApplicationMaster keep running.
   */
  private boolean isStartOverdue(ApplicationReport report, StartLimit limit) {
    if (logStarted || !limit.isExpired()) {
      return false;
    }
    try {
      new EventLogReader(conf, config)
          .tail(application.id(), report.getUser())
          .read(1, (line, event) -> logStarted = true);
      return !logStarted;
    } catch (ForeignLogException e) { // so the job has no log of its own
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.info("Whether the job has begun is not known: {}", e.toString());
      return false;
    }
  }

  /** Waits before the next poll of YARN, but not longer than the start limit. */
  private void pause(StartLimit limit) throws InterruptedException {
    application.recordClientAlive();
    application.pause(limit.shorten(interval.next()));
  }

  public JobView jobView() {
    return jobView;
  }

  /**
   * Returns the number of tasks whose outputs are left out because all outputs together are too
   * large.
   */
  public int omittedOutputCount() {
    return jobView.omittedOutputCount();
  }

  /**
   * Returns YARN's present report. After an ApplicationMaster dies, YARN shows its address for a
   * while, and calls to it fail. It is reported as lost when YARN counts another attempt.
   */
  private ApplicationReport nextReport(ApplicationReport before) throws IOException, YarnException {
    if (before.getRpcPort() > 0) {
      lastMasterReport = before;
    }
    ApplicationReport report = application.report();
    if (hasChanged(before, report)) {
      interval.reset();
    }
    ApplicationAttemptId attempt = before.getCurrentApplicationAttemptId();
    if (attempt != null
        && !RunningApplication.hasEnded(report)
        && !attempt.equals(report.getCurrentApplicationAttemptId())) {
      boolean seenBefore =
          lastMasterReport != null
              && attempt.equals(lastMasterReport.getCurrentApplicationAttemptId());
      narrator.narrateMasterLoss(seenBefore ? lastMasterReport.getHost() : null);
    }
    return report;
  }

  private static boolean hasChanged(ApplicationReport before, ApplicationReport now) {
    return before.getYarnApplicationState() != now.getYarnApplicationState()
        || before.getRpcPort() != now.getRpcPort()
        || !Objects.equals(
            before.getCurrentApplicationAttemptId(), now.getCurrentApplicationAttemptId());
  }

  private JobResult killUnstarted(String what, StartLimit limit, String why)
      throws IOException, YarnException, InterruptedException {
    application.kill("the client: tony.am.startup-timeout has passed", out);
    return JobResult.failed(
        FailureKind.TIMEOUT,
        "the ApplicationMaster "
            + what
            + " within "
            + limit.text()
            + " (tony.am.startup-timeout): "
            + why);
  }

  /**
   * Receives events until the job or the connection ends; returns whether the job has ended.
   * Flushes the events for programs in any case, because another ApplicationMaster may take long to
   * start.
   */
  private boolean watch(MasterConnection master, ApplicationReport report) throws IOException {
    queueWatch.endWaiting();
    try {
      return watchEvents(master, report);
    } finally {
      out.flushEvents();
    }
  }

  private boolean watchEvents(MasterConnection master, ApplicationReport report)
      throws IOException {
    long lastNewsNanos = System.nanoTime();
    while (true) {
      MasterConnection.EventBatch news =
          master.watch(seenCount, masterAttempt, out.flushDueEvents(WATCH_TIMEOUT));
      interval.reset(); // if this ApplicationMaster is lost, the next one may start soon
      for (JobEvent event : news.events()) {
        seenCount++;
        logStarted = true;
        handle(event);
      }
      reportProgress();
      if (news.finished()) {
        return true;
      }
      if (!news.events().isEmpty()) {
        masterAttempt = news.masterAttempt();
        lastNewsNanos = System.nanoTime();
      } else if (System.nanoTime() - lastNewsNanos > MAX_SILENCE.toNanos()) {
        narrator.narrateWait();
      }
      if (narrator.isWaiting()) {
        queueWatch.updateWaiting(report);
      } else {
        queueWatch.endWaiting();
      }
    }
  }

  private void handle(JobEvent event) throws IOException {
    if (event.type() == JobEvent.Type.UNKNOWN) {
      LOG.warn("An event is of a later version, and passed over");
    }
    try {
      jobView.add(event);
      narrator.narrate(event);
    } catch (IllegalArgumentException e) {
      LOG.warn("An event is passed over: {}", e.getMessage());
      return;
    }
    if (event.type() == JobEvent.Type.GANG_RUNNING) {
      status.setState("RUNNING");
    } else if (event.type() == JobEvent.Type.TASK_PROGRESS) {
      progress = TaskFact.Progressed.of(event).text();
    }
  }

  /**
   * Writes only the latest progress to the status file: a client that connects late receives much
   * progress that is past.
   */
  private void reportProgress() {
    ReportedProgress.fraction(progress).ifPresent(status::setProgress);
    progress = "";
  }

  /**
   * Reads the events that a lost ApplicationMaster logged but could not send any more.
   *
   * @param owner the owner of the application; logs of other users are not trusted
   * @return false if no ApplicationMaster has begun the job's log
   */
  private boolean readRemainingEvents(String owner) {
    try {
      long count =
          new EventLogReader(conf, config).read(application.id(), owner, seenCount, this::handle);
      reportProgress();
      return seenCount > 0 || count > 0;
    } catch (ForeignLogException e) {
      out.println("warning: " + e.getMessage());
      return seenCount > 0;
    } catch (IOException | RuntimeException | Error e) { // in any case, YARN knows the result
      LOG.warn("The event log cannot be read: {}", e.toString());
      return true;
    }
  }

  /** Prints the final lines for the user; for a failure, with the task's stderr and its log. */
  public void printResult(JobResult result) {
    if (jobView.result() == null) {
      // Only YARN or this client knows this end, so programs have not received it yet.
      narrator.narrate(new JobFact.Finished(result).toEvent(Instant.now(), 0));
    }
    out.flushEvents();
    String after = " after " + DurationText.format(jobView.duration());
    TaskFact.Failed failure = jobView.failure(result);
    if (result.status() == JobResult.Status.SUCCEEDED) {
      out.println("SUCCEEDED" + after + ": " + result.message());
    } else if (failure == null) {
      out.println(result.status() + after + " (" + result.kind() + "): " + result.message());
    } else {
      if (!failure.stderr().isEmpty()) {
        out.println("The last lines of the stderr of " + result.task() + ":");
        failure.stderr().lines().forEach(line -> out.println("    " + line));
      }
      out.println(
          "FAILED"
              + after
              + " ("
              + result.kind()
              + "): "
              + result.message()
              + ", log "
              + new LogLinks(conf, application.id())
                  .logReference(failure.task(), failure.logUrl()));
    }
    out.flush();
  }
}
