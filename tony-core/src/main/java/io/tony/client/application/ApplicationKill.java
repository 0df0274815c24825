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

/**
 * Kills an application: first asks its ApplicationMaster to stop the tasks in order, if there is
 * one that answers, then asks YARN.
 */
public final class ApplicationKill {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationKill.class);

  /**
   * Time that the ApplicationMaster needs to stop a gang, in addition to the tasks' own stop grace.
   */
  private static final Duration STOP_MARGIN = Duration.ofSeconds(7);

  /** Maximum wait for an ApplicationMaster that YARN is starting to become reachable. */
  private static final Duration MAX_START_WAIT = Duration.ofSeconds(10);

  /**
   * Time that a node needs to learn of the end of an application, in addition to its delay before
   * SIGKILL.
   */
  private static final Duration NODE_MARGIN = Duration.ofSeconds(1);

  /** Maximum wait for the ApplicationMaster's process to exit after it was released. */
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

  /**
   * Stops the tasks and kills the application; prints a line as each stage begins.
   *
   * @param who who kills the application, for its event log and YARN's diagnostics
   */
  void kill(String who) throws IOException, YarnException, InterruptedException {
    long deadline = AwakeClock.nanoTime() + MAX_START_WAIT.toNanos();
    MasterConnection master = null;
    boolean stopRequested = !isOwnApplication(); // the ApplicationMaster obeys only its owner
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
          master.close(); // this ApplicationMaster may be lost, and another one be starting
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

  /**
   * Prints how many containers YARN still holds. To be called last: YARN may not provide the number
   * in time, and only the user needs it.
   */
  void printRemainingContainers() throws InterruptedException {
    print(
        new RemainingContainers(yarn, application, RemainingContainers.MAX_WAIT)
            .describeWithinLimit());
  }

  private void print(String line) {
    out.println(line);
    out.flush();
  }

  /**
   * Returns the maximum time that YARN's own client waits for the kill, as a suffix of a line;
   * empty if there is no limit.
   */
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

  /**
   * Asks the ApplicationMaster to stop the job; returns when the tasks have ended, or their time is
   * over.
   */
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
      MasterConnection.EventBatch news = master.watch(seenCount, 0, remaining);
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
   * Waits for an ApplicationMaster that YARN is starting to become reachable, or for the deadline:
   * only the ApplicationMaster itself can report that its process has ended.
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
   * Returns whether an ApplicationMaster is starting. Also true for one that has registered since
   * the caller read the application's report: the next report will contain its address.
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
   * Waits until the node has had time to kill the process of an ApplicationMaster that could not be
   * asked. YARN shows an application as killed before its node has learned of the kill.
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
