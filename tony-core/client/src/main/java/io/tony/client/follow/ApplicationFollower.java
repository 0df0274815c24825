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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows one application to its end, prints its events and updates the status file. If the
 * ApplicationMaster is lost, the follower continues with the next ApplicationMaster, which
 * continues the same event log.
 */
public final class ApplicationFollower {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationFollower.class);

  /**
   * Maximum number of characters of the outputs of all tasks together, including the outputs'
   * names.
   */
  public static final int MAX_OUTPUT_CHARS = JobView.MAX_OUTPUT_CHARS;

  /** Time without an event after which the follower prints what the job waits for. */
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
  // The program's last line with progress that is not yet in the status file; empty if there is
  // none.
  private String progress = "";
  private long seenCount;
  private boolean logStarted; // whether an ApplicationMaster has begun the job's event log
  // ApplicationMaster attempt that sent the last event; 0 before the first event
  private int masterAttempt;

  /**
   * YARN's last report with the address of an ApplicationMaster; null before the first such report.
   */
  private @Nullable ApplicationReport lastMasterReport;

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
   * Follows the application to its end and returns the job's result. When the method returns, YARN
   * shows the application as ended, too, unless the job was stopped.
   *
   * @param limit how long to wait for an ApplicationMaster to begin the job; after that, this
   *     client kills the application
   */
  public JobResult followToEnd(StartLimit limit)
      throws IOException, YarnException, InterruptedException {
    // Flush, so that readers of the machine-readable output get the application's id immediately.
    out.flushEvents();
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
          return killUnstarted("has reported nothing", limit, "its node may not answer");
        }
        pause(limit);
      }
      report = finished ? report : nextReport(report);
    }
    return finished ? finishedResult() : lostResult(report);
  }

  /** Returns the result of a job whose end the ApplicationMaster has reported. */
  private JobResult finishedResult() throws IOException, YarnException, InterruptedException {
    if (jobView.result() != null) {
      return jobView.result();
    }
    // This client's version does not understand the event with the result, so take the result from
    // YARN when the application has ended.
    application.awaitEnd();
    return YarnResult.of(application.report(), application.schedulerName(), true, config);
  }

  /**
   * Returns the result of an application that ended while no ApplicationMaster answered: from the
   * rest of the event log or, if the log contains no result, from YARN. Deletes the staging folder.
   */
  private JobResult lostResult(ApplicationReport report) throws IOException, YarnException {
    boolean started = readRemainingEvents(report.getUser());
    application.deleteStaging();
    return jobView.result() == null
        ? YarnResult.of(report, application.schedulerName(), started, config)
        : jobView.result();
  }

  /**
   * Returns true if the client must kill the application: the start limit has passed, and no
   * ApplicationMaster has begun the job's event log. The event log is read for this, because an
   * ApplicationMaster may have begun the job and been lost before this client could connect; the
   * tasks keep running while YARN replaces it.
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
    } catch (ForeignLogException e) { // the log is another job's, so this job has not begun
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.info("Whether the job has begun is not known: {}", e.toString());
      return false;
    }
  }

  /**
   * Waits before the next poll of YARN, but not beyond the start limit. Renews this client's sign
   * in the staging folder.
   */
  private void pause(StartLimit limit) throws InterruptedException {
    application.recordClientAlive();
    application.pause(limit.shorten(interval.next()));
  }

  public JobView jobView() {
    return jobView;
  }

  /**
   * Returns the number of tasks whose outputs are left out because all outputs together would
   * exceed {@link #MAX_OUTPUT_CHARS}.
   */
  public int omittedOutputCount() {
    return jobView.omittedOutputCount();
  }

  /**
   * Returns YARN's present report. If YARN shows another ApplicationMaster attempt than before,
   * prints that the ApplicationMaster was lost: only this shows it, because YARN keeps the address
   * of a dead ApplicationMaster for a while.
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
      String host =
          lastMasterReport != null
                  && attempt.equals(lastMasterReport.getCurrentApplicationAttemptId())
              ? lastMasterReport.getHost()
              : null;
      narrator.narrateMasterLoss(host);
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
   * Receives events until the job or the connection ends; returns whether the job has ended. Before
   * it returns, prints pending events to the machine-readable output, because another
   * ApplicationMaster may take long to start.
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
      // The ApplicationMaster answers, so if it is lost later, begin to poll YARN at short
      // intervals again: the next ApplicationMaster may start soon.
      interval.reset();
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
   * Writes the latest progress to the status file. Earlier progress that is not yet written is
   * skipped, because a client that connects late receives much of it at once.
   */
  private void reportProgress() {
    ReportedProgress.fraction(progress).ifPresent(status::setProgress);
    progress = "";
  }

  /**
   * Reads the events that an ApplicationMaster wrote to the event log before it was lost, but did
   * not send to this client.
   *
   * @param owner the owner of the application; event logs of other users are not trusted
   * @return false if no ApplicationMaster has begun the job's event log; true if that is unknown
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
    } catch (IOException | RuntimeException | Error e) { // the result is then taken from YARN
      LOG.warn("The event log cannot be read: {}", e.toString());
      return true;
    }
  }

  /**
   * Prints the final lines for the user. If a task's failure decided the result, they contain the
   * task's stderr and a link to its log.
   */
  public void printResult(JobResult result) {
    if (jobView.result() == null) {
      // Only YARN or this client knows this end, so the machine-readable output does not contain
      // it yet.
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
