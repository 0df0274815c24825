package io.tony.azkaban;

import azkaban.jobExecutor.AbstractProcessJob;
import azkaban.utils.Props;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.Logger;

/**
 * {@code type=tony}: one attempt of a job that trains on YARN. It runs TonY's client as the
 * executor's direct child, with no shell between, follows it to its end and then succeeds, or
 * throws a {@link JobFailedException} that says why not.
 *
 * <p>Azkaban constructs the job once when it loads the plugin, with hardly a property, so
 * construction does nothing. The properties that it hands over are resolved; they are not resolved
 * again here, because newer versions would evaluate {@code $(…)} in values for a second time.
 */
public final class TonyJob extends AbstractProcessJob {

  /** For a JVM to start, ask YARN and wait for the end of the application. */
  private static final long KILL_COMMAND_LIMIT_MILLIS = 60_000;

  private static final String ATTEMPT = "azkaban.job.attempt";

  private final ClientProcess client;
  private volatile Launch launch;
  private volatile double progress;

  /** The constructor that every version of Azkaban calls. */
  public TonyJob(String jobId, Props sysProps, Props jobProps, Logger log) {
    this(jobId, sysProps, jobProps, log, ClientProcess.TERM_LIMIT_MILLIS);
  }

  TonyJob(String jobId, Props sysProps, Props jobProps, Logger log, long termLimitMillis) {
    super(jobId, sysProps, jobProps, log);
    this.client = new ClientProcess(log, termLimitMillis);
  }

  @Override
  public void run() throws Exception {
    if (client.isCancelled()) {
      throw cancelled(Optional.empty());
    }
    File pluginFolder = PluginFolder.locate(sysProps);
    SiteProperties site = SiteProperties.read(pluginFolder, sysProps);
    ClientSetup setup = SetupCheck.check(pluginFolder, site, System.getenv());
    ClientEnvironment environment = new ClientEnvironment(getEnvironmentVariables());
    logIgnored(site.overriddenBy(jobProps), environment.refused());

    File workingDirectory = new File(getWorkingDirectory()).getAbsoluteFile();
    AttemptFiles files =
        AttemptFiles.create(workingDirectory.toPath(), getId(), jobProps.getString(ATTEMPT, "0"));
    try {
      files.writeJob(PassedProperties.of(describeJob(), site.defaultsIn(jobProps)));
      launch = new Launch(setup, workingDirectory, environment.passed(), files);
      runClient(launch);
      files.escapeOutput();
      generateProperties(files.output().toFile());
    } finally {
      launch = null;
      delete(files);
    }
  }

  /** The progress that the client last told, from 0 to 1. */
  @Override
  public double getProgress() {
    Launch current = launch;
    return current == null ? progress : current.status().progress().orElse(progress);
  }

  /**
   * Ends exactly the application that this attempt started, and returns when it is over, or when
   * the log says why that cannot be known.
   */
  @Override
  public void cancel() throws InterruptedException {
    client.cancel(this::killOrphan);
  }

  @Override
  public boolean isCanceled() {
    return client.isCancelled();
  }

  private void runClient(Launch current)
      throws IOException, InterruptedException, JobFailedException {
    Process process = client.start(current.submit());
    if (process == null) {
      throw cancelled(Optional.empty());
    }
    process.getOutputStream().close();
    ClientLog output = ClientLog.follow(process, "tony-client-" + getId(), getLog()::info);
    int exitCode = awaitClient();
    output.finish();
    ClientStatus status = current.status();
    if (client.isCancelled()) {
      throw cancelled(status.applicationId());
    }
    ClientExit exit = ClientExit.of(exitCode);
    if (exit != ClientExit.SUCCEEDED) {
      progress = status.progress().orElse(progress);
      throw new JobFailedException(describe(exit, exitCode, status));
    }
    progress = 1;
  }

  /** An executor that interrupts the job wants it gone, with the application. */
  private int awaitClient() throws InterruptedException {
    try {
      return client.await();
    } catch (InterruptedException e) {
      getLog().warn("The job's thread was interrupted: the job is stopped.");
      cancel();
      Thread.currentThread().interrupt();
      throw e;
    }
  }

  private void killOrphan() throws InterruptedException {
    Launch current = launch;
    Optional<String> applicationId = current.status().applicationId();
    if (!applicationId.isPresent()) {
      getLog().info("The client ended before it had an application id: nothing was submitted.");
      return;
    }
    String id = applicationId.get();
    getLog().info("The client is gone; another one kills " + id + " now.");
    String unknown = "; whether " + id + " still runs is unknown: yarn application -status " + id;
    try {
      Process process = current.kill(id).start();
      process.getOutputStream().close();
      ClientLog output = ClientLog.follow(process, "tony-kill-" + getId(), getLog()::info);
      if (!process.waitFor(KILL_COMMAND_LIMIT_MILLIS, TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        getLog().error("The kill did not end in " + KILL_COMMAND_LIMIT_MILLIS + " ms" + unknown);
      } else if (process.exitValue() != 0) {
        getLog().error("The kill failed with exit code " + process.exitValue() + unknown);
      }
      output.finish();
    } catch (IOException e) {
      getLog().error("The kill could not be started (" + e.getMessage() + ")" + unknown);
    }
  }

  private Map<String, String> describeJob() {
    Map<String, String> job = new TreeMap<>();
    for (String key : jobProps.getKeySet()) {
      String value = jobProps.get(key);
      if (value != null) {
        job.put(key, value);
      }
    }
    job.putIfAbsent(PassedProperties.JOB_ID, getId());
    return job;
  }

  private String describe(ClientExit exit, int exitCode, ClientStatus status) {
    String application = status.applicationId().orElse("no application");
    String result =
        getId()
            + ": "
            + exit.meaning()
            + " ("
            + exit
            + ", exit code "
            + exitCode
            + ", "
            + application
            + "). ";
    if (!exit.applicationIsFinished() && status.applicationId().isPresent()) {
      return result
          + "The application may still run: yarn application -status "
          + application
          + " .";
    }
    // Azkaban 2.5 puts the missing cause's "null" right behind the message.
    return result + status.message().map(text -> text + ".").orElse("The lines above say why.");
  }

  private JobFailedException cancelled(Optional<String> applicationId) {
    return new JobFailedException(
        getId() + " was cancelled (" + applicationId.orElse("no application was submitted") + ").");
  }

  private void logIgnored(Set<String> settings, Set<String> variables) {
    if (!settings.isEmpty()) {
      getLog().warn(settings + " are the administrator's to set; the job's values are ignored.");
    }
    if (!variables.isEmpty()) {
      getLog()
          .info(
              "env. variables "
                  + variables
                  + " are not passed to TonY's client; the program's environment is worker_env.NAME.");
    }
  }

  private void delete(AttemptFiles files) {
    try {
      files.close();
    } catch (IOException e) {
      getLog().warn("The job's temporary files stay behind: " + e);
    }
  }

  /** What is needed to run commands of the client for this attempt. */
  private static final class Launch {
    private final ClientSetup setup;
    private final File workingDirectory;
    private final Map<String, String> environment;
    private final AttemptFiles files;

    Launch(
        ClientSetup setup,
        File workingDirectory,
        Map<String, String> environment,
        AttemptFiles files) {
      this.setup = setup;
      this.workingDirectory = workingDirectory;
      this.environment = environment;
      this.files = files;
    }

    ProcessBuilder submit() {
      List<String> arguments =
          Arrays.asList(
              "submit",
              "-job_file",
              files.job().toString(),
              "-status_file",
              files.status().toString(),
              "-output_file",
              files.output().toString(),
              "-events");
      return setup.command(workingDirectory, environment, arguments);
    }

    ProcessBuilder kill(String applicationId) {
      return setup.command(
          workingDirectory,
          environment,
          Arrays.asList("kill", applicationId, "-job_file", files.job().toString()));
    }

    ClientStatus status() {
      return ClientStatus.read(files.status());
    }
  }
}
