package io.tony.client.local;

import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.container.MasterRequest;
import io.tony.container.local.LocalClusterFolders;
import io.tony.container.local.LocalNode;
import io.tony.container.local.LocalResources;
import io.tony.model.DistributedMode;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Changes the options of a job so that a job written for a cluster runs on this machine. */
public final class LocalJob {
  /**
   * Options for nodes, queues and containers of a cluster. On this machine they are ignored, which
   * the user is told.
   */
  private static final Pattern CLUSTER_OPTIONS =
      Pattern.compile(
          "tony\\.(cluster|java\\.(home|archive)|yarn\\.queue|task\\.network-interface|docker\\..*|application\\.docker\\..*|.*\\.node-label"
              + "|.*\\.placement-spec|.*\\.allocation-tags)");

  /**
   * Options for the client's access to a cluster. On this machine they are ignored without a
   * message.
   */
  private static final List<String> CLIENT_OPTIONS =
      List.of(
          ClientOptions.HDFS_CONF_PATH.key(),
          ClientOptions.YARN_CONF_PATH.key(),
          ClientOptions.KEYTAB_USER.key(),
          ClientOptions.KEYTAB_LOCATION.key(),
          ClientOptions.HISTORY_URL.key(),
          AmOptions.PORT_RANGE.key(),
          AmOptions.PAGE_PORT_RANGE.key());

  private LocalJob() {}

  /**
   * Returns the keys of the job's options that have no effect on this machine and of which the user
   * should know.
   */
  public static List<String> ignoredOptions(TonyConfig job) {
    return job.asMap().keySet().stream()
        .filter(key -> CLUSTER_OPTIONS.matcher(key).matches())
        .toList();
  }

  /**
   * Returns a problem for each resource that the job needs and this machine does not have. On a
   * cluster, missing resources may come with more nodes, so that is no problem there.
   */
  public static List<String> problems(TonyConfig config, LocalResources machine) {
    JobSpec job = JobSpecReader.readLeniently(config, new Problems());
    long masterMemory = MasterRequest.resource(config).memoryMiB();
    long memory = masterMemory;
    long gpus = 0;
    for (RoleSpec role : job.roles()) {
      // The tasks of a role that depends on other roles, and the tasks of a job that is no gang,
      // can run one after the other. For such a role, only one task is counted.
      boolean together = job.mode() == DistributedMode.GANG && role.dependsOn().isEmpty();
      long memoryOfRole = role.resource().memoryMiB() * (together ? role.minInstances() : 1);
      long gpusOfRole = role.resource().gpus() * (together ? role.minInstances() : 1);
      memory = together ? memory + memoryOfRole : Math.max(memory, masterMemory + memoryOfRole);
      gpus = together ? gpus + gpusOfRole : Math.max(gpus, gpusOfRole);
    }
    List<String> problems = new ArrayList<>();
    if (memory > machine.memoryMiB()) {
      problems.add(tooMuch(memory + " MiB", machine.memoryMiB() + " MiB", "memory"));
    }
    if (gpus > machine.gpus().size()) {
      problems.add(tooMuch(gpus + " GPUs", Integer.toString(machine.gpus().size()), "gpus"));
    }
    return problems;
  }

  private static String tooMuch(String requested, String available, String option) {
    return "the job asks for "
        + requested
        + " at a time, and this machine has "
        + available
        + ": give a lower tony.{role}."
        + option
        + " or tony.{role}.instances with -conf";
  }

  /**
   * Returns the job's options with the changes for this machine, such as local folders and only one
   * attempt of the ApplicationMaster.
   */
  public static TonyConfig of(TonyConfig job, LocalClusterFolders folders) {
    Map<String, String> values = new TreeMap<>(job.asMap());
    values.keySet().removeAll(ignoredOptions(job));
    values.keySet().removeAll(CLIENT_OPTIONS);
    values.put(JobOptions.QUEUE.key(), LocalNode.HOST);
    values.put(ClientOptions.STAGING_LOCATION.key(), folders.staging().toString());
    values.put(ClientOptions.HISTORY_LOCATION.key(), folders.history().toString());
    values.put(ClientOptions.CACHE_LOCATION.key(), folders.cache().toString());
    values.put(AmOptions.MAX_ATTEMPTS.key(), "1");
    // If the client has exited, no other one takes the result, so the ApplicationMaster need not
    // wait long for that.
    values.put(AmOptions.CLIENT_STOP_TIMEOUT.key(), "2s");
    values.putIfAbsent(ClientOptions.HISTORY_RETENTION.key(), "30d");
    values.putIfAbsent(AmOptions.MEMORY.key(), "512m");
    // Executors need not wait long for a second attempt of the ApplicationMaster, because there is
    // none; only for the first one, which a busy machine may delay.
    values.put(TaskOptions.MASTER_LOST_TIMEOUT.key(), "30s");
    return TonyConfig.builder().layer("the job on this machine", values).build();
  }
}
