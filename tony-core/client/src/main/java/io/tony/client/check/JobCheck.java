package io.tony.client.check;

import io.tony.config.Secrets;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.ElasticOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.config.declared.TrackingUrl;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.config.job.TagRules;
import io.tony.config.option.ConfigException;
import io.tony.config.option.ConfigOption;
import io.tony.container.JvmCommand;
import io.tony.container.JvmOptionCheck;
import io.tony.model.JobSpec;
import io.tony.model.PortRange;
import io.tony.model.RoleSpec;
import io.tony.runtime.FrameworkRuntime;
import io.tony.runtime.Runtimes;
import io.tony.runtime.StoreProtocol;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the problems of a job before its submission. The submission and {@code tony validate} use
 * the same checks.
 */
public final class JobCheck {
  private final TonyConfig config;
  private final JobSpec job;
  private final Problems problems;

  private JobCheck(TonyConfig config, JobSpec job, Problems problems) {
    this.config = config;
    this.job = job;
    this.problems = problems;
  }

  /**
   * Checks the options only, without looking at files or at the cluster. Returns the check with the
   * problems found.
   */
  public static JobCheck of(TonyConfig config) {
    Problems problems = new Problems();
    JobCheck check = new JobCheck(config, JobSpecReader.readLeniently(config, problems), problems);
    check.checkJvmOptions();
    check.checkHeaps();
    check.checkFramework();
    TagRules.check(config, problems);
    return check;
  }

  private void checkFramework() {
    Runtimes runtimes = Runtimes.load();
    Optional<FrameworkRuntime> runtime = runtimes.find(job.framework());
    if (runtime.isEmpty()) {
      problems.addError(
          JobOptions.FRAMEWORK.key()
              + " is "
              + job.framework()
              + "; this version knows "
              + runtimes.names()
              + "; a framework of yours needs its jar on the client's class path, too"
              + " (docs/add-a-framework.md)");
    } else if (!job.roles().isEmpty()) {
      addErrors(runtime.get().problems(job));
      checkLiveResize(runtime.get());
    }
    runtime.ifPresent(this::checkPorts);
  }

  private void checkLiveResize(FrameworkRuntime runtime) {
    if (job.limits().elasticity().liveResize() && !job.isElastic()) {
      problems.addError(
          config.describe(ElasticOptions.LIVE_RESIZE.key())
              + " needs a role with tony.{role}.min-instances below its number of tasks: say how few"
              + " are enough, or leave it out");
    }
    if (job.limits().elasticity().liveResize() && !runtime.canJoin()) {
      problems.addError(
          config.describe(ElasticOptions.LIVE_RESIZE.key())
              + " is not for "
              + JobOptions.FRAMEWORK.key()
              + "="
              + runtime.name()
              + ": its programs cannot run on while tasks leave their gang or join it. Leave it"
              + " out: then all programs start again, from a checkpoint");
    }
  }

  private void checkPorts(FrameworkRuntime runtime) {
    int needed = runtime.store() == StoreProtocol.NONE ? 1 : 2;
    needed += value(JobOptions.TRACKING_URL) == TrackingUrl.TENSORBOARD ? 1 : 0;
    PortRange ports = value(AmOptions.PORT_RANGE);
    if (ports != null && ports.size() < needed) {
      problems.addError(
          AmOptions.PORT_RANGE.key()
              + "="
              + ports
              + " has "
              + ports.size()
              + (ports.size() == 1 ? " port" : " ports")
              + "; the ApplicationMaster of this "
              + job.framework()
              + " job takes "
              + needed
              + ": widen the range");
    }
  }

  /**
   * Returns the option's value; null if the option is not set or is malformed, which another check
   * reports.
   */
  private <T> @Nullable T value(ConfigOption<T> option) {
    try {
      return config.find(option).orElse(null);
    } catch (ConfigException e) {
      return null;
    }
  }

  private void checkJvmOptions() {
    for (var option :
        List.of(
            TaskOptions.DEFAULT_JVM_OPTS,
            TaskOptions.AM_JVM_OPTS,
            TaskOptions.EXECUTOR_JVM_OPTS,
            TaskOptions.JAVA_HOME)) {
      List<String> refused = JvmCommand.unsafeOptions(config.find(option).orElse(""));
      if (!refused.isEmpty()) {
        problems.addError(
            option.key()
                + " holds "
                + Secrets.maskText(refused.toString())
                + ": YARN hands it to a shell, so that only letters, digits and _./:=,+@%- may"
                + " stand in it");
      }
      if (option != TaskOptions.JAVA_HOME) {
        JvmOptionCheck.problems(config.find(option).orElse(""))
            .forEach(refusal -> problems.addError(option.key() + ": " + refusal));
      }
    }
  }

  /**
   * Adds warnings about Java heaps that may grow larger than their container: YARN kills a
   * container that exceeds its memory.
   */
  private void checkHeaps() {
    String all = config.find(TaskOptions.DEFAULT_JVM_OPTS).orElse("");
    String master = all + " " + config.find(TaskOptions.AM_JVM_OPTS).orElse("");
    checkHeap(master, AmOptions.MEMORY.key(), value(AmOptions.MEMORY));
    String executor = all + " " + config.find(TaskOptions.EXECUTOR_JVM_OPTS).orElse("");
    for (RoleSpec role : job.roles()) {
      checkHeap(executor, RoleOptions.MEMORY.at(role.name()).key(), role.resource().memoryMiB());
    }
  }

  private void checkHeap(String options, String key, @Nullable Number memoryMiB) {
    OptionalLong heap = JvmOptionCheck.heapMiB(options);
    if (heap.isPresent() && memoryMiB != null && heap.getAsLong() > memoryMiB.longValue()) {
      problems.addWarning(
          "the JVM options ask for a heap of "
              + heap.getAsLong()
              + " MiB (-Xmx), and the container has "
              + memoryMiB
              + " MiB ("
              + key
              + "): YARN ends it when the heap grows. Remove -Xmx, or set a larger "
              + key);
    }
  }

  /**
   * Checks the job against the cluster's limits and adds the problems found. Sends requests to
   * YARN.
   *
   * @param largest size of the largest container that YARN allocates
   */
  public void checkCluster(YarnClient yarn, Resource largest) throws IOException, YarnException {
    boolean readable = !problems.hasErrors();
    addErrors(ClusterLimits.problems(yarn, largest, config, job));
    if (readable) {
      addErrors(ClusterLimits.masterProblems(largest, config));
      ClusterLimits.warnings(yarn, job).forEach(problems::addWarning);
    }
  }

  public void addErrors(List<String> more) {
    more.forEach(problems::addError);
  }

  public void addWarning(String warning) {
    problems.addWarning(warning);
  }

  /**
   * Returns the job that the options describe; options that could not be read have their default
   * values.
   */
  public JobSpec job() {
    return job;
  }

  public List<String> errors() {
    return problems.errors();
  }

  public List<String> warnings() {
    return problems.warnings();
  }

  public static String validMessage(String name, JobSpec job) {
    return name + " is valid: " + job.taskCount() + (job.taskCount() == 1 ? " task" : " tasks");
  }
}
