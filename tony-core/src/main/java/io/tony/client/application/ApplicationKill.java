package io.tony.client.application;

import io.tony.client.output.DurationText;
import io.tony.client.output.JobLog;
import io.tony.clock.AwakeClock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptReport;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.YarnApplicationAttemptState;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a client ends an application: in order where somebody answers, and by YARN. */
public final class ApplicationKill {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationKill.class);

  /** What the machine takes to stop a gang, beyond the tasks' own grace. */
  private static final Duration STOP_MARGIN = Duration.ofSeconds(7);

  /** For an ApplicationMaster that YARN is starting to become one that can be asked. */
  private static final Duration MAX_START_WAIT = Duration.ofSeconds(10);

  /** For a node to hear of the end of an application, and to end its ApplicationMaster by force. */
  private static final Duration NODE_MARGIN = Duration.ofSeconds(1);

  /** For a process to end that was told to. */
  private static final Duration MAX_EXIT_WAIT = Duration.ofSeconds(5);

  private final Configuration conf;
  private final YarnClient yarn;
  private final RunningApplication application;
  private final JobLog out;

  ApplicationKill(Configuration conf, YarnClient yarn, RunningApplication application, JobLog out) {
    this.conf = conf;
    this.yarn = yarn;
    this.application = application;
    this.out = out;
  }

  /** Tells each stage as it begins, and in the end how many containers YARN holds. */
  void kill(String who) throws IOException, YarnException, InterruptedException {
    long deadline = AwakeClock.nanoTime() + MAX_START_WAIT.toNanos();
    MasterConnection master = null;
    boolean stopRequested = !isOwnApplication(); // its ApplicationMaster listens to its owner only
    while (!stopRequested) {
      try {
        master = application.connect(awaitMaster(deadline));
        if (master != null) {
          stopTasks(master, who);
        }
        stopRequested = true;
      } catch (IOException e) {
        stopRequested = AwakeClock.nanoTime() > deadline;
        LOG.warn("{} does not stop in order: {}", application.id(), e.toString());
        if (!stopRequested && master != null) {
          master.close(); // it may be lost, and another be on its way
          master = null;
        }
        Thread.sleep(RunningApplication.POLL_INTERVAL.toMillis());
      }
    }
    boolean ended = RunningApplication.hasEnded(application.report());
    if (!ended) {
      print("asked " + application.schedulerName() + " to end the application" + yarnTimeoutText());
      yarn.killApplication(application.id(), "killed by " + who);
    }
    if (master != null) {
      master.release(MAX_EXIT_WAIT);
    } else if (!ended) {
      awaitNode();
    }
  }

  /** After all is done: it may not be had in time, and nothing waits for it but its reader. */
  void printReceipt() throws InterruptedException {
    print(
        new RemainingContainers(yarn, application, RemainingContainers.MAX_WAIT)
            .describeWithinLimit());
  }

  private void print(String line) {
    out.println(line);
    out.flush();
  }

  /** How long YARN's own client waits for that; it has no limit where none is set. */
  private String yarnTimeoutText() {
    long limit =
        conf.getLong(YarnConfiguration.YARN_CLIENT_APPLICATION_CLIENT_PROTOCOL_POLL_TIMEOUT_MS, -1);
    return limit < 0 ? "" : ", up to " + DurationText.format(Duration.ofMillis(limit));
  }

  private boolean isOwnApplication() throws IOException, YarnException {
    return UserGroupInformation.getCurrentUser()
        .getShortUserName()
        .equals(application.report().getUser());
  }

  /** Returns when the tasks have ended, or have had their time. */
  private void stopTasks(MasterConnection master, String who) throws IOException {
    Duration stopGrace = application.stopGrace();
    Duration maxStopWait = stopGrace.plus(STOP_MARGIN);
    master.stop(who);
    print("asked the programs to end, up to " + DurationText.format(stopGrace));
    long deadline = AwakeClock.nanoTime() + maxStopWait.toNanos();
    long seenCount = 0;
    boolean finished = false;
    while (!finished && AwakeClock.nanoTime() < deadline) {
      Duration remaining = Duration.ofNanos(deadline - AwakeClock.nanoTime());
      MasterConnection.News news = master.watch(seenCount, 0, remaining);
      seenCount += news.events().size();
      finished = news.finished();
    }
    print(
        finished
            ? "the programs have ended"
            : "whether the programs have ended is not known after "
                + DurationText.format(maxStopWait));
  }

  /**
   * An ApplicationMaster whose process YARN is starting is awaited: nobody but itself can tell when
   * its process has ended.
   */
  private ApplicationReport awaitMaster(long deadline)
      throws IOException, YarnException, InterruptedException {
    ApplicationReport report = application.report();
    boolean announced = false;
    while (!RunningApplication.hasEnded(report)
        && report.getYarnApplicationState() != YarnApplicationState.RUNNING
        && isMasterStarting()
        && AwakeClock.nanoTime() < deadline) {
      if (!announced) {
        announced = true;
        print(
            "waits for its ApplicationMaster to start, up to "
                + DurationText.format(MAX_START_WAIT));
      }
      Thread.sleep(RunningApplication.POLL_INTERVAL.toMillis());
      report = application.report();
    }
    return report;
  }

  /**
   * Whether an ApplicationMaster is on its way. One that has registered since its application was
   * looked at is, too: the next look shows where.
   */
  private boolean isMasterStarting() throws IOException, YarnException {
    List<ApplicationAttemptReport> attempts = yarn.getApplicationAttempts(application.id());
    return attempts.stream()
        .map(ApplicationAttemptReport::getYarnApplicationAttemptState)
        .anyMatch(
            state ->
                state == YarnApplicationAttemptState.ALLOCATED
                    || state == YarnApplicationAttemptState.ALLOCATED_SAVING
                    || state == YarnApplicationAttemptState.LAUNCHED
                    || state == YarnApplicationAttemptState.RUNNING);
  }

  /**
   * Gives a node the time to end an ApplicationMaster that could not be asked, where there may be
   * one: YARN shows an application as killed before its node has heard of that.
   */
  private void awaitNode() throws IOException, YarnException, InterruptedException {
    ApplicationAttemptId last = application.report().getCurrentApplicationAttemptId();
    if (yarn.getApplicationAttempts(application.id()).stream()
        .filter(attempt -> attempt.getApplicationAttemptId().equals(last))
        .anyMatch(attempt -> attempt.getAMContainerId() != null)) {
      long sigkillDelayMs =
          conf.getLong(
              YarnConfiguration.NM_SLEEP_DELAY_BEFORE_SIGKILL_MS,
              YarnConfiguration.DEFAULT_NM_SLEEP_DELAY_BEFORE_SIGKILL_MS);
      Thread.sleep(sigkillDelayMs + NODE_MARGIN.toMillis());
    }
  }
}
