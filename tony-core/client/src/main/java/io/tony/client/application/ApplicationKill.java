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
 * Kills an application: first asks its ApplicationMaster, if one answers, to stop the tasks
 * gracefully; then asks YARN to kill the rest.
 */
public final class ApplicationKill {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationKill.class);

  /**
   * Time that the ApplicationMaster needs to stop a gang, in addition to the stop grace of the
   * tasks.
   */
  private static final Duration STOP_MARGIN = Duration.ofSeconds(7);

  /**
   * Maximum wait for an ApplicationMaster that YARN is starting, so that it can be asked to stop
   * the tasks.
   */
  private static final Duration MAX_START_WAIT = Duration.ofSeconds(10);

  /**
   * Maximum time from YARN's kill of an application until the node has received the kill; the
   * node's delay before SIGKILL comes in addition.
   */
  private static final Duration NODE_MARGIN = Duration.ofSeconds(1);

  /**
   * Maximum wait for the exit of the ApplicationMaster's process, after the process was allowed to
   * exit.
   */
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
   * Stops the tasks and kills the application. Prints a line at the beginning of each stage.
   *
   * @param who who kills the application, for its event log and YARN's diagnostics
   */
  void kill(String who) throws IOException, YarnException, InterruptedException {
    long deadline = AwakeClock.nanoTime() + MAX_START_WAIT.toNanos();
    MasterConnection master = null;
    // An ApplicationMaster obeys only its application's owner. So if the application is another
    // user's, do not ask its ApplicationMaster to stop, but only have YARN kill the application.
    boolean stopRequested = !isOwnApplication();
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
          // Close the connection, so that the next try connects anew: if this ApplicationMaster was
          // lost, YARN may be starting another one.
          master.close();
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
   * Prints how many containers YARN still holds. Must be called last, because YARN may take too
   * long to answer, and the kill does not depend on the answer.
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
   * Returns a suffix for a line: the maximum time that YARN's own client waits for the kill; empty
   * if that time is unlimited.
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
   * Asks the ApplicationMaster to stop the job. Returns when the tasks have ended, or when their
   * stop grace and {@link #STOP_MARGIN} have passed.
   *
   * @throws IOException if the ApplicationMaster does not answer
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
   * If YARN is starting an ApplicationMaster, waits until the ApplicationMaster can be reached, or
   * for the deadline, because only the ApplicationMaster can report that its own process has ended.
   * Returns YARN's last report.
   *
   * @param deadline by {@link AwakeClock#nanoTime}
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
   * Returns whether YARN is starting an ApplicationMaster. Also returns true for one that has
   * registered since the caller read the application's report; the next report will contain its
   * address.
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
   * asked to exit. YARN shows an application as killed before the node knows of the kill.
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
