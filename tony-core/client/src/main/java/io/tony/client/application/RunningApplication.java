package io.tony.client.application;

import io.tony.client.input.InvalidJobException;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.container.PollInterval;
import io.tony.container.Staging;
import io.tony.container.local.LocalClusterFolders;
import io.tony.protocol.JobKey;
import io.tony.protocol.proto.TonyProtos.Tokens;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the state of one application in YARN and controls the application, for a client of its
 * owner.
 */
public final class RunningApplication {
  private static final Logger LOG = LoggerFactory.getLogger(RunningApplication.class);

  /** Interval between two polls while the application's state is expected to change soon. */
  static final Duration POLL_INTERVAL = Duration.ofMillis(100);

  /**
   * Time for which an application is polled in quick succession: YARN starts an ApplicationMaster
   * within this time if there are free resources.
   */
  private static final Duration FAST_POLL_PERIOD = Duration.ofSeconds(4);

  /**
   * Interval at which a client that waits for an ApplicationMaster renews its sign: a file in the
   * staging folder, which shows other clients that this client still follows the application.
   */
  private static final Duration SIGN_INTERVAL = Duration.ofSeconds(5);

  /**
   * Maximum interval between two polls while the application's state changes slowly, for example in
   * a full queue.
   */
  private static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(5);

  private static final Set<YarnApplicationState> FINAL_STATES =
      EnumSet.of(
          YarnApplicationState.FINISHED, YarnApplicationState.FAILED, YarnApplicationState.KILLED);

  private final Configuration conf;
  private final YarnClient yarn;
  private final ApplicationId id;
  private final Staging staging;
  private final Duration stopGrace;

  /**
   * Value of {@link System#nanoTime} when this client last tried to update the file in the staging
   * folder that shows other clients that it is alive; null if it has not tried yet.
   */
  private @Nullable Long lastSignNanos;

  /**
   * Delegation tokens for the job that are newer than those of the submission; sent to each
   * ApplicationMaster to which this client connects. Null if there are none.
   */
  private volatile @Nullable Tokens newerTokens;

  /**
   * Counted down when this client starts to end the application, which also ends the waits between
   * polls early.
   */
  private final CountDownLatch endRequested;

  /**
   * Creates a view of an application.
   *
   * @param stopGrace time between SIGTERM and SIGKILL of the tasks, from this client's own
   *     configuration
   */
  public RunningApplication(
      Configuration conf, YarnClient yarn, ApplicationId id, Staging staging, Duration stopGrace) {
    this(conf, yarn, id, staging, stopGrace, new CountDownLatch(1));
  }

  public RunningApplication(
      Configuration conf,
      YarnClient yarn,
      ApplicationId id,
      Staging staging,
      Duration stopGrace,
      CountDownLatch endRequested) {
    this.endRequested = endRequested;
    this.stopGrace = stopGrace;
    this.conf = conf;
    this.yarn = yarn;
    this.id = id;
    this.staging = staging;
  }

  /**
   * Returns a view of an application whose staging folder is in the folder that this configuration
   * names.
   */
  public static RunningApplication of(
      Configuration conf, YarnClient yarn, TonyConfig config, ApplicationId id) throws IOException {
    Staging staging =
        new Staging(
            FileSystem.get(conf), config.get(ClientOptions.STAGING_LOCATION), id.toString());
    return new RunningApplication(conf, yarn, id, staging, config.get(TaskOptions.STOP_GRACE));
  }

  public ApplicationId id() {
    return id;
  }

  /**
   * Returns, for use in a sentence, what runs the application: YARN or, without a cluster, this
   * machine.
   */
  public String schedulerName() {
    return LocalClusterFolders.isConfiguredIn(conf) ? "this machine" : "YARN";
  }

  public ApplicationReport report() throws IOException, YarnException {
    return yarn.getApplicationReport(id);
  }

  /**
   * Returns the queue with this name and the applications in it that this user may see; null if
   * there is no such queue.
   */
  @Nullable QueueInfo queue(String name) throws IOException, YarnException {
    return yarn.getQueueInfo(name);
  }

  public static boolean hasEnded(ApplicationReport report) {
    return FINAL_STATES.contains(report.getYarnApplicationState());
  }

  /**
   * Returns the intervals for polling an application: {@link #POLL_INTERVAL} at first and after
   * each change, increasing to {@link #MAX_POLL_INTERVAL} while nothing changes.
   */
  public static PollInterval pollInterval() {
    return new PollInterval(POLL_INTERVAL, FAST_POLL_PERIOD, MAX_POLL_INTERVAL);
  }

  /**
   * Waits before the next poll. Ends the wait early when this client starts to end the application;
   * after that, waits only {@link #POLL_INTERVAL}.
   */
  public void pause(Duration wait) throws InterruptedException {
    if (endRequested.getCount() == 0) {
      Thread.sleep(POLL_INTERVAL.toMillis());
    } else {
      endRequested.await(wait.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Waits until YARN shows the application as ended, and deletes the application's staging folder.
   */
  public void awaitEnd() throws IOException, YarnException, InterruptedException {
    PollInterval interval = pollInterval();
    while (!hasEnded(report())) {
      pause(interval.next());
    }
    deleteStaging();
  }

  /**
   * Deletes the application's staging folder. Failures are only logged, because the job's result is
   * more important.
   */
  public void deleteStaging() {
    try {
      staging.delete();
    } catch (IOException | RuntimeException e) { // for example, of another file system
      LOG.warn("The staging folder {} stays behind: {}", staging.folder(), e.toString());
    }
  }

  /**
   * Shows other clients that this client follows the application, by a sign in the staging folder.
   * To be called repeatedly by one thread while no ApplicationMaster answers; renews the sign only
   * every few seconds. Failures are only logged.
   */
  public void recordClientAlive() {
    long now = System.nanoTime();
    if (lastSignNanos != null && now - lastSignNanos < SIGN_INTERVAL.toNanos()) {
      return;
    }
    lastSignNanos = now;
    try {
      staging.recordClientAlive();
    } catch (IOException | RuntimeException e) { // the folder may be deleted already
      LOG.info("The sign of this client is not left in {}: {}", staging.folder(), e.toString());
    }
  }

  /** Returns when a client last renewed its sign in the staging folder; empty if none ever did. */
  public Optional<Instant> clientLastSeen() throws IOException {
    return staging.clientLastSeen();
  }

  /**
   * Returns the configuration with which the application was submitted; empty if the staged file
   * was deleted or cannot be read.
   */
  public Optional<TonyConfig> configuration() {
    try {
      return Optional.of(staging.readConfig());
    } catch (IOException e) {
      LOG.info("The configuration of {} cannot be read: {}", id, e.toString());
      return Optional.empty();
    }
  }

  /**
   * Returns the time between SIGTERM and SIGKILL of the tasks: the longer of the value with which
   * the application was submitted and this client's own value. Returns this client's own value if
   * the other one cannot be read.
   */
  public Duration stopGrace() {
    try {
      return configuration()
          .map(submitted -> submitted.get(TaskOptions.STOP_GRACE))
          .filter(submitted -> submitted.compareTo(stopGrace) > 0)
          .orElse(stopGrace);
    } catch (RuntimeException e) { // for example, a later version wrote the value
      LOG.info("The grace of {} cannot be read: {}", id, e.toString());
      return stopGrace;
    }
  }

  /**
   * Connects to the ApplicationMaster of the application.
   *
   * @throws InvalidJobException if the application has ended or has no ApplicationMaster to connect
   *     to
   */
  public MasterConnection connect() throws InvalidJobException, IOException, YarnException {
    ApplicationReport report = report();
    if (hasEnded(report)) {
      throw new InvalidJobException(List.of(id + " has ended"));
    }
    MasterConnection master = connect(report);
    if (master == null) {
      throw new InvalidJobException(
          List.of(
              id
                  + " has no ApplicationMaster that can be asked, or is another user's: try again,"
                  + " as its owner"));
    }
    return master;
  }

  /**
   * Connects to the ApplicationMaster whose address is in this report, and sends it newer
   * delegation tokens if this client has any. Returns null if the report contains no address of a
   * running ApplicationMaster.
   */
  public @Nullable MasterConnection connect(ApplicationReport report) throws IOException {
    if (report.getYarnApplicationState() != YarnApplicationState.RUNNING
        || report.getRpcPort() <= 0) {
      return null;
    }
    JobKey key = JobKey.from(staging.readCredentials(), id.toString());
    MasterConnection master =
        MasterConnection.open(
            new InetSocketAddress(report.getHost(), report.getRpcPort()), key, conf);
    Tokens newer = newerTokens;
    if (newer != null) {
      try {
        master.renew(newer);
      } catch (IOException e) { // an ApplicationMaster of an earlier version accepts no tokens
        LOG.info("{} was not given newer tokens: {}", id, e.toString());
      }
    }
    return master;
  }

  /**
   * Sends delegation tokens that are newer than those of the submission to the ApplicationMaster.
   * Also remembers them for every later ApplicationMaster to which this client connects.
   *
   * @throws IOException if there is no ApplicationMaster at the moment, or it does not answer
   */
  public void sendTokens(Tokens newer) throws IOException, YarnException {
    newerTokens = newer;
    try (MasterConnection master = connect(report())) {
      if (master == null) {
        throw new IOException("there is no ApplicationMaster at the moment");
      }
      master.renew(newer);
    }
  }

  /**
   * Ends the application: stops its tasks gracefully if an ApplicationMaster answers, has YARN kill
   * the rest and deletes the staging folder. When the method returns, YARN shows the application as
   * ended, and the ApplicationMaster's process has ended or, if it could not be asked to exit, has
   * had the usual time to end.
   *
   * @param who who kills the application, for its event log and YARN's diagnostics
   * @param out receives a line for each stage, and one for the containers that YARN still holds
   */
  public void kill(String who, JobLog out) throws IOException, YarnException, InterruptedException {
    endRequested.countDown();
    ApplicationKill applicationKill = new ApplicationKill(conf, yarn, this, out);
    applicationKill.kill(who);
    deleteStaging();
    applicationKill.printRemainingContainers();
  }

  /**
   * Asks YARN to kill an application that YARN may or may not have accepted, and deletes its
   * staging folder. If YARN does not answer, only logs the failure and keeps the folder.
   *
   * @return true if YARN has killed the application or does not know it; false if YARN does not
   *     answer
   */
  public boolean killIfExists() {
    boolean gone = false;
    try {
      yarn.killApplication(id);
      gone = true;
    } catch (ApplicationNotFoundException e) {
      gone = true;
    } catch (IOException | YarnException | RuntimeException e) {
      LOG.info("{} was perhaps not killed: {}", id, e.toString());
    }
    if (gone) {
      deleteStaging();
    }
    return gone;
  }
}
