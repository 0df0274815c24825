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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One application in YARN, as a client of its owner sees and ends it. */
public final class RunningApplication {
  private static final Logger LOG = LoggerFactory.getLogger(RunningApplication.class);

  /** Between two looks at an application that changes. */
  static final Duration POLL_INTERVAL = Duration.ofMillis(100);

  /** YARN starts an ApplicationMaster within that time when it has room for it. */
  private static final Duration FAST_POLL_PERIOD = Duration.ofSeconds(4);

  /** Between two signs of a client that waits for an ApplicationMaster. */
  private static final Duration SIGN_INTERVAL = Duration.ofSeconds(5);

  /** Between two looks at one that does not, as in a full queue. */
  private static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(5);

  private static final Set<YarnApplicationState> FINAL_STATES =
      EnumSet.of(
          YarnApplicationState.FINISHED, YarnApplicationState.FAILED, YarnApplicationState.KILLED);

  private final Configuration conf;
  private final YarnClient yarn;
  private final ApplicationId id;
  private final Staging staging;
  private final Duration stopGrace;

  /** When this client last left its sign; null before. */
  private Long lastSignNanos;

  /** Newer ones than it was submitted with; null before there are any. */
  private volatile Tokens newerTokens;

  /** Open once this client ends the application: then nobody waits long for its next change. */
  private final CountDownLatch endRequested;

  /**
   * Takes an application by its id.
   *
   * @param stopGrace what its tasks have after SIGTERM, as this client knows it
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

  /** One of a job whose folders are where its configuration has them. */
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

  /** Who runs it, in a sentence. */
  public String schedulerName() {
    return LocalClusterFolders.isConfiguredIn(conf) ? "this machine" : "YARN";
  }

  public ApplicationReport report() throws IOException, YarnException {
    return yarn.getApplicationReport(id);
  }

  /** A queue with the applications in it that this user may see; null where there is no such. */
  QueueInfo queue(String name) throws IOException, YarnException {
    return yarn.getQueueInfo(name);
  }

  public static boolean hasEnded(ApplicationReport report) {
    return FINAL_STATES.contains(report.getYarnApplicationState());
  }

  /** For whoever looks again and again. */
  public static PollInterval pollInterval() {
    return new PollInterval(POLL_INTERVAL, FAST_POLL_PERIOD, MAX_POLL_INTERVAL);
  }

  /** Waits before the next look; hardly, once this client ends the application. */
  public void pause(Duration wait) throws InterruptedException {
    if (endRequested.getCount() == 0) {
      Thread.sleep(POLL_INTERVAL.toMillis());
    } else {
      endRequested.await(wait.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** Waits until YARN shows it as ended, and removes what is left of it. */
  public void awaitEnd() throws IOException, YarnException, InterruptedException {
    PollInterval interval = pollInterval();
    while (!hasEnded(report())) {
      pause(interval.next());
    }
    deleteStaging();
  }

  /** Tidying up is no reason to lose a result. */
  public void deleteStaging() {
    try {
      staging.delete();
    } catch (IOException | RuntimeException e) { // such as a folder of another file system
      LOG.warn("The staging folder {} stays behind: {}", staging.folder(), e.toString());
    }
  }

  /**
   * Shows other clients that this one follows the application, every few seconds, however often it
   * is called. For the time in which no ApplicationMaster answers. For one thread.
   */
  public void writeClientSign() {
    long now = System.nanoTime();
    if (lastSignNanos != null && now - lastSignNanos < SIGN_INTERVAL.toNanos()) {
      return;
    }
    lastSignNanos = now;
    try {
      staging.recordClientAlive();
    } catch (IOException | RuntimeException e) { // the folder may be gone with the application
      LOG.info("The sign of this client is not left in {}: {}", staging.folder(), e.toString());
    }
  }

  /** When a client last left its sign; empty where none did. */
  public Optional<Instant> lastClientSign() throws IOException {
    return staging.clientLastSeen();
  }

  /** The configuration that it was submitted with, while it is staged. */
  public Optional<TonyConfig> configuration() {
    try {
      return Optional.of(staging.readConfig());
    } catch (IOException e) {
      LOG.info("The configuration of {} cannot be read: {}", id, e.toString());
      return Optional.empty();
    }
  }

  /**
   * What its tasks have after SIGTERM: the time that the application was submitted with, or this
   * client's own where that is longer or the other cannot be read.
   */
  public Duration stopGrace() {
    try {
      return configuration()
          .map(submitted -> submitted.get(TaskOptions.STOP_GRACE))
          .filter(submitted -> submitted.compareTo(stopGrace) > 0)
          .orElse(stopGrace);
    } catch (RuntimeException e) { // such as a value that a later version wrote
      LOG.info("The grace of {} cannot be read: {}", id, e.toString());
      return stopGrace;
    }
  }

  /** A line to the ApplicationMaster of one that runs. */
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

  /** A line to its ApplicationMaster, or null while there is none. */
  public MasterConnection connect(ApplicationReport report) throws IOException {
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
      } catch (IOException e) { // an earlier version takes none; it can be followed all the same
        LOG.info("{} was not given newer tokens: {}", id, e.toString());
      }
    }
    return master;
  }

  /** Gives its ApplicationMaster newer tokens; each later one gets them when it is connected to. */
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
   * Ends the application: its tasks in order where an ApplicationMaster answers, then whatever is
   * left by YARN. Returns when YARN shows it as ended and the ApplicationMaster's process is gone;
   * one that cannot be asked has had its time.
   *
   * @param out told each stage, and how many containers YARN holds of it
   */
  public void kill(String who, JobLog out) throws IOException, YarnException, InterruptedException {
    endRequested.countDown();
    ApplicationKill applicationKill = new ApplicationKill(conf, yarn, this, out);
    applicationKill.kill(who);
    deleteStaging();
    applicationKill.printReceipt();
  }

  /**
   * Ends an application of which it is not known whether YARN has it, and what was staged for it.
   *
   * @return whether YARN has it no more
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
