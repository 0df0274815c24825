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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every command works with: Hadoop's configuration, the client's login and the output. Also
 * decides whether jobs run on YARN or on this machine, and reads the configuration of the job that
 * the command line describes.
 */
final class Console {
  private static final Logger LOG = LoggerFactory.getLogger(Console.class);

  private final YarnConfiguration conf;
  private final JobLog out;
  private final @Nullable SilenceWatch watch; // null in tests, where no server is watched
  private final @Nullable LocalClusterFolders localFolders; // null if jobs run on YARN
  // Folder against which the job's relative paths are resolved. If null, the environment variables
  // name it.
  private final @Nullable Path startFolder;
  private Login login;
  private @Nullable LocalResources localResources; // null until first used

  Console(YarnConfiguration conf, Login login, JobLog out, @Nullable SilenceWatch watch) {
    this(conf, login, out, watch, null, null);
  }

  private Console(
      YarnConfiguration conf,
      Login login,
      JobLog out,
      @Nullable SilenceWatch watch,
      @Nullable LocalClusterFolders localFolders,
      @Nullable Path startFolder) {
    this.watch = watch;
    this.conf = conf;
    this.login = login;
    this.out = out;
    this.localFolders = localFolders;
    this.startFolder = startFolder;
  }

  /**
   * Returns a console whose jobs run on this machine instead of a cluster. Creates the folders for
   * local jobs, and sets them in {@link #conf}, which both consoles share.
   *
   * @param startFolder folder against which relative paths of the job are resolved; null to take
   *     the folder from the environment variables
   * @throws InvalidJobException if the folders for local jobs cannot be created
   */
  Console onThisMachine(@Nullable Path startFolder) throws InvalidJobException, IOException {
    // Local jobs need the user's home folder, so fail at once if the user has no name.
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
   * Returns a console for this machine if {@code TONY_SCHEDULER} is {@code local} or if one of the
   * applications ran on this machine; otherwise this console.
   *
   * @param applications words of the command line that may be application ids; other words are
   *     ignored
   * @throws InvalidJobException if {@code TONY_SCHEDULER} has another value than {@code local} or
   *     {@code yarn}
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
   * Returns the resources of this machine. The first call detects them, which may take seconds,
   * because it runs {@code nvidia-smi}.
   */
  private LocalResources localResources() {
    if (localResources == null) {
      localResources = LocalResources.detect(System.getenv());
    }
    return localResources;
  }

  /**
   * Returns Hadoop's configuration from the files on the class path, changed as a client of TonY
   * needs it.
   */
  static YarnConfiguration configuration() {
    YarnConfiguration conf = new YarnConfiguration();
    SubmissionClient.prepare(conf);
    // By default, Hadoop closes HDFS when a signal arrives. The client still needs HDFS then, to
    // clean up after the job.
    conf.setBoolean(CommonConfigurationKeysPublic.FS_AUTOMATIC_CLOSE_KEY, false);
    return conf;
  }

  /**
   * Returns the current login of this client. {@link #logIn} replaces it if the job names a keytab.
   */
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
   * Prints warnings about properties that do not belong in a job file or have no effect. Call this
   * before the properties are parsed as options, because a warning may explain why an option cannot
   * be parsed.
   */
  private void printWarnings(Map<String, String> properties, JobFolder folder) {
    propertyWarnings(properties, folder.isConfined())
        .forEach(warning -> out.println("warning: " + warning));
  }

  /**
   * Returns warnings about properties that do not belong in a job file or have no effect.
   *
   * @param isAzkabanStep whether the job is a step of Azkaban, whose properties other users can see
   *     there
   */
  static List<String> propertyWarnings(Map<String, String> properties, boolean isAzkabanStep) {
    List<String> warnings = new ArrayList<>(PropertyCheck.warnings(properties.keySet()));
    if (isAzkabanStep) {
      SecretProperties.warning(properties).ifPresent(warnings::add);
    }
    return warnings;
  }

  /**
   * Reads and returns the configuration of a job to be submitted. Prints warnings about its
   * properties, and logs in with the keytab that it names, if any.
   *
   * @throws InvalidJobException if any source of options is invalid
   */
  TonyConfig config(Arguments arguments) throws InvalidJobException, IOException {
    return config(arguments, UnaryOperator.identity());
  }

  /**
   * Like {@link #config(Arguments)}, but applies {@code change} to the configuration from all
   * sources, before the login.
   */
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
   * Returns the configuration with which a command finds the folders of a job that has been
   * submitted before. Logs in with the keytab that it names, if any. Ignores sources of options
   * that cannot be read.
   */
  TonyConfig submittedConfig(Arguments arguments) throws InvalidJobException, IOException {
    return applyConfig(JobSources.readLeniently(arguments, System.getenv(), jobFolder(), conf));
  }

  /**
   * Reads and returns the configuration of a job that is checked without the cluster. Prints
   * warnings about its properties. Does not log in.
   *
   * @throws InvalidJobException if any source of options is invalid
   */
  TonyConfig offlineConfig(Arguments arguments) throws InvalidJobException, IOException {
    JobFolder folder = jobFolder();
    return JobSources.read(
        arguments, System.getenv(), folder, conf, properties -> printWarnings(properties, folder));
  }

  /**
   * Sets a condition: from now on, an unanswered call ends the command only if the condition
   * returns true.
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
   * Logs in with the keytab that the job names, if any, and returns {@code config}. Call after all
   * of the cluster's configuration files have been added to {@link #conf}, because they decide
   * whether Kerberos is used.
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
   * Returns this user's cache folder: {@code TONY_CACHE}, or {@code ~/.cache/tony} if the variable
   * is not set, as in {@code bin/tony}. Empty if {@code TONY_CACHE} is {@code none}.
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

  /**
   * Returns the folder against which the job's relative paths are resolved, with the rules for
   * files that the job may ship.
   */
  JobFolder jobFolder() throws IOException {
    return startFolder == null ? JobFolder.of(System.getenv()) : JobFolder.of(startFolder);
  }

  /**
   * Starts to load the client of the default file system on a background thread, because loading
   * its classes takes as long as loading YARN's. That thread sends no request, because {@link
   * SilenceWatch} can only end calls of the command's own thread if a server does not answer.
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
      LOG.debug("The caller says why there is none", e);
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
   * Registers what happens on SIGTERM or SIGINT: the job is cancelled before this process exits. If
   * the job may still be running after that, the exit code is that of {@link
   * TonyCli#haltWithUnknownEnd}.
   *
   * @param cancel cancels the job; its argument says in words who sent the signal; returns false if
   *     the job may still be running
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
   * Returns, for messages, who ended the job by a signal to this client. In a step of Azkaban, that
   * is a kill in Azkaban, because the job type sends signals for no other reason.
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
