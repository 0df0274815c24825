package io.tony.client.follow;

import io.tony.client.application.History;
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
 * Follows one application to its end, and tells it as it goes; also when its ApplicationMaster is
 * lost and YARN starts another, which goes on in the same log.
 */
public final class ApplicationFollower {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationFollower.class);

  /** Characters of the outputs of all tasks, their names included. */
  public static final int MAX_OUTPUT_CHARS = JobView.MAX_OUTPUT_CHARS;

  /** After so long without news, somebody who reads along wants to know why. */
  private static final Duration MAX_SILENCE = Duration.ofSeconds(19);

  /** For how long an ApplicationMaster is asked at once. */
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
  private String progress = ""; // the last line that the status file does not have yet
  private long seenCount;
  private boolean logStarted; // the job's log, by an ApplicationMaster
  private int masterAttempt; // the ApplicationMaster that told the last of it

  /** Where the ApplicationMaster that was last seen can be asked; null before the first. */
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
   * Returns how the job ended; YARN knows it by then, unless the job was stopped.
   *
   * @param limit when this client ends an application of which no ApplicationMaster has begun
   */
  public JobResult followToEnd(StartLimit limit)
      throws IOException, YarnException, InterruptedException {
    out.flushEvents(); // what it is that is followed
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
  private JobResult finishedResult()
      throws IOException, YarnException, InterruptedException {
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
   * Whether the application is to be given up: its limit is over, and no ApplicationMaster has
   * begun the job. One may have begun before this client came, and the tasks of one that was lost
   * train on.
   */
  private boolean isStartOverdue(ApplicationReport report, StartLimit limit) {
    if (logStarted || !limit.isExpired()) {
      return false;
    }
    try {
      new History(conf, config)
          .tail(application.id(), report.getUser())
          .read(1, (line, event) -> logStarted = true);
      return !logStarted;
    } catch (ForeignLogException e) { // then none of the job's own is there
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.info("Whether the job has begun is not known: {}", e.toString());
      return false;
    }
  }

  /** Before the next look at YARN; not beyond the limit of the start. */
  private void pause(StartLimit limit) throws InterruptedException {
    application.writeClientSign();
    application.pause(limit.shorten(interval.next()));
  }

  public JobView jobView() {
    return jobView;
  }

  /** Of how many tasks the outputs are not in the story. */
  public int omittedOutputCount() {
    return jobView.omittedOutputCount();
  }

  /**
   * What YARN knows now. For a while after an ApplicationMaster's death it shows where that one
   * was, and calls fail; it is lost when YARN counts another attempt.
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

  /** Whatever ends this, programs know all by then: another master may be long in coming. */
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
      MasterConnection.News news =
          master.watch(seenCount, masterAttempt, out.flushDueEvents(WATCH_TIMEOUT));
      interval.reset(); // when it is lost, the next one may be up soon
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

  /** Tells the last progress of what was taken: of a month of it, the rest is past. */
  private void reportProgress() {
    ReportedProgress.fraction(progress).ifPresent(status::setProgress);
    progress = "";
  }

  /**
   * What an ApplicationMaster wrote before it was lost, and could not tell any more.
   *
   * @param owner whose log is believed
   * @return false where no ApplicationMaster has begun the job's log
   */
  private boolean readRemainingEvents(String owner) {
    try {
      long count = new History(conf, config).read(application.id(), owner, seenCount, this::handle);
      reportProgress();
      return seenCount > 0 || count > 0;
    } catch (ForeignLogException e) {
      out.println("warning: " + e.getMessage());
      return seenCount > 0;
    } catch (IOException | RuntimeException | Error e) { // whatever it is, YARN knows the result
      LOG.warn("The event log cannot be read: {}", e.toString());
      return true;
    }
  }

  /** The last lines that a person reads: for a failure the task, its stderr and its log. */
  public void printResult(JobResult result) {
    if (jobView.result() == null) {
      // Nobody told programs yet: only YARN knows this end, or this client.
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
