package io.tony.config.job;

import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.ElasticOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.model.EndPolicy;
import io.tony.model.FileSpec;
import io.tony.model.JobLimits;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Creates a {@link JobSpec} from a configuration, and reports all errors of the configuration
 * together. Roles with 0 instances are checked, but are not in the job. Does not check whether the
 * framework and the files exist, or whether the cluster is large enough.
 */
public final class JobSpecReader {
  private static final String DEFAULT_NAME = "tony";

  private final CheckedValues values;
  private final Problems problems;
  private final RoleReferences references;
  private final ShippedFiles files;
  private final JobEnv env;
  private final RoleContainers containers;

  private JobSpecReader(CheckedValues values, Problems problems) {
    this.values = values;
    this.problems = problems;
    this.references = new RoleReferences(values, problems);
    this.files = new ShippedFiles(values, problems);
    this.env = new JobEnv(values, problems);
    this.containers = new RoleContainers(values, problems);
  }

  /**
   * Returns the job; empty if the configuration has an error. Adds all errors and warnings to
   * {@code problems}.
   */
  public static Optional<JobSpec> read(TonyConfig config, Problems problems) {
    Problems found = new Problems();
    JobSpec job = readLeniently(config, found);
    problems.addAll(found);
    return found.hasErrors() ? Optional.empty() : Optional.of(job);
  }

  /**
   * Returns the job even if the configuration has errors, with defaults instead of wrong values, so
   * that the caller can make further checks and report all errors together. Adds all errors and
   * warnings to {@code problems}; a job with errors must not be submitted.
   */
  public static JobSpec readLeniently(TonyConfig config, Problems problems) {
    Problems found = KeyCheck.check(config);
    JobSpec job = new JobSpecReader(CheckedValues.check(config, found), found).read();
    problems.addAll(found);
    return job;
  }

  /** Returns the name of the job's YARN application. */
  public static String nameOf(TonyConfig config) {
    return config
        .find(JobOptions.NAME)
        .or(() -> config.find(AzkabanOptions.JOB))
        .orElse(DEFAULT_NAME);
  }

  private JobSpec read() {
    List<FileSpec> jobFiles = files.ofJob();
    references.checkNames();
    references.checkCycles();
    CommandLine.checkQuotes(values, problems);
    List<RoleSpec> roles = new ArrayList<>();
    for (String name : values.config().roles()) {
      RoleSpec role = role(name, values.get(RoleOptions.INSTANCES.at(name)), jobFiles);
      if (role.instances() > 0) {
        roles.add(role);
      }
    }
    roles = new ImplicitRoles(values, problems, containers).addTo(roles);
    roles =
        SidecarTensorBoard.addTo(
            roles, values, instances -> role(JobSpec.TENSORBOARD, instances, jobFiles));
    SidecarTensorBoard.check(values, problems);
    checkRoles(roles);
    roles = new ElasticRules(values, problems).apply(roles);
    new CheckpointRules(values, problems).check(roles);
    new PreflightRules(values, problems).check();
    EndRules end = new EndRules(values, problems, references, roles);
    JobSpec job = job(roles, jobFiles, end.read());
    end.checkChief(job.chief().role());
    end.checkIgnored(job.endPolicy(), job.chief().role());
    return job;
  }

  private JobSpec job(List<RoleSpec> roles, List<FileSpec> jobFiles, EndPolicy end) {
    return new JobSpec(
        nameOf(values.config()),
        values.get(JobOptions.FRAMEWORK),
        values.get(JobOptions.DISTRIBUTED_MODE),
        roles,
        env.ofJob(),
        jobFiles,
        end,
        values.get(TaskOptions.ERROR_LINES),
        limits(roles));
  }

  private RoleSpec role(String name, int instances, List<FileSpec> jobFiles) {
    Optional<String> command = CommandLine.of(name, values);
    if (command.isEmpty() && instances > 0) {
      problems.addError(
          "role "
              + name
              + " has no command: set executes (tony.application.executes), tony."
              + name
              + ".command or tony.containers.command");
    }
    return new RoleSpec(
        name,
        instances,
        containers.resource(name),
        command.orElse(""),
        env.ofRole(name),
        files.ofRole(name, jobFiles),
        containers.placement(name),
        containers.docker(name, instances),
        references.dependsOn(name),
        references.supervision(name),
        values.get(JobOptions.STOP_ON_FAILURE_ROLES).contains(name),
        values.get(RoleOptions.RETRY_COUNT.at(name)),
        containers.growth(name));
  }

  private void checkRoles(List<RoleSpec> roles) {
    new RoleCaps(values, problems).check(roles);
    references.checkWaits(roles);
    if (roles.stream().noneMatch(role -> role.supervision() == Supervision.TRACKED)) {
      problems.addError(
          "the job waits for none of its roles "
              + roles.stream().map(RoleSpec::name).toList()
              + ": take one out of tony.application.untracked.roles or"
              + " tony.application.sidecar.roles");
    }
  }

  private JobLimits limits(List<RoleSpec> roles) {
    HeartbeatPace pace =
        HeartbeatPace.of(
            values.get(TaskOptions.HEARTBEAT_INTERVAL),
            values.get(TaskOptions.MAX_MISSED_HEARTBEATS),
            roles.stream().mapToInt(RoleSpec::instances).sum());
    return new JobLimits(
        values.get(JobOptions.TIMEOUT),
        values.get(JobOptions.ALLOCATION_TIMEOUT),
        values.get(JobOptions.PARTIAL_ALLOCATION_TIMEOUT),
        values.get(JobOptions.ALLOCATION_BACKOFF),
        values.get(JobOptions.REGISTRATION_TIMEOUT),
        values.get(TaskOptions.EXECUTION_TIMEOUT),
        values.get(TaskOptions.HANG_TIMEOUT),
        pace.interval(),
        pace.maxMissed(),
        values.get(TaskOptions.MASTER_LOST_TIMEOUT),
        values.get(TaskOptions.STOP_GRACE),
        new JobLimits.Elasticity(
            values.get(ElasticOptions.WAIT_TIMEOUT),
            values.get(ElasticOptions.GROW_INTERVAL),
            values.get(ElasticOptions.LIVE_RESIZE)),
        new JobLimits.CheckpointRequests(
            values.get(CheckpointOptions.REQUEST_TIMEOUT),
            values.get(CheckpointOptions.REQUEST_SIGNAL)),
        new JobLimits.Retries(
            values.get(AmOptions.RETRY_COUNT),
            values.get(AmOptions.LOST_RETRY_COUNT),
            values.get(AmOptions.PREEMPTED_RETRY_COUNT),
            values.get(AmOptions.STOP_REPEATED_FAILURES)));
  }
}
