package io.tony.client.follow;

import io.tony.config.TonyConfig;
import io.tony.container.LookInterval;
import io.tony.eventlog.StrangersLogException;
import io.tony.fact.JobFact;
import io.tony.fact.TaskFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.Reached;
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
public final class Following {
  private static final Logger LOG = LoggerFactory.getLogger(Following.class);

  /** Characters of the outputs of all tasks, their names included. */
  public static final int MAX_OUTPUTS = JobStory.MAX_OUTPUTS;

  /** After so long without news, somebody who reads along wants to know why. */
  private static final Duration QUIET = Duration.ofSeconds(19);

  /** For how long an ApplicationMaster is asked at once. */
  private static final Duration WATCH = Duration.ofMillis(ClientProtocol.WATCH_MS);

  private final Configuration conf;
  private final TonyConfig config;
  private final RunningApplication application;
  private final JobLog out;
  private final StatusFile status;
  private final Narrator narrator;
  private final QueueWatch queue;
  private final JobStory story = new JobStory();
  private final LookInterval interval = RunningApplication.lookInterval();
  private String progress = ""; // the last line that the status file does not have yet
  private long seen;
  private boolean begun; // the job's log, by an ApplicationMaster
  private int toldBy; // the ApplicationMaster that told the last of it

  /** Where the ApplicationMaster that was last seen can be asked; null before the first. */
  private ApplicationReport lastMaster;

  public Following(
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
    this.queue = new QueueWatch(application, out);
  }

  /**
   * Returns how the job ended; YARN knows it by then, unless the job was stopped.
   *
   * @param limit when this client ends an application of which no ApplicationMaster has begun
   */
  public JobResult toTheEnd(StartLimit limit)
      throws IOException, YarnException, InterruptedException {
    out.tellAll(); // what it is that is followed
    ApplicationReport report = application.report();
    boolean told = false;
    while (!told && !RunningApplication.ended(report)) {
      try (MasterConnection master = application.connect(report)) {
        if (master != null) {
          told = watch(master, report);
        } else if (startsTooLate(report, limit)) {
          return startedTooLate("did not start", limit, "the queue may be full");
        } else {
          queue.waits(report);
          pause(limit);
        }
      } catch (IOException e) {
        LOG.info("The ApplicationMaster is out of reach, YARN knows more: {}", e.toString());
        if (startsTooLate(report, limit)) {
          return startedTooLate("has told nothing", limit, "its node may not answer");
        }
        pause(limit);
      }
      if (!told) {
        report = next(report);
      }
    }
    boolean began = told || readTheRest(report.getUser());
    if (!told) {
      application.deleteStaging();
    }
    JobResult result = story.result();
    if (result == null && told) { // by an event that this version does not understand
      application.awaitEnd();
      report = application.report();
    }
    return result == null ? YarnResult.of(report, application.scheduler(), began, config) : result;
  }

  /**
   * Whether the application is to be given up: its limit is over, and no ApplicationMaster has
   * begun the job. One may have begun before this client came, and the tasks of one that was lost
   * train on.
   */
  private boolean startsTooLate(ApplicationReport report, StartLimit limit) {
    if (begun || !limit.isOver()) {
      return false;
    }
    try {
      new History(conf, config)
          .tail(application.id(), report.getUser())
          .read(1, (line, event) -> begun = true);
      return !begun;
    } catch (StrangersLogException e) { // then none of the job's own is there
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.info("Whether the job has begun is not known: {}", e.toString());
      return false;
    }
  }

  /** Before the next look at YARN; not beyond the limit of the start. */
  private void pause(StartLimit limit) throws InterruptedException {
    application.showClient();
    application.pause(limit.shorten(interval.next()));
  }

  public JobStory story() {
    return story;
  }

  /** Of how many tasks the outputs are not in the story. */
  public int outputsLeftOut() {
    return story.outputsLeftOut();
  }

  /**
   * What YARN knows now. For a while after an ApplicationMaster's death it shows where that one
   * was, and calls fail; it is lost when YARN counts another attempt.
   */
  private ApplicationReport next(ApplicationReport before) throws IOException, YarnException {
    if (before.getRpcPort() > 0) {
      lastMaster = before;
    }
    ApplicationReport report = application.report();
    if (changed(before, report)) {
      interval.restart();
    }
    ApplicationAttemptId attempt = before.getCurrentApplicationAttemptId();
    if (attempt != null
        && !RunningApplication.ended(report)
        && !attempt.equals(report.getCurrentApplicationAttemptId())) {
      boolean seenBefore =
          lastMaster != null && attempt.equals(lastMaster.getCurrentApplicationAttemptId());
      narrator.tellLoss(seenBefore ? lastMaster.getHost() : null);
    }
    return report;
  }

  private static boolean changed(ApplicationReport before, ApplicationReport now) {
    return before.getYarnApplicationState() != now.getYarnApplicationState()
        || before.getRpcPort() != now.getRpcPort()
        || !Objects.equals(
            before.getCurrentApplicationAttemptId(), now.getCurrentApplicationAttemptId());
  }

  private JobResult startedTooLate(String what, StartLimit limit, String why)
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
    queue.goesOn();
    try {
      return watchOn(master, report);
    } finally {
      out.tellAll();
    }
  }

  private boolean watchOn(MasterConnection master, ApplicationReport report) throws IOException {
    long lastNews = System.nanoTime();
    while (true) {
      MasterConnection.News news = master.watch(seen, toldBy, out.tellDue(WATCH));
      interval.restart(); // when it is lost, the next one may be up soon
      for (JobEvent event : news.events()) {
        seen++;
        begun = true;
        take(event);
      }
      tellProgress();
      if (news.finished()) {
        return true;
      }
      if (!news.events().isEmpty()) {
        toldBy = news.toldBy();
        lastNews = System.nanoTime();
      } else if (System.nanoTime() - lastNews > QUIET.toNanos()) {
        narrator.tellWait();
      }
      if (narrator.waits()) {
        queue.waits(report);
      } else {
        queue.goesOn();
      }
    }
  }

  private void take(JobEvent event) throws IOException {
    if (event.type() == JobEvent.Type.UNKNOWN) {
      LOG.warn("An event is of a later version, and passed over");
    }
    try {
      story.add(event);
      narrator.tell(event);
    } catch (IllegalArgumentException e) {
      LOG.warn("An event is passed over: {}", e.getMessage());
      return;
    }
    if (event.type() == JobEvent.Type.GANG_RUNNING) {
      status.state("RUNNING");
    } else if (event.type() == JobEvent.Type.TASK_PROGRESS) {
      progress = TaskFact.Progressed.of(event).text();
    }
  }

  /** Tells the last progress of what was taken: of a month of it, the rest is past. */
  private void tellProgress() {
    Reached.fraction(progress).ifPresent(status::progress);
    progress = "";
  }

  /**
   * What an ApplicationMaster wrote before it was lost, and could not tell any more.
   *
   * @param owner whose log is believed
   * @return false where no ApplicationMaster has begun the job's log
   */
  private boolean readTheRest(String owner) {
    try {
      long count = new History(conf, config).read(application.id(), owner, seen, this::take);
      tellProgress();
      return seen > 0 || count > 0;
    } catch (StrangersLogException e) {
      out.println("warning: " + e.getMessage());
      return seen > 0;
    } catch (IOException | RuntimeException | Error e) { // whatever it is, YARN knows the result
      LOG.warn("The event log cannot be read: {}", e.toString());
      return true;
    }
  }

  /** The last lines that a person reads: for a failure the task, its stderr and its log. */
  public void tell(JobResult result) {
    if (story.result() == null) {
      // Nobody told programs yet: only YARN knows this end, or this client.
      narrator.tell(new JobFact.Finished(result).at(Instant.now(), 0));
    }
    out.tellAll();
    String after = " after " + Durations.text(story.duration());
    TaskFact.Failed failure = story.failure(result);
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
              + new LogLinks(conf, application.id()).afterTheEnd(failure.task(), failure.log()));
    }
    out.flush();
  }
}
