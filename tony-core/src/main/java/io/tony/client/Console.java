package io.tony.client;

import io.tony.client.cluster.ClusterServer;
import io.tony.client.cluster.NoClusterException;
import io.tony.client.cluster.SilenceWatch;
import io.tony.client.input.Arguments;
import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobFolder;
import io.tony.client.input.JobSources;
import io.tony.client.local.LocalJob;
import io.tony.client.local.LocalYarn;
import io.tony.client.login.Identity;
import io.tony.client.login.Login;
import io.tony.client.output.JobLog;
import io.tony.client.submit.SubmissionClient;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.config.job.PropertyCheck;
import io.tony.config.job.SecretProperties;
import io.tony.container.local.LocalClusterFolders;
import io.tony.container.local.LocalResources;
import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Environment in which a command runs: its Hadoop configuration, its login, and its output. */
final class Console {
  private static final Logger LOG = LoggerFactory.getLogger(Console.class);

  private final YarnConfiguration conf;
  private final JobLog out;
  private final SilenceWatch watch; // null in tests: no server is watched
  private final LocalClusterFolders localFolders; // null if the jobs run on a cluster
  private final Path startFolder; // null: taken from the environment variables
  private Login login;
  private LocalResources localResources; // null until first used

  Console(YarnConfiguration conf, Login login, JobLog out, SilenceWatch watch) {
    this(conf, login, out, watch, null, null);
  }

  private Console(
      YarnConfiguration conf,
      Login login,
      JobLog out,
      SilenceWatch watch,
      LocalClusterFolders localFolders,
      Path startFolder) {
    this.watch = watch;
    this.conf = conf;
    this.login = login;
    this.out = out;
    this.localFolders = localFolders;
    this.startFolder = startFolder;
  }

  /**
   * Returns a console whose jobs run on this machine instead of a cluster.
   *
   * @param startFolder folder against which relative paths of the job are resolved; null to take it
   *     from the environment variables
   * @throws InvalidJobException if the folders for local jobs cannot be created
   */
  Console onThisMachine(Path startFolder) throws InvalidJobException, IOException {
    // Fails early for a user without a name, who has no home folder for local jobs.
    UserGroupInformation.getLoginUser();
    LocalClusterFolders folders = LocalClusterFolders.of(System.getenv());
    Optional<String> problem = folders.create();
    if (problem.isPresent()) {
      throw new InvalidJobException(List.of(problem.get()));
    }
    folders.configure(conf);
    return new Console(conf, login, out, watch, folders, startFolder);
  }

  /**
   * Returns the console for the scheduler in {@code TONY_SCHEDULER}, or for this machine if one of
   * {@code applications} ran here.
   */
  Console selectScheduler(List<String> applications) throws InvalidJobException, IOException {
    String scheduler = System.getenv().getOrDefault("TONY_SCHEDULER", "yarn");
    if (!List.of("local", "yarn").contains(scheduler)) {
      throw new InvalidJobException(
          List.of("TONY_SCHEDULER is '" + scheduler + "': it can be yarn or local"));
    }
    boolean isLocal =
        scheduler.equals("local")
            || LocalClusterFolders.of(System.getenv()).hasApplication(applications);
    return isLocal ? onThisMachine(null) : this;
  }

  /**
   * Detects the resources of this machine at the first call; {@code nvidia-smi} may take seconds.
   */
  private LocalResources localResources() {
    if (localResources == null) {
      localResources = LocalResources.detect(System.getenv());
    }
    return localResources;
  }

  /**
   * Returns the cluster's configuration from the class path, with the settings that a client needs.
   */
  static YarnConfiguration configuration() {
    YarnConfiguration conf = new YarnConfiguration();
    SubmissionClient.prepare(conf);
    // A signal starts a clean-up that needs HDFS: do not close HDFS at the same time.
    conf.setBoolean(CommonConfigurationKeysPublic.FS_AUTOMATIC_CLOSE_KEY, false);
    return conf;
  }

  /** Returns the credentials of this client, complete after a configuration has been read. */
  Login login() {
    return login;
  }

  YarnConfiguration conf() {
    return conf;
  }

  JobLog out() {
    return out;
  }

  /**
   * Prints warnings about properties that do not belong in a job file or have no effect. Called
   * before the properties are parsed as options, because they may explain a parse error.
   */
  private void printWarnings(Map<String, String> properties, JobFolder folder) {
    propertyWarnings(properties, folder.isConfined())
        .forEach(warning -> out.println("warning: " + warning));
  }

  /**
   * Returns warnings about a job's properties.
   *
   * @param isAzkabanStep whether Azkaban shows the properties to other users
   */
  static List<String> propertyWarnings(Map<String, String> properties, boolean isAzkabanStep) {
    List<String> warnings = new ArrayList<>(PropertyCheck.warnings(properties.keySet()));
    if (isAzkabanStep) {
      SecretProperties.warning(properties).ifPresent(warnings::add);
    }
    return warnings;
  }

  /**
   * Reads the configuration of a job to submit, and prints warnings about its properties.
   *
   * @throws InvalidJobException if any source of options is invalid
   */
  TonyConfig config(Arguments arguments) throws InvalidJobException, IOException {
    return config(arguments, UnaryOperator.identity());
  }

  /** Like {@link #config(Arguments)}, but applies {@code change} to the options that were given. */
  TonyConfig config(Arguments arguments, UnaryOperator<TonyConfig> change)
      throws InvalidJobException, IOException {
    JobFolder folder = jobFolder();
    TonyConfig config =
        change.apply(
            JobSources.read(
                arguments,
                System.getenv(),
                folder,
                conf,
                properties -> printWarnings(properties, folder)));
    if (localFolders != null && !LocalJob.ignoredOptions(config).isEmpty()) {
      out.println(
          "this machine is no cluster, and passes over "
              + String.join(", ", LocalJob.ignoredOptions(config)));
    }
    TonyConfig used = applyConfig(config);
    if (localFolders != null) {
      List<String> problems = LocalJob.problems(used, localResources());
      if (!problems.isEmpty()) {
        throw new InvalidJobException(problems);
      }
    }
    return used;
  }

  /**
   * Reads the configuration for a submitted job, to find its folders. Sources that cannot be read
   * are ignored.
   */
  TonyConfig submittedConfig(Arguments arguments) throws InvalidJobException, IOException {
    return applyConfig(JobSources.readLeniently(arguments, System.getenv(), jobFolder(), conf));
  }

  /** Reads the configuration of a job that is checked without the cluster. */
  TonyConfig offlineConfig(Arguments arguments) throws InvalidJobException, IOException {
    JobFolder folder = jobFolder();
    return JobSources.read(
        arguments, System.getenv(), folder, conf, properties -> printWarnings(properties, folder));
  }

  /**
   * Sets the condition that decides, from now on, whether an unresponsive server ends the command.
   */
  void setEndCondition(BooleanSupplier condition) {
    if (watch != null) {
      watch.setEndCondition(condition);
    }
  }

  private TonyConfig applyConfig(TonyConfig jobConfig) throws InvalidJobException, IOException {
    TonyConfig config = localFolders == null ? jobConfig : LocalJob.of(jobConfig, localFolders);
    for (var file : List.of(ClientOptions.HDFS_CONF_PATH, ClientOptions.YARN_CONF_PATH)) {
      config.find(file).ifPresent(path -> conf.addResource(new org.apache.hadoop.fs.Path(path)));
    }
    logIn(config);
    if (localFolders == null) {
      Login.requireCredentials();
      Optional<String> problem = ClusterServer.unconfigured(conf, System.getenv());
      if (problem.isPresent()) {
        throw new NoClusterException(
            problem.get()
                + "; or set TONY_SCHEDULER=local, for the jobs of this machine that tony run starts");
      }
    }
    return config;
  }

  /**
   * Logs in as the job's options say. Must run after all files of the cluster have been added to
   * {@link #conf}, because they decide whether Kerberos is used.
   */
  TonyConfig logIn(TonyConfig config) throws InvalidJobException, IOException {
    login = Identity.logIn(System.getenv(), conf, config, login);
    return config;
  }

  static Arguments requireNoPositionalArgs(Arguments arguments) throws InvalidJobException {
    if (!arguments.positionalArgs().isEmpty()) {
      throw new InvalidJobException(
          List.of("these words belong to no option: " + arguments.positionalArgs()));
    }
    return arguments;
  }

  static Path workingDirectory() {
    return Path.of("").toAbsolutePath();
  }

  /**
   * Returns this user's cache folder, by the same rule as {@code bin/tony}; empty if {@code
   * TONY_CACHE} is {@code none}.
   */
  static Optional<Path> cacheFolder(Map<String, String> environment) {
    String setting = environment.getOrDefault("TONY_CACHE", "");
    return setting.equals("none")
        ? Optional.empty()
        : Optional.of(
            setting.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".cache", "tony")
                : Path.of(setting));
  }

  /** Returns the job's working folder and the rules for files that may be shipped from there. */
  JobFolder jobFolder() throws IOException {
    return startFolder == null ? JobFolder.of(System.getenv()) : JobFolder.of(startFolder);
  }

  /**
   * Creates the file system client on a background thread, because loading its classes takes as
   * long as loading YARN's. Sends no request yet: the command's own thread sends the first one and
   * can be interrupted.
   */
  void prepareFileSystem() {
    try {
      Spawner.SYSTEM.startThread("file-system", this::makeFileSystem);
    } catch (IOException e) {
      LOG.debug("Whoever uses it makes it", e);
    }
  }

  private void makeFileSystem() {
    try {
      FileSystem.get(conf);
    } catch (IOException | RuntimeException e) {
      LOG.debug("Whoever uses it says why there is none", e);
    }
  }

  YarnClient yarn() throws IOException {
    Login.requireCredentials();
    YarnClient yarn =
        localFolders == null
            ? new SubmissionClient()
            : new LocalYarn(localFolders, this::localResources);
    yarn.init(conf);
    yarn.start();
    return yarn;
  }

  /**
   * Cancels the job on SIGTERM and SIGINT before this process exits.
   *
   * @param cancel gets the sender of the signal, in words; returns false if the job may still be
   *     running
   */
  static void onSignal(Predicate<String> cancel) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> cancel(cancel), "cancel"));
  }

  private static void cancel(Predicate<String> cancelJob) {
    boolean ended = false;
    try {
      ended = cancelJob.test(signalSender(System.getenv()));
    } catch (RuntimeException | Error e) {
      LOG.error("Whether the job has ended is not known", e);
    }
    if (!ended) {
      TonyCli.haltWithUnknownEnd();
    }
  }

  /**
   * Returns who ended the job by a signal to this client. The job type sends a signal only if
   * Azkaban kills the job.
   */
  static String signalSender(Map<String, String> environment) {
    if (!JobFolder.isOfStep(environment)) {
      return "a signal to its client";
    }
    return Boolean.parseBoolean(environment.get("TONY_AZKABAN_POD"))
        ? "a kill in Azkaban (by a person, an SLA or the end of the execution's container)"
        : "a kill in Azkaban (by a person or an SLA)";
  }
}
