package io.tony.am;

import io.tony.am.checkpoint.JobCheckpoints;
import io.tony.am.http.NoFreePortException;
import io.tony.am.loop.AmLoop;
import io.tony.am.loop.DefectHandler;
import io.tony.am.machine.Event;
import io.tony.am.machine.JobState;
import io.tony.am.machine.MachinePorts;
import io.tony.am.machine.Phase;
import io.tony.am.page.TrackingPage;
import io.tony.am.rendezvous.GangStores;
import io.tony.am.rpc.AmServer;
import io.tony.am.rpc.RpcPort;
import io.tony.am.rpc.StartMessages;
import io.tony.am.rpc.TokenUpdates;
import io.tony.am.scheduler.Containers;
import io.tony.am.scheduler.ExecutorLaunch;
import io.tony.am.scheduler.InheritedContainers;
import io.tony.am.scheduler.Launcher;
import io.tony.am.scheduler.Scheduler;
import io.tony.clock.AwakeClock;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.container.FastFileClose;
import io.tony.container.HistoryLocation;
import io.tony.container.Staging;
import io.tony.container.Submitter;
import io.tony.container.YarnResources;
import io.tony.container.local.LocalClusterFolders;
import io.tony.eventlog.EventLog;
import io.tony.eventlog.ForeignLogException;
import io.tony.model.Endpoint;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.PortRange;
import io.tony.model.TaskKey;
import io.tony.protocol.JobKey;
import io.tony.runtime.FrameworkRuntime;
import io.tony.runtime.Runtimes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Main class of the ApplicationMaster's process: creates its parts, runs the job to its end,
 * reports the result to YARN and exits.
 */
public final class AmMain {
  private static final Logger LOG = LoggerFactory.getLogger(AmMain.class);

  /** Exit code if the job has ended, successfully or not, and its result was reported to YARN. */
  static final int EXIT_DONE = 0;

  /**
   * Exit code after a failure of this ApplicationMaster; YARN may then start another
   * ApplicationMaster attempt.
   */
  static final int EXIT_FAILURE = 1;

  private final YarnConfiguration conf;
  private final InstantSource clock = InstantSource.system();
  private final ApplicationAttemptId attempt;
  private final String host;
  private final TonyConfig config;
  private final JobSpec job;
  private final UserGroupInformation currentUser;
  private final JobKey jobKey;
  private final PortRange ports;
  private final Scheduler scheduler;
  private final EarlyRegistration earlyRegistration;
  private final Staging staging;

  private AmMain(YarnConfiguration conf, ContainerId container, String host, TonyConfig config)
      throws IOException {
    this.conf = conf;
    this.attempt = container.getApplicationAttemptId();
    this.host = host;
    this.config = config;
    this.currentUser = UserGroupInformation.getCurrentUser();
    this.jobKey = JobKey.from(currentUser.getCredentials(), application());
    this.ports = config.find(AmOptions.PORT_RANGE).orElse(PortRange.ANY);
    Problems problems = new Problems();
    this.job =
        JobSpecReader.read(config, problems)
            .orElseThrow(
                () -> new IllegalStateException("the client let pass: " + problems.errors()));
    RpcPort port = new RpcPort(conf, host, ports, RpcPort.HANDLERS, jobKey);
    this.scheduler = Schedulers.of(conf, config, job, container, clock, AmMain::onDisowned);
    this.earlyRegistration = new EarlyRegistration(scheduler, port, job, attempt.getAttemptId());
    earlyRegistration.start();
    this.staging =
        new Staging(
            FileSystem.get(conf), config.get(ClientOptions.STAGING_LOCATION), application());
  }

  public static void main(String[] args) {
    Thread.setDefaultUncaughtExceptionHandler(AmMain::onUncaught);
    int exit = EXIT_FAILURE;
    try {
      ContainerId container =
          ContainerId.fromString(System.getenv(Environment.CONTAINER_ID.name()));
      String host = System.getenv(Environment.NM_HOST.name());
      YarnConfiguration conf = configuration();
      Submitter.doAsSubmitter(
          conf,
          () -> {
            new AmMain(conf, container, host, Staging.readLocalConfig()).run();
            return null;
          });
      exit = EXIT_DONE;
    } catch (InterruptedException e) {
      LOG.error("The ApplicationMaster was interrupted", e);
    } catch (Throwable e) {
      LOG.error("The ApplicationMaster cannot go on", e);
    } finally {
      // Exit explicitly: Hadoop's clients leave non-daemon threads behind that would keep the
      // process alive.
      System.exit(exit);
    }
  }

  /**
   * Logs the uncaught exception that ended a thread. If it is an {@link Error} (for example,
   * because no new thread could be created), also halts the process: other threads would wait
   * forever for the ended thread. The next ApplicationMaster then continues the job from the event
   * log.
   */
  private static void onUncaught(Thread thread, Throwable error) {
    try {
      LOG.error("The thread {} has ended", thread.getName(), error);
    } finally {
      if (error instanceof Error) {
        Runtime.getRuntime().halt(EXIT_FAILURE);
      }
    }
  }

  private static YarnConfiguration configuration() {
    YarnConfiguration conf = new YarnConfiguration();
    // Hadoop would close its HDFS client when this process gets a signal, but ending the job still
    // needs HDFS.
    conf.setBoolean(CommonConfigurationKeysPublic.FS_AUTOMATIC_CLOSE_KEY, false);
    FastFileClose.applyTo(conf);
    LocalClusterFolders.ofContainer(System.getenv()).ifPresent(folders -> folders.configure(conf));
    return conf;
  }

  private String application() {
    return attempt.getApplicationId().toString();
  }

  private void run() throws IOException, YarnException, InterruptedException {
    AwakeClock.get()
        .onStandstill(time -> LOG.warn("This process was paused for {} ms", time.toMillis()));
    FileSystem fs = staging.fileSystem();
    UnservedShutdown unservedShutdown = new UnservedShutdown(staging, host, application());
    Path folder = EventLog.folder(HistoryLocation.ofCurrentUser(fs, config), application());
    EventLog log;
    try {
      log = EventLog.create(fs, folder, attempt.getAttemptId(), clock, AmMain::onFenced);
    } catch (ForeignLogException e) {
      JobState emptyState = JobState.initial(job, 0);
      AmLoop loop = new AmLoop(emptyState, clock, AwakeClock::nanoTime);
      unservedShutdown.finish(e, emptyState, loop, earlyRegistration.await().scheduler());
      return;
    }
    RecoveredState recovered =
        RecoveredState.read(
            log,
            job,
            config,
            attempt.getApplicationId().hashCode(),
            YarnResources.memoryStepMiB(conf),
            clock);
    JobState state = recovered.state();
    AmLoop loop = new AmLoop(state, clock, AwakeClock::nanoTime);
    if (!log.missing().isEmpty()) {
      loop.offer(new Event.LogIncomplete(clock.instant(), log.missing()));
    }
    AmRetryPolicy retryPolicy = new AmRetryPolicy(log, config, conf, clock);
    try {
      serve(log, recovered, loop, retryPolicy);
    } catch (NoFreePortException e) {
      unservedShutdown.finish(e, clock.instant(), retryPolicy, state, loop, log, scheduler);
    }
  }

  private void serve(EventLog log, RecoveredState recovered, AmLoop loop, AmRetryPolicy retryPolicy)
      throws IOException, YarnException, InterruptedException {
    JobState state = recovered.state();
    JobCheckpoints checkpoints =
        new JobCheckpoints(conf, currentUser, config, job, application(), loop, clock)
            .restoreChoice(state.session(), state.resumedFrom())
            .restoreSetsInUse(state.setsResumedAlone());
    StartMessages startMessages = startMessages(checkpoints);
    EarlyRegistration.Result registration = earlyRegistration.await();
    // The server is never closed, because clients notice the end of this process by the closing of
    // its port.
    AmServer server =
        new AmServer(
            registration.port(),
            new AmServer.ServerConfig(
                job.limits(),
                startMessages,
                new TokenUpdates(currentUser),
                config.get(TaskOptions.SHELL_ENABLED)),
            log,
            loop,
            recovered.metrics(),
            clock,
            AwakeClock.get());
    Endpoint address = new Endpoint(host, server.address().getPort());
    try (Containers containers = registration.scheduler().containers(server.containerEventSink());
        Launcher launcher = containers.launcher(executorLaunch(address));
        TrackingPage page = trackingPage(server, containers)) {
      Event.AmReady ready =
          takeOver(state, containers, launcher, server, page, registration.scheduler().queue());
      LOG.info("{} serves {} with {} tasks", attempt, address, job.taskCount());
      server.watchForClients(config.get(JobOptions.CLIENT_LOST_TIMEOUT));
      PublishedAddress publishedAddress =
          new PublishedAddress(staging, attempt.getAttemptId(), address, server::markPublished);
      JobResult result =
          state.phase() == Phase.FINISHED
              // The job has already ended: an earlier ApplicationMaster recorded the end, but was
              // lost before it reported it to YARN.
              ? Objects.requireNonNull(state.result())
              : DefectHandler.run(
                  loop,
                  ready,
                  new MachinePorts(
                      containers, launcher, server, page, publishedAddress, checkpoints),
                  recovered.journal().start(),
                  () -> retryPolicy.tryHandOver(ready.at()),
                  application());
      LOG.info("The job ended: {}", result);
      new JobEnd(staging, containers, server, page, config.get(AmOptions.CLIENT_STOP_TIMEOUT))
          .finish(result, log);
      // This waits, up to a timeout, until old checkpoints are deleted on another thread.
      checkpoints.finish();
    }
  }

  private StartMessages startMessages(JobCheckpoints checkpoints) {
    FrameworkRuntime runtime = Runtimes.load().forMaster(job.framework());
    // The stores are never closed, because the gang's programs need them until this process ends.
    GangStores stores = new GangStores(runtime.store(), host, ports);
    return new StartMessages(
        job,
        runtime,
        stores::equip,
        application(),
        config.get(JobOptions.CHECKPOINT_DIR),
        config.get(JobOptions.CLUSTER_SPEC_FILE),
        AttemptNumbers.first(config, job),
        checkpoints);
  }

  private ExecutorLaunch executorLaunch(Endpoint address) throws IOException {
    return new ExecutorLaunch(
        conf,
        config,
        job,
        staging,
        new InetSocketAddress(address.host(), address.port()),
        currentUser,
        jobKey);
  }

  private TrackingPage trackingPage(AmServer server, Containers containers) throws IOException {
    return new TrackingPage(
        conf,
        config,
        host,
        job.name(),
        application(),
        server.events(),
        containers.pageKey(),
        containers::setTrackingUrl);
  }

  /**
   * Starts to receive the scheduler's reports and takes over the tasks that an earlier
   * ApplicationMaster left running. Returns the event that begins this ApplicationMaster's
   * decisions.
   */
  private Event.AmReady takeOver(
      JobState state,
      Containers containers,
      Launcher launcher,
      AmServer server,
      TrackingPage page,
      String queue)
      throws IOException, YarnException {
    // Read the clock before the scheduler's first report, so that no report is earlier than this
    // event.
    Instant now = clock.instant();
    InheritedContainers inherited = containers.start(state::taskKeysIn);
    if (!state.tensorBoardUrl().isEmpty()) {
      page.showTensorBoard(state.tensorBoardUrl());
    }
    Set<String> alive = new HashSet<>(inherited.alive());
    Collection<TaskKey> heldTasks = state.taskKeysIn(alive);
    // Let the server know these executors before the scheduler can report that one of their
    // containers has ended: at that report, the server forgets the executor.
    server.adopt(heldTasks);
    for (TaskKey key : heldTasks) {
      if (!launcher.adopt(key)) {
        // The launcher does not know the container any more: it has ended since it was listed.
        alive.remove(key.container());
        server.forget(key.container());
      }
    }
    return new Event.AmReady(
        now,
        attempt.getAttemptId(),
        host,
        MasterLaunchTimes.of(System.getenv()),
        JobDescriber.of(config, job, currentUser, queue),
        alive,
        inherited.ended(),
        inherited.maxContainerMiB());
  }

  /**
   * Halts this process because YARN has rejected this ApplicationMaster: another one runs the job
   * now, or the job has ended. Cleans nothing up, because this process must not change the job any
   * more.
   */
  static void onDisowned() {
    LOG.error("YARN does not know this ApplicationMaster any more; it leaves everything as it is");
    Runtime.getRuntime().halt(EXIT_FAILURE);
  }

  /**
   * Halts this process because the next ApplicationMaster has taken over the event log, for example
   * while this process was suspended. Cleans nothing up, for the same reason as {@link
   * #onDisowned}.
   */
  static void onFenced() {
    LOG.error(
        "A later ApplicationMaster writes the event log; this one leaves everything as it is");
    Runtime.getRuntime().halt(EXIT_FAILURE);
  }
}
