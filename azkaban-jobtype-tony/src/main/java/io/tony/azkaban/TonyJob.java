package io.tony.azkaban;

import azkaban.executor.Status;
import azkaban.jobExecutor.AbstractProcessJob;
import azkaban.utils.Props;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.log4j.Logger;
import org.jspecify.annotations.Nullable;

/**
 * {@code type=tony}: one attempt of an Azkaban job that trains on YARN. It runs TonY's client as a
 * direct child process of Azkaban's executor, without a shell in between, and waits for the
 * client's end. On failure it writes the reason into the job's log and throws a {@link
 * JobFailedException}.
 *
 * <p>When Azkaban loads the plugin, it constructs one instance with hardly any properties as a
 * test, so the constructor does no work. Azkaban passes properties in which references are
 * resolved. They must not be resolved again, because newer versions of Azkaban would evaluate
 * {@code $(…)} in the values a second time.
 */
public final class TonyJob extends AbstractProcessJob {

  /**
   * How long the client may take to stop the job after SIGTERM, unless the client reports another
   * limit. The client requests the stop from the ApplicationMaster, then from YARN; this usually
   * takes 2 s.
   */
  static final long TERM_LIMIT_MILLIS = 20_000;

  /**
   * The waits before the second, third and fourth client. Each of these follows the application, if
   * the client before it ended without knowing the application's outcome.
   */
  private static final long[] RETRY_DELAYS_MILLIS = {1_000, 10_000, 60_000};

  private static final String ATTEMPT = "azkaban.job.attempt";

  private final ClientProcess client;
  private final long termLimitMillis;
  private final long[] retryDelaysMillis;
  private final boolean cancelReturnsEarly;
  private final InterruptibleCall tokenCall = new InterruptibleCall();
  private volatile @Nullable ClientLaunch launch; // null before the first client
  private volatile boolean finished;
  private volatile double progress;

  /** The constructor that Azkaban calls, in every version. */
  public TonyJob(String jobId, Props sysProps, Props jobProps, Logger log) {
    this(
        jobId, sysProps, jobProps, log, TERM_LIMIT_MILLIS, RETRY_DELAYS_MILLIS, azkabanAwaitsRun());
  }

  TonyJob(
      String jobId,
      Props sysProps,
      Props jobProps,
      Logger log,
      long termLimitMillis,
      long[] retryDelaysMillis,
      boolean cancelReturnsEarly) {
    super(jobId, sysProps, jobProps, log);
    this.client = new ClientProcess(log);
    this.termLimitMillis = termLimitMillis;
    this.retryDelaysMillis = retryDelaysMillis.clone();
    this.cancelReturnsEarly = cancelReturnsEarly;
  }

  /**
   * Returns true if this Azkaban waits for the end of {@link #run} before it regards a killed job
   * as ended. This is so if Azkaban has the job status KILLING. Other versions may end the flow,
   * and delete its logs and folder, as soon as {@link #cancel} has returned.
   */
  private static boolean azkabanAwaitsRun() {
    try {
      return Arrays.stream(Status.values()).anyMatch(status -> status.name().equals("KILLING"));
    } catch (LinkageError e) {
      return false;
    }
  }

  /**
   * Runs the attempt. On failure, writes the reason into the job's log once; the thrown exception
   * does not repeat it.
   */
  @Override
  public void run() throws JobFailedException {
    try {
      attempt();
    } catch (JobFailedException e) {
      getLog().error(e.getMessage());
      throw e.toSummary(getId());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JobFailedException(e.toString(), "INTERRUPTED").toSummary(getId());
    } catch (Exception | Error e) {
      getLog().error(getId() + ": TonY's job type itself has failed:", e);
      throw new JobFailedException(e.toString(), "FAILED (" + e.getClass().getName() + ")")
          .toSummary(getId());
    }
  }

  private void attempt() throws JobFailedException, IOException, InterruptedException {
    if (client.isCancelled()) {
      throw cancellation(Optional.empty());
    }
    getLog().info(LogHeader.firstLine());
    File pluginFolder = PluginFolder.locate(sysProps);
    StepCluster cluster =
        StepCluster.of(
            pluginFolder, SiteProperties.read(pluginFolder, sysProps), sysProps, jobProps);
    SiteProperties site = cluster.site();
    ClientSetup setup = SetupCheck.check(pluginFolder, site, System.getenv());
    cluster.logLine().ifPresent(getLog()::info);
    CommonProperties common = CommonProperties.read(pluginFolder);
    RunAs runAs = RunAs.of(sysProps, jobProps, site.list(SiteProperties.REFUSED_USERS));
    Map<String, String> environment = environment(site, common, runAs);
    String attempt = jobProps.getString(ATTEMPT, "0");
    OtherClusterCleanup other =
        new OtherClusterCleanup(
            AttemptNotes.of(JobFolders.nameInExecution(getId(), jobProps, attempt)),
            cluster,
            setup,
            getLog());
    Map<String, String> passed = passedProperties(site, common);
    PodShutdown shutdown = watchPod();
    try {
      runAttempt(
          AttemptFiles.create(getId(), attempt),
          passed,
          setup,
          environment,
          files -> takeTokens(runAs, site, setup, files),
          other);
    } finally {
      shutdown.close();
    }
  }

  private void runAttempt(
      AttemptFiles files,
      Map<String, String> passed,
      ClientSetup setup,
      Map<String, String> environment,
      TokenSource tokenSource,
      OtherClusterCleanup other)
      throws IOException, InterruptedException, JobFailedException {
    Optional<SecurityManagerTokens> tokens = Optional.empty();
    try {
      files.writeJob(passed);
      tokens = tokenSource.take(files);
      tokens.ifPresent(taken -> environment.put(RunAs.TOKENS, taken.file().toString()));
      if (client.isCancelled()) {
        throw cancellation(Optional.empty());
      }
      other.endEarlierAttempts(files, passed, environment);
      ClientLaunch current = new ClientLaunch(setup, passed, environment, files);
      launch = current;
      runClient(current);
      publish(files);
    } finally {
      finished = true;
      Optional.ofNullable(launch).map(ClientLaunch::status).ifPresent(other::saveNote);
      ClientLaunch ended = launch;
      tokens
          .filter(taken -> ended == null || ended.status().isFinished())
          .ifPresent(SecurityManagerTokens::cancel);
      delete(files);
    }
  }

  private PodShutdown watchPod() throws JobFailedException {
    return PodShutdown.watch(
        System.getenv(),
        jobProps,
        getLog(),
        () ->
            Optional.ofNullable(launch)
                .flatMap(current -> current.status().applicationId())
                .orElse("what the step has submitted"),
        new PodShutdown.Attempt() {
          @Override
          public boolean isCancelled() {
            return client.isCancelled();
          }

          @Override
          public void cancel() throws InterruptedException {
            client.cancel(application());
          }
        });
  }

  /**
   * Fetches the delegation tokens of an attempt into the attempt's files; returns empty if the
   * attempt needs none.
   */
  private interface TokenSource {
    Optional<SecurityManagerTokens> take(AttemptFiles files) throws JobFailedException, IOException;
  }

  /**
   * Fetches tokens from Azkaban's own security manager; empty if the client logs in by itself or
   * the cluster does not use Kerberos.
   */
  private Optional<SecurityManagerTokens> takeTokens(
      RunAs runAs, SiteProperties site, ClientSetup setup, AttemptFiles files)
      throws JobFailedException, IOException {
    if (!runAs.usesTokens()) {
      return Optional.empty();
    }
    if (site.list(SiteProperties.CLUSTERS).size() > 1) {
      // In some versions of Azkaban, all steps share one manager, which knows only one cluster: a
      // step on another cluster would get tokens that are not valid there.
      throw new JobFailedException(
          "Azkaban's HadoopSecurityManager takes tokens of one cluster only, and "
              + SiteProperties.CLUSTERS
              + " names several: the administrator gives the job type a keytab, or names one"
              + " cluster.");
    }
    getLog().info("Azkaban's HadoopSecurityManager takes tokens for " + runAs.user() + ".");
    Optional<SecurityManagerTokens> tokens = Optional.empty();
    tokenCall.begin();
    try {
      if (!client.isCancelled()) {
        tokens =
            SecurityManagerTokens.fetch(
                sysProps,
                TokenRequest.properties(
                    sysProps,
                    jobProps,
                    runAs.user(),
                    site.list(SiteProperties.ALLOWED_FILE_SYSTEMS)),
                runAs.user(),
                setup.hadoopConf(),
                files.tokens(),
                getLog());
      }
    } catch (JobFailedException e) {
      if (!client.isCancelled()) {
        throw e;
      }
    } finally {
      tokenCall.end();
    }
    if (client.isCancelled()) {
      tokens.ifPresent(SecurityManagerTokens::cancel);
      throw cancellation(Optional.empty());
    }
    if (!tokens.isPresent()) {
      getLog().warn("It takes none: Hadoop's configuration in Azkaban has no Kerberos.");
    }
    return tokens;
  }

  /**
   * Publishes the job's output properties for later jobs of the flow. A failure is only logged,
   * because the job itself has succeeded.
   */
  private void publish(AttemptFiles files) {
    try {
      files.escapeOutput();
      generateProperties(files.output().toFile());
    } catch (IOException | RuntimeException e) {
      getLog().warn("The output properties of this job are missing: " + e);
    }
  }

  /** Returns the progress that the client reported last, from 0 to 1. */
  @Override
  public double getProgress() {
    ClientLaunch current = launch;
    return current == null || finished ? progress : current.status().progress().orElse(progress);
  }

  /**
   * Ends the application that this attempt started, and no other one. Afterwards, {@link #run}
   * returns as soon as the application has ended, or as soon as the job's log says why it is
   * unknown whether it has. If this Azkaban waits for {@link #run}, this method does not wait for
   * the application's end, because Azkaban cancels the jobs of a flow one after the other.
   */
  @Override
  public void cancel() throws InterruptedException {
    if (cancelReturnsEarly) {
      client.cancelAsync(application());
    } else {
      client.cancel(application());
    }
    tokenCall.interrupt();
  }

  private ClientProcess.Application application() {
    return new ClientProcess.Application() {
      @Override
      public long stopLimitMillis() {
        return launched().stopLimitMillis(termLimitMillis);
      }

      @Override
      public boolean isFinished(int exitCode) {
        return ClientExit.of(exitCode, launched().status()) != ClientExit.UNKNOWN;
      }

      @Override
      public void kill() throws InterruptedException {
        killOrphan(launched());
      }

      private ClientLaunch launched() {
        return Objects.requireNonNull(launch);
      }
    };
  }

  @Override
  public boolean isCanceled() {
    return client.isCancelled();
  }

  private void runClient(ClientLaunch current)
      throws IOException, InterruptedException, JobFailedException {
    int exitCode;
    try {
      exitCode = followToTheEnd(current);
      client.finish();
    } catch (IOException | RuntimeException | Error e) {
      // The attempt fails, so its client and its application must not keep running.
      client.cancel(application());
      throw e;
    } catch (InterruptedException e) {
      // Azkaban's executor interrupts this thread to end the job, so its YARN application must end,
      // too.
      getLog().warn("The job's thread was interrupted: the job is stopped.");
      client.cancel(application());
      throw e;
    }
    ClientStatus status = current.status();
    if (client.isCancelled()) {
      throw cancellation(status.applicationId());
    }
    ClientExit exit = ClientExit.of(exitCode, status);
    if (exit != ClientExit.SUCCEEDED) {
      progress = status.progress().orElse(progress);
      throw failure(exit, exitCode, status);
    }
    progress = 1;
  }

  /**
   * Runs the client. If it ends without knowing the application's outcome, runs further clients
   * that follow the application. Returns the last client's exit code.
   */
  private int followToTheEnd(ClientLaunch current)
      throws IOException, InterruptedException, JobFailedException {
    int exitCode = run(current.submit(), current);
    for (long pause : retryDelaysMillis) {
      Optional<String> application = current.status().applicationId();
      if (ClientExit.of(exitCode, current.status()) != ClientExit.UNKNOWN
          || !application.isPresent()) {
        break;
      }
      getLog()
          .warn(
              "TonY's client ended (exit code "
                  + exitCode
                  + ") without knowing how the job did; another one follows "
                  + application.get()
                  + " in "
                  + pause / 1_000
                  + " s.");
      client.pause(pause);
      try {
        exitCode = run(current.follow(application.get()), current);
      } catch (IOException e) {
        getLog().warn("It could not be started: " + e.getMessage());
      }
    }
    return exitCode;
  }

  /** Runs one client to its end, copies its output to the job's log, and returns its exit code. */
  private int run(ProcessBuilder command, ClientLaunch current)
      throws IOException, InterruptedException, JobFailedException {
    Process process = client.start(command);
    if (process == null) {
      throw cancellation(current.status().applicationId());
    }
    process.getOutputStream().close();
    ClientLog output = ClientLog.follow(process, "tony-client-" + getId(), getLog()::info);
    int exitCode = client.await();
    output.finish();
    return exitCode;
  }

  private void killOrphan(ClientLaunch current) throws InterruptedException {
    Optional<String> applicationId = current.status().applicationToEnd();
    if (!applicationId.isPresent()) {
      getLog().info("The client ended before it had an application id: nothing was submitted.");
      return;
    }
    String id = applicationId.get();
    getLog().info("The client is gone; another one kills " + id + " now.");
    String unknown = "; whether " + id + " still runs is unknown: yarn application -status " + id;
    long limit = Math.max(KillCommand.LIMIT_MILLIS, current.stopLimitMillis(termLimitMillis));
    KillCommand.run(current.kill(id), "tony-kill-" + getId(), limit, unknown, getLog());
  }

  private Map<String, String> passedProperties(SiteProperties site, CommonProperties common) {
    Map<String, String> job = new TreeMap<>();
    for (String key : jobProps.getKeySet()) {
      String value = jobProps.get(key);
      if (value != null) {
        job.put(key, value);
      }
    }
    job.putIfAbsent(PassedProperties.JOB_ID, getId());
    return PassedProperties.of(
        job,
        site.defaultsIn(jobProps),
        key ->
            site.isDefaultIn(jobProps, key)
                || common.isDefaultIn(jobProps, key)
                || Objects.requireNonNull(job.get(key)).equals(sysProps.get(key)));
  }

  private JobFailedException failure(ClientExit exit, int exitCode, ClientStatus status) {
    String application = status.applicationId().orElse("no application");
    String details = "(" + exit + ", exit code " + exitCode + ", " + application + ")";
    String message = getId() + ": " + exit.meaning() + " " + details + ".";
    if (exit == ClientExit.UNKNOWN && status.applicationId().isPresent()) {
      message +=
          " The application may still run, and a retry of this job looks after it: yarn application"
              + " -status "
              + application
              + " .";
    }
    return new JobFailedException(message, "FAILED " + details);
  }

  private JobFailedException cancellation(Optional<String> applicationId) {
    return new JobFailedException(
        getId() + " was cancelled (" + applicationId.orElse("no application was submitted") + ").",
        "CANCELLED (" + applicationId.orElse("no application") + ")");
  }

  /** Returns the environment variables of the client that depend on this job. */
  private Map<String, String> environment(SiteProperties site, CommonProperties common, RunAs runAs)
      throws JobFailedException, IOException {
    ClientEnvironment clientEnvironment =
        new ClientEnvironment(
            getEnvironmentVariables(),
            key -> site.isDefaultIn(jobProps, key) || common.isDefaultIn(jobProps, key),
            key -> jobProps.get(key).equals(sysProps.get(key)));
    clientEnvironment.refuse();
    clientEnvironment.logLines().forEach(getLog()::info);
    Set<String> overridden = site.overriddenBy(jobProps);
    if (!overridden.isEmpty()) {
      getLog().warn(overridden + " are the administrator's to set; the job's values are ignored.");
    }
    runAs.logLine().ifPresent(getLog()::info);
    runAs.missingWarning().ifPresent(getLog()::warn);
    Map<String, String> environment = new TreeMap<>(clientEnvironment.passed());
    File workingDirectory = new File(getWorkingDirectory()).getAbsoluteFile();
    environment.putAll(
        JobFolders.of(getId(), jobProps, site, workingDirectory, System.getenv()).environment());
    StepIdentity.check(
        getId(), jobProps, jobProps.getString(ATTEMPT, "0"), RunningFlow::of, getLog());
    environment.putAll(runAs.environment());
    return environment;
  }

  private void delete(AttemptFiles files) {
    try {
      files.close();
    } catch (IOException | RuntimeException e) {
      getLog().warn("The job's temporary files stay behind: " + e);
    }
  }
}
