package io.tony.client.doctor;

import io.tony.client.check.ClusterLimits;
import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.container.MasterRequest;
import io.tony.model.JobSpec;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** Creates the checks of {@code tony doctor}, in the order in which they run. */
public final class InstallationChecks {
  private static final Duration MAX_LOCAL_WAIT = Duration.ofSeconds(10);
  private static final Duration MAX_CALL_WAIT = Duration.ofSeconds(30);

  /**
   * Limit of the check that runs the test job. It is longer than the job's own time limits, so that
   * these end the job first.
   */
  private static final Duration MAX_JOB_WAIT = Duration.ofMinutes(10);

  private final Configuration conf;
  private final YarnClient yarn;
  private final TonyConfig config;
  private final TestJob job;
  private final Optional<PluginCheck> plugin;

  public InstallationChecks(
      Configuration conf,
      YarnClient yarn,
      TonyConfig config,
      TestJob job,
      Optional<PluginCheck> plugin) {
    this.conf = conf;
    this.yarn = yarn;
    this.config = config;
    this.job = job;
    this.plugin = plugin;
  }

  /**
   * Shortens Hadoop's timeouts and retries in {@code conf}, so that a server that does not answer
   * is reported after seconds instead of minutes.
   */
  public static void shortenTimeouts(Configuration conf) {
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 1);
    conf.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 1);
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_TIMEOUT_KEY, 5_000);
    conf.setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_MAX_WAIT_MS, 5_000);
    conf.setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS, 1_000);
  }

  public List<Check> checks() {
    Set<String> configured = Set.of("hadoop", "config", "user");
    List<Check> checks = new ArrayList<>();
    checks.add(new Check("java", Set.of(), MAX_LOCAL_WAIT, "", InstallationChecks::java));
    checks.add(new Check("hadoop", Set.of(), MAX_LOCAL_WAIT, "", HadoopCheck::jars));
    checks.add(
        new Check("config", Set.of(), MAX_LOCAL_WAIT, "", () -> HadoopCheck.configuration(conf)));
    plugin.ifPresent(
        pluginCheck ->
            checks.add(
                new Check("plugin", Set.of(), MAX_LOCAL_WAIT, "", () -> pluginCheck.check(conf))));
    checks.add(
        new Check(
            "user",
            Set.of("config"),
            MAX_CALL_WAIT,
            "Check Hadoop's security settings and krb5.conf",
            HadoopCheck::user));
    checks.add(
        new Check(
            "hdfs",
            configured,
            MAX_CALL_WAIT,
            "Check that the NameNode and the DataNodes of "
                + FileSystem.getDefaultUri(conf)
                + " (fs.defaultFS) run and can be reached from here, and that the user may write"
                + " there",
            new HdfsCheck(conf, config)::check));
    checks.add(
        new Check(
            "yarn",
            configured,
            MAX_CALL_WAIT,
            "Check that the ResourceManager at "
                + HadoopCheck.resourceManager(conf)
                + " runs and can be reached from here",
            this::nodes));
    checks.add(new Check("queue", Set.of("yarn"), MAX_CALL_WAIT, "", this::queue));
    checks.add(new Check("limits", Set.of("yarn"), MAX_CALL_WAIT, "", this::limits));
    checks.add(
        new Check(
            "launch",
            Set.of("hdfs", "queue", "limits"),
            MAX_JOB_WAIT,
            "What was submitted ends by itself after tony.application.timeout",
            job::launch));
    checks.add(new Check("nodes", Set.of("launch"), MAX_LOCAL_WAIT, "", job::nodes));
    checks.add(new Check("links", Set.of("launch"), MAX_CALL_WAIT.multipliedBy(2), "", job::links));
    return checks;
  }

  /**
   * Reports the version of Java. It cannot be too old, because this class could not be loaded then.
   */
  private static Finding java() {
    return Finding.ok("Java " + Runtime.version() + " in " + System.getProperty("java.home"));
  }

  private Finding nodes() throws IOException, YarnException {
    int running = yarn.getNodeReports(NodeState.RUNNING).size();
    return running == 0
        ? Finding.failed("no node is RUNNING", "Start NodeManagers, or see why they are unhealthy")
        : Finding.ok(running + (running == 1 ? " node is RUNNING" : " nodes are RUNNING"));
  }

  private Finding queue() throws IOException, YarnException {
    String name = config.get(JobOptions.QUEUE);
    List<String> problems = new ArrayList<>();
    ClusterLimits.queue(yarn, name, problems);
    return problems.isEmpty()
        ? Finding.ok(name + " is RUNNING and takes jobs of this user")
        : Finding.failed(String.join("; ", problems), "");
  }

  /**
   * Checks that the ApplicationMaster and a worker, with the default sizes of this installation,
   * are not larger than the largest container that YARN allocates.
   */
  private Finding limits() throws IOException, YarnException {
    Resource largest = ClusterLimits.loadLargestContainer(yarn);
    TonyConfig worker =
        TonyConfig.builder()
            .layer(
                "tony doctor",
                Map.of("tony.worker.instances", "1", ProgramOptions.EXECUTES.key(), "true"))
            .layer("the installation", config.asMap())
            .build();
    JobSpec workerJob = JobSpecReader.readLeniently(worker, new Problems());
    List<String> problems = ClusterLimits.masterProblems(largest, config);
    problems.addAll(ClusterLimits.taskProblems(largest, workerJob));
    if (!problems.isEmpty()) {
      return Finding.failed(String.join("; ", problems), "");
    }
    return Finding.ok(
        "the largest container has "
            + largest.getMemorySize()
            + " MiB and "
            + largest.getVirtualCores()
            + " vcores; the ApplicationMaster asks for "
            + MasterRequest.resource(config).memoryMiB()
            + " MiB, a worker for "
            + workerJob.roles().get(0).resource().memoryMiB()
            + " MiB");
  }
}
