package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import io.tony.config.option.DeclaredOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * The chapters of {@code docs/configuration.md}. Each chapter contains the options for one purpose;
 * the most common purposes come first.
 */
final class Chapters {
  /**
   * One chapter of the document.
   *
   * @param intro text between the title and the options; may be empty
   */
  record Chapter(String title, String intro, List<ConfigOption<?>> options) {
    private static Chapter of(String title, String intro, DeclaredOption... options) {
      return new Chapter(
          title, intro, Stream.of(options).<ConfigOption<?>>map(DeclaredOption::template).toList());
    }
  }

  static final List<Chapter> ALL =
      List.of(
          Chapter.of(
              "Say what runs",
              "step.md begins with an example; frameworks.md and python-environments.md go on.",
              JobOptions.FRAMEWORK,
              ProgramOptions.EXECUTES,
              ProgramOptions.TASK_PARAMS,
              ProgramOptions.SRC_DIR,
              ProgramOptions.PYTHON_BINARY_PATH,
              ProgramOptions.PYTHON_VENV,
              ProgramOptions.EXECUTION_ENV,
              ProgramOptions.EXECUTION_ENVS,
              ProgramOptions.CONTAINER_ENVS,
              TaskOptions.HADOOP_ENVIRONMENT,
              ProgramOptions.COMMAND,
              ProgramOptions.FILES,
              ProgramOptions.CONF_FILE,
              ProgramOptions.HDFS_CLASSPATH,
              ClientOptions.OTHER_NAMENODES,
              JobOptions.ENABLE_PREPROCESS,
              JobOptions.CLUSTER_SPEC_FILE),
          Chapter.of(
              "Say how many tasks, and how large",
              "`{role}` is any name of letters, digits, `_` and `-` that begins with a letter:"
                  + " `worker`, `ps`, `chief`, `evaluator`, …",
              RoleOptions.INSTANCES,
              RoleOptions.MEMORY,
              RoleOptions.VCORES,
              RoleOptions.GPUS,
              RoleOptions.RESOURCE_TYPES,
              AmOptions.MEMORY,
              AmOptions.VCORES,
              AmOptions.GPUS),
          Chapter.of(
              "Give one role something of its own",
              "",
              RoleOptions.COMMAND,
              RoleOptions.ENV,
              RoleOptions.ENVS,
              RoleOptions.FILES),
          Chapter.of(
              "Say in which order roles start, and which of them count",
              "A role is *tracked*, so that the job waits for its tasks, unless one of the first"
                  + " two options names it.",
              JobOptions.UNTRACKED_ROLES,
              JobOptions.SIDECAR_ROLES,
              JobOptions.STOP_ON_FAILURE_ROLES,
              JobOptions.FAIL_ON_ANY_TASK,
              JobOptions.SUCCESS_POLICY,
              RoleOptions.DEPENDS_ON,
              JobOptions.PREPARE_STAGE,
              JobOptions.TRAINING_STAGE,
              JobOptions.GROUP,
              JobOptions.GROUP_TIMEOUT,
              JobOptions.GROUP_TIMEOUT_IGNORED,
              JobOptions.DISTRIBUTED_MODE),
          Chapter.of(
              "Go on after a failure",
              "retries.md says which retry to use when; failures.md has every kind of failure.",
              AmOptions.RETRY_COUNT,
              AmOptions.LOST_RETRY_COUNT,
              AmOptions.PREEMPTED_RETRY_COUNT,
              RoleOptions.RETRY_COUNT,
              AmOptions.STOP_REPEATED_FAILURES,
              RoleOptions.MEMORY_GROWTH,
              RoleOptions.MAX_MEMORY,
              AmOptions.MAX_ATTEMPTS,
              AzkabanOptions.ON_EXISTING,
              AzkabanOptions.CLIENT_STALE_AFTER),
          Chapter.of(
              "Keep checkpoints, and resume from them",
              "checkpoints.md tells how a program uses them.",
              JobOptions.CHECKPOINT_DIR,
              CheckpointOptions.SCOPE,
              CheckpointOptions.RESUME,
              CheckpointOptions.ROLES,
              CheckpointOptions.KEEP,
              CheckpointOptions.COPY_TIMEOUT,
              CheckpointOptions.REQUEST_SIGNAL,
              CheckpointOptions.REQUEST_TIMEOUT),
          Chapter.of(
              "Limit how long something may take",
              "",
              JobOptions.TIMEOUT,
              TaskOptions.EXECUTION_TIMEOUT,
              TaskOptions.HANG_TIMEOUT,
              JobOptions.ALLOCATION_TIMEOUT,
              JobOptions.REGISTRATION_TIMEOUT,
              JobOptions.CLIENT_LOST_TIMEOUT,
              JobOptions.NOTEBOOK_IDLE_TIMEOUT,
              TaskOptions.STOP_GRACE,
              AmOptions.STARTUP_TIMEOUT,
              AmOptions.CLIENT_STOP_TIMEOUT),
          Chapter.of(
              "Choose a queue and nodes",
              "",
              AzkabanOptions.CLUSTER,
              JobOptions.QUEUE,
              PlacementOptions.NODE_LABEL,
              RoleOptions.NODE_LABEL,
              AmOptions.NODE_LABEL,
              RoleOptions.PLACEMENT_SPEC,
              PlacementOptions.PLACEMENT_SPEC,
              PlacementOptions.APPLICATION_PLACEMENT_SPEC,
              RoleOptions.ALLOCATION_TAGS,
              PlacementOptions.ALLOCATION_TAGS,
              TaskOptions.PREFLIGHT,
              TaskOptions.PREFLIGHT_TIMEOUT),
          Chapter.of(
              "Wait for containers, or do with fewer",
              "elastic.md tells how a gang shrinks and grows.",
              JobOptions.PARTIAL_ALLOCATION_TIMEOUT,
              JobOptions.ALLOCATION_BACKOFF,
              RoleOptions.MIN_INSTANCES,
              ElasticOptions.WAIT_TIMEOUT,
              ElasticOptions.GROW_INTERVAL,
              ElasticOptions.LIVE_RESIZE),
          Chapter.of(
              "Run in Docker",
              "python-environments.md tells what an image must have.",
              PlacementOptions.DOCKER_ENABLED,
              PlacementOptions.DOCKER_IMAGE,
              RoleOptions.DOCKER_IMAGE,
              PlacementOptions.DOCKER_MOUNTS),
          Chapter.of(
              "See what a job does",
              "",
              JobOptions.TENSORBOARD_LOG_DIR,
              JobOptions.TRACKING_URL,
              JobOptions.NAME,
              JobOptions.TAGS,
              JobOptions.VIEW_ACLS,
              JobOptions.MODIFY_ACLS,
              AzkabanOptions.DRY_RUN,
              TaskOptions.HOLD_ON_FAILURE,
              TaskOptions.ERROR_LINES,
              TaskOptions.METRICS_INTERVAL,
              TaskOptions.GPU_METRICS,
              TaskOptions.GPU_EXEC_PATH,
              JobOptions.TYPE),
          Chapter.of(
              "Fit TonY to the cluster",
              "install.md and operate.md say when. The settings of the job type itself"
                  + " (`tony.client.*`) are explained in its `plugin.properties`.",
              TaskOptions.JAVA_HOME,
              TaskOptions.JAVA_ARCHIVE,
              AmOptions.PORT_RANGE,
              AmOptions.PAGE_PORT_RANGE,
              TaskOptions.NETWORK_INTERFACE,
              TaskOptions.REUSE_PORT,
              TaskOptions.DEFAULT_JVM_OPTS,
              TaskOptions.AM_JVM_OPTS,
              TaskOptions.EXECUTOR_JVM_OPTS,
              TaskOptions.HEARTBEAT_INTERVAL,
              TaskOptions.MAX_MISSED_HEARTBEATS,
              TaskOptions.MASTER_LOST_TIMEOUT,
              ClientOptions.HISTORY_LOCATION,
              ClientOptions.HISTORY_URL,
              ClientOptions.HISTORY_RETENTION,
              ClientOptions.HISTORY_SERVICE_RETENTION,
              ClientOptions.STAGING_LOCATION,
              ClientOptions.CACHE_LOCATION,
              ClientOptions.CACHE_KEEP,
              ClientOptions.HDFS_CONF_PATH,
              ClientOptions.YARN_CONF_PATH,
              ClientOptions.KEYTAB_USER,
              ClientOptions.KEYTAB_LOCATION),
          Chapter.of(
              "Limit what jobs may ask for",
              "They hold where `tony-site.xml` declares them as `<final>`.",
              TaskOptions.MAX_TOTAL_INSTANCES,
              RoleOptions.MAX_INSTANCES,
              TaskOptions.MAX_TOTAL_MEMORY,
              TaskOptions.MAX_TOTAL,
              TaskOptions.SHELL_ENABLED),
          Chapter.of(
              "What TonY sets itself",
              "Not for a job to set. On the command line, those of `tony.azkaban` can name the step"
                  + " that the job stands for.",
              AzkabanOptions.PROJECT,
              AzkabanOptions.FLOW,
              AzkabanOptions.EXECUTION,
              AzkabanOptions.JOB,
              AzkabanOptions.ATTEMPT,
              AzkabanOptions.RETRIES,
              AzkabanOptions.EXECUTION_SOURCE,
              AzkabanOptions.FLOW_START,
              AzkabanOptions.URL,
              AzkabanOptions.SPECIFICATION,
              CheckpointOptions.TRAINING,
              ClientOptions.JAR));

  private Chapters() {}
}
