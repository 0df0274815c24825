package io.tony.am.scheduler;

import io.tony.am.machine.Event.ContainerEnd;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.container.AccessLists;
import io.tony.container.ContainerFiles;
import io.tony.container.DockerRuntime;
import io.tony.container.JvmCommand;
import io.tony.container.JvmStartFailure;
import io.tony.container.Staging;
import io.tony.container.Submitter;
import io.tony.executor.TaskExecutor;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.model.FailureKind;
import io.tony.model.FileSpec;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskKey;
import io.tony.protocol.DelegatedTokens;
import io.tony.protocol.JobKey;
import io.tony.protocol.TonyToken;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.security.sasl.Sasl;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.SaslPropertiesResolver;
import org.apache.hadoop.security.SaslRpcServer;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.LocalResource;

/**
 * Creates the launch contexts (command, environment, files and tokens) with which executors'
 * containers are started. What depends only on the role is created once. The user's command and
 * environment are not included: executors get them by RPC, so that no shell interprets them.
 */
public final class ExecutorLaunch {
  private static final long HEAP_MIB = 64;

  private final TonyConfig config;
  private final JobSpec job;
  private final InetSocketAddress master;
  private final String rpcProtection;
  private final String masterFile;
  private final boolean reusePort;
  private final String networkInterface;
  private final boolean hadoopEnvironment;
  private final Duration samplingInterval;
  private final boolean samplesGpus;
  private final String gpuProgram;
  private final UserGroupInformation currentUser;
  private final JobKey jobKey;
  private final String command;
  private final String classPath;
  private final Map<String, String> submitter;
  private final Map<String, Map<String, LocalResource>> filesByRole = new HashMap<>();

  public ExecutorLaunch(
      Configuration conf,
      TonyConfig config,
      JobSpec job,
      Staging staging,
      InetSocketAddress master,
      UserGroupInformation currentUser,
      JobKey jobKey)
      throws IOException {
    this.config = config;
    this.job = job;
    this.master = master;
    this.rpcProtection = rpcProtection(conf, master);
    this.masterFile = staging.master().toString();
    this.reusePort = config.get(TaskOptions.REUSE_PORT);
    this.networkInterface = config.find(TaskOptions.NETWORK_INTERFACE).orElse("");
    this.hadoopEnvironment = config.get(TaskOptions.HADOOP_ENVIRONMENT);
    this.samplingInterval = config.get(TaskOptions.METRICS_INTERVAL);
    this.samplesGpus = config.get(TaskOptions.GPU_METRICS);
    this.gpuProgram = config.get(TaskOptions.GPU_EXEC_PATH);
    this.currentUser = currentUser;
    this.jobKey = jobKey;
    this.command =
        JvmCommand.of(
            config,
            HEAP_MIB,
            config.get(TaskOptions.DEFAULT_JVM_OPTS)
                + " "
                + config.get(TaskOptions.EXECUTOR_JVM_OPTS)
                // The class path at the start is only TonY's jar, because the executor does not
                // need Hadoop's jars then.
                + " -cp "
                + Staging.JAR,
            TaskExecutor.class,
            "executor.log");
    ContainerFiles shared =
        new ContainerFiles(conf)
            .addTonyJar(new Path(config.get(ClientOptions.JAR)), staging)
            .addJava(config)
            .addJarsOf(config.get(ProgramOptions.HDFS_CLASSPATH));
    if (config.isSet(ProgramOptions.SRC_DIR)) {
      shared.addFile(new Path(config.get(ProgramOptions.SRC_DIR)), ExecutorSettings.SOURCE_ARCHIVE);
    }
    for (FileSpec file : job.files()) {
      shared.addFile(file);
    }
    this.classPath = shared.classPath();
    this.submitter = Submitter.environment();
    for (RoleSpec role : job.roles()) {
      ContainerFiles files = shared.copy();
      for (FileSpec file : role.files()) {
        files.addFile(file);
      }
      filesByRole.put(role.name(), files.asMap());
    }
  }

  /**
   * Returns why an executor's process ended with this exit status. Also reads the container's log
   * files in the folder {@code logs}.
   */
  public ContainerEnd end(int status, java.nio.file.Path logs) {
    return ExitCodes.startFailure(
            config, status, JvmStartFailure.tail(logs.resolve(JvmCommand.STDERR_FILE)))
        .orElseGet(() -> new ContainerEnd(FailureKind.LOST, ExitCodes.message(status)));
  }

  /**
   * Returns the protection (Hadoop's quality of protection) that Hadoop's own clients would use for
   * RPC connections to {@code master}.
   *
   * @throws IOException if executors could not log in, because the cluster uses another login
   *     mechanism
   */
  private static String rpcProtection(Configuration conf, InetSocketAddress master)
      throws IOException {
    String mechanism = SaslRpcServer.AuthMethod.TOKEN.getMechanismName();
    if (!mechanism.equals(ExecutorSettings.LOGIN_MECHANISM)) {
      throw new IOException(
          "this cluster's calls with tokens are authenticated by "
              + mechanism
              + " (hadoop.security.sasl.mechanism); executors know "
              + ExecutorSettings.LOGIN_MECHANISM
              + " only");
    }
    return SaslPropertiesResolver.getInstance(conf)
        .getClientProperties(master.getAddress())
        .getOrDefault(Sasl.QOP, "auth");
  }

  /**
   * Returns the hang timeout of the task; zero (no timeout) for a sidecar, because a sidecar may
   * idle and its end is not awaited.
   */
  private Duration hangTimeout(TaskKey key) {
    boolean sidecar = job.role(key.task().role()).supervision() == Supervision.SIDECAR;
    return sidecar ? Duration.ZERO : job.limits().hang();
  }

  /**
   * Creates the launch context for one container.
   *
   * @param host name under which other hosts know the container's node
   */
  public ContainerLaunchContext context(TaskKey key, String host) throws IOException {
    Map<String, String> environment = new HashMap<>(submitter);
    environment.put(Environment.CLASSPATH.name(), classPath);
    environment.putAll(DockerRuntime.environment(job.role(key.task().role()).docker()));
    environment.putAll(
        new ExecutorSettings(
                key,
                host,
                master,
                rpcProtection,
                masterFile,
                job.limits().masterLost(),
                job.limits().heartbeatInterval(),
                hangTimeout(key),
                config.get(TaskOptions.HOLD_ON_FAILURE),
                job.limits().stopGrace(),
                job.maxErrorLines(),
                key.task().equals(job.tensorBoardHost()),
                reusePort,
                networkInterface,
                hadoopEnvironment,
                new ExecutorSettings.Preflight(
                    config.find(TaskOptions.PREFLIGHT).orElse("").strip(),
                    config.get(TaskOptions.PREFLIGHT_TIMEOUT),
                    job.role(key.task().role()).resource().gpus()),
                sampling(job.role(key.task().role())))
            .toEnvironment());
    ContainerLaunchContext context =
        ContainerLaunchContext.newInstance(
            filesByRole.get(key.task().role()),
            environment,
            List.of(command),
            null,
            tokens(),
            null);
    AccessLists.applyTo(context, config);
    return context;
  }

  private ExecutorSettings.Sampling sampling(RoleSpec role) {
    return new ExecutorSettings.Sampling(
        samplingInterval, samplesGpus ? role.resource().gpus() : 0, gpuProgram);
  }

  /**
   * Returns the newest delegation tokens of the job, for the user's programs, and the executor's
   * own token.
   */
  private ByteBuffer tokens() throws IOException {
    Credentials tokens = DelegatedTokens.of(currentUser.getCredentials());
    tokens.addToken(new Text(TonyToken.KIND), jobKey.token(TonyToken.Audience.EXECUTOR));
    return Staging.forContainer(tokens);
  }
}
