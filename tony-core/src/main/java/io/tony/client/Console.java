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

/** Where a command runs: what it reads its configuration from, and where it tells. */
final class Console {
  private static final Logger LOG = LoggerFactory.getLogger(Console.class);

  private final YarnConfiguration conf;
  private final JobLog out;
  private final SilenceWatch watch; // null where nobody waits
  private final LocalClusterFolders localFolders; // null on a cluster
  private final Path startFolder; // null where the environment says it
  private Login login;
  private LocalResources localResources; // null until it is asked for

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
   * The same with this machine in the place of the cluster.
   *
   * @param startFolder where relative paths of the job start; null where the environment says it
   */
  Console onThisMachine(Path startFolder) throws InvalidJobException, IOException {
    UserGroupInformation.getLoginUser(); // a user without a name has no home for the folders
    LocalClusterFolders folders = LocalClusterFolders.of(System.getenv());
    Optional<String> problem = folders.create();
    if (problem.isPresent()) {
      throw new InvalidJobException(List.of(problem.get()));
    }
    folders.configure(conf);
    return new Console(conf, login, out, watch, folders, startFolder);
  }

  /** Where the user's jobs run, or else one of the applications that are named. */
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

  /** What it has; nvidia-smi may take seconds to say. */
  private LocalResources localResources() {
    if (localResources == null) {
      localResources = LocalResources.detect(System.getenv());
    }
    return localResources;
  }

  /** As the cluster's files on the class path have it, and as a client needs it. */
  static YarnConfiguration configuration() {
    YarnConfiguration conf = new YarnConfiguration();
    SubmissionClient.prepare(conf);
    // A signal must not take HDFS away from the clean-up that it asks for.
    conf.setBoolean(CommonConfigurationKeysPublic.FS_AUTOMATIC_CLOSE_KEY, false);
    return conf;
  }

  /** How this client proves who it is; known once a configuration was read. */
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
   * Warns of properties that a job file should not have or that do nothing, before the file is read
   * as options: what is wrong with those may be why.
   */
  private void printWarnings(Map<String, String> properties, JobFolder folder) {
    propertyWarnings(properties, folder.isConfined())
        .forEach(warning -> out.println("warning: " + warning));
  }

  /**
   * What is doubtful about the properties of a job.
   *
   * @param isAzkabanStep whether Azkaban shows the properties to others
   */
  static List<String> propertyWarnings(Map<String, String> properties, boolean isAzkabanStep) {
    List<String> warnings = new ArrayList<>(PropertyCheck.warnings(properties.keySet()));
    if (isAzkabanStep) {
      SecretProperties.warning(properties).ifPresent(warnings::add);
    }
    return warnings;
  }

  /** A job to be submitted: all of its sources must be in order. Warns of doubtful properties. */
  TonyConfig config(Arguments arguments) throws InvalidJobException, IOException {
    return config(arguments, UnaryOperator.identity());
  }

  /** The same, with what the command makes of the options that are given. */
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

  /** A job that was submitted: what can be read of its sources says where its folders are. */
  TonyConfig submittedConfig(Arguments arguments) throws InvalidJobException, IOException {
    return applyConfig(JobSources.readLeniently(arguments, System.getenv(), jobFolder(), conf));
  }

  /** A job to be checked without its cluster. */
  TonyConfig offlineConfig(Arguments arguments) throws InvalidJobException, IOException {
    JobFolder folder = jobFolder();
    return JobSources.read(
        arguments, System.getenv(), folder, conf, properties -> printWarnings(properties, folder));
  }

  /** From now on, only this says whether a server that does not answer ends the command. */
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

  /** As the job says; whether the cluster wants Kerberos stands in its files, all taken by now. */
  TonyConfig logIn(TonyConfig config) throws InvalidJobException, IOException {
    login = Identity.configure(System.getenv(), conf, config, login);
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

  /** This user's own, as {@code bin/tony} has it; nothing where nothing is to be kept. */
  static Optional<Path> cacheFolder(Map<String, String> environment) {
    String setting = environment.getOrDefault("TONY_CACHE", "");
    return setting.equals("none")
        ? Optional.empty()
        : Optional.of(
            setting.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".cache", "tony")
                : Path.of(setting));
  }

  /** Where the job is, with what it may ship from there. */
  JobFolder jobFolder() throws IOException {
    return startFolder == null ? JobFolder.of(System.getenv()) : JobFolder.of(startFolder);
  }

  /**
   * Makes the client of the file system beside what else is done; it loads as much as YARN's does.
   * It asks nothing yet: whoever does first can be interrupted.
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
   * SIGTERM and SIGINT: the job ends before this process does.
   *
   * @param cancel answers false where the job may live on
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

  /** Who ends a job by a signal to its client: the job type sends one for Azkaban alone. */
  static String signalSender(Map<String, String> environment) {
    if (!JobFolder.isOfStep(environment)) {
      return "a signal to its client";
    }
    return Boolean.parseBoolean(environment.get("TONY_AZKABAN_POD"))
        ? "a kill in Azkaban (by a person, an SLA or the end of the execution's container)"
        : "a kill in Azkaban (by a person or an SLA)";
  }
}
