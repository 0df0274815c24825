package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import io.tony.config.option.ConfigOption.SetBy;
import io.tony.config.option.RoleOption;
import java.time.Duration;

/**
 * Options of all tasks and their executors, and limits for the resources that all tasks of a job
 * request together.
 */
public final class TaskOptions {
  public static final ConfigOption<Duration> HEARTBEAT_INTERVAL =
      ConfigOption.key("tony.task.heartbeat-interval-ms")
          .interval()
          .defaultTo("1000")
          .oldName("tony.task.heartbeat-interval")
          .setBy(SetBy.PLATFORM)
          .doc(
              "How often a TonY executor reports to the ApplicationMaster. In a job of more than"
                  + " 1,000 tasks, the interval is at least 1 ms for each task: 10 s for 10,000"
                  + " tasks, so that the ApplicationMaster gets 1,000 reports a second.");

  public static final ConfigOption<Integer> MAX_MISSED_HEARTBEATS =
      ConfigOption.key("tony.task.max-missed-heartbeats")
          .integer(1)
          .defaultTo("25")
          .setBy(SetBy.PLATFORM)
          .doc(
              "After how many intervals without a report a TonY executor counts as lost. Where a"
                  + " large job has a longer interval, it counts as lost after the same time and"
                  + " one interval more: 40 s for 10,000 tasks with the defaults.");

  public static final ConfigOption<Duration> MASTER_LOST_TIMEOUT =
      ConfigOption.key("tony.task.am-lost-timeout")
          .interval()
          .defaultTo("15m")
          .setBy(SetBy.PLATFORM)
          .doc(
              "How long a TonY executor looks for a new ApplicationMaster when its own does not"
                  + " answer. Its program trains on in that time; then it is ended. YARN needs 10"
                  + " minutes to give up a node. When it gives up the application, it ends the TonY"
                  + " executors itself.");

  public static final ConfigOption<Duration> HANG_TIMEOUT =
      ConfigOption.key("tony.task.hang-timeout-ms")
          .duration()
          .defaultTo("0")
          .doc(
              "How long a program may show no sign of life before it is ended as hung: no output,"
                  + " nothing in its logs or its progress file, and processes that are all but"
                  + " idle. Before it is ended, the stacks of the gang are printed. Not for"
                  + " sidecars.");

  public static final ConfigOption<Duration> HOLD_ON_FAILURE =
      ConfigOption.key("tony.task.hold-on-failure")
          .duration()
          .defaultTo("0")
          .doc(
              "How long the container of a task is kept after its program failed, before the"
                  + " failure is reported: `30m`, for example. `0`: not kept. Meanwhile, its owner"
                  + " can look into it with `tony shell` (shell.md). The other tasks go on, or"
                  + " wait.");

  public static final ConfigOption<Boolean> SHELL_ENABLED =
      ConfigOption.key("tony.task.shell.enabled")
          .bool()
          .defaultTo("true")
          .setBy(SetBy.PLATFORM)
          .doc(
              "Whether the owner of the job may open a shell in the containers of its tasks"
                  + " (shell.md).");

  public static final ConfigOption<Boolean> REUSE_PORT =
      ConfigOption.key("tony.task.reuse-port")
          .bool()
          .defaultTo("false")
          .doc(
              "Keeps each task's port reserved while its program binds it too, for programs that"
                  + " set `SO_REUSEPORT` (TensorFlow does, by `TF_GRPC_REUSE_PORT`, which is"
                  + " set).");

  public static final ConfigOption<Boolean> HADOOP_ENVIRONMENT =
      ConfigOption.key("tony.task.hadoop-environment")
          .bool()
          .defaultTo("true")
          .doc(
              "Sets what libhdfs needs, which pyarrow and fsspec load to read and write HDFS:"
                  + " `CLASSPATH` (each jar by its name), `ARROW_LIBHDFS_DIR` (where the node has"
                  + " `libhdfs.so`), `JAVA_HOME` and `LIBHDFS_OPTS`. A variable that the job sets"
                  + " itself is left as it is (data.md).");

  public static final ConfigOption<Duration> EXECUTION_TIMEOUT =
      ConfigOption.key("tony.task.executor.execution-timeout-ms")
          .duration()
          .defaultTo("0")
          .oldName("tony.worker.timeout")
          .doc("How long one program may run.");

  public static final ConfigOption<Duration> REGISTRY_TIMEOUT =
      ConfigOption.key("tony.task.executor.registry-timeout-sec")
          .duration()
          .defaultTo("0")
          .withoutEffect("tony.container.registration.timeout limits the same phase")
          .doc("How long a TonY executor may try to register with the ApplicationMaster.");

  public static final ConfigOption<Duration> STOP_GRACE =
      ConfigOption.key("tony.task.stop-grace-ms")
          .interval()
          .defaultTo("3000")
          .doc("How long a program has after SIGTERM, until its process group gets SIGKILL.");

  public static final ConfigOption<Integer> ERROR_LINES =
      ConfigOption.key("tony.task.executor.execution.error-message-max-depth")
          .integer(0)
          .defaultTo("20")
          .doc("How many of the last lines of a failed program's stderr are reported.");

  public static final ConfigOption<String> JAVA_HOME =
      ConfigOption.key("tony.java.home")
          .name()
          .whenUnset("the `JAVA_HOME` of YARN's nodes")
          .setBy(SetBy.PLATFORM)
          .doc(
              "Java 17 or newer for the ApplicationMaster and the TonY executors: a path on the"
                  + " nodes.");

  public static final ConfigOption<String> JAVA_ARCHIVE =
      ConfigOption.key("tony.java.archive")
          .name()
          .whenUnset("none: Java is on the nodes")
          .setBy(SetBy.PLATFORM)
          .doc(
              "For nodes without Java 17, instead of `tony.java.home`: an archive of Java 17 or"
                  + " newer on the cluster's file system, such as"
                  + " `hdfs:///apps/tony/jdk17.tar.gz` (.tar.gz, .tgz, .tar or .zip). YARN unpacks"
                  + " it on the nodes, which keep it for later jobs. It is also the `JAVA_HOME` of"
                  + " programs on nodes that have none (install.md).");

  public static final ConfigOption<String> DEFAULT_JVM_OPTS =
      ConfigOption.key("tony.task.default.jvm.opts")
          .string()
          .alias("tony.default.jvm.opts")
          .defaultTo("")
          .setBy(SetBy.PLATFORM)
          .doc("JVM options of the ApplicationMaster and the TonY executors, before their own.");

  public static final ConfigOption<String> AM_JVM_OPTS =
      ConfigOption.key("tony.task.am.jvm.opts")
          .string()
          .defaultTo("")
          .setBy(SetBy.PLATFORM)
          .doc("JVM options of the ApplicationMaster.");

  public static final ConfigOption<String> EXECUTOR_JVM_OPTS =
      ConfigOption.key("tony.task.executor.jvm.opts")
          .string()
          .defaultTo("")
          .setBy(SetBy.PLATFORM)
          .doc(
              "JVM options of the TonY executors. LinkedIn TonY's heap of 1.5 GiB is not needed. A"
                  + " TonY executor runs without Hadoop and log4j: options for those have no"
                  + " effect.");

  public static final ConfigOption<Integer> MAX_TOTAL_INSTANCES =
      ConfigOption.key("tony.task.max-total-instances")
          .integer(-1)
          .defaultTo("-1")
          .setBy(SetBy.PLATFORM)
          .doc("How many tasks a job may have; -1: any number.");

  public static final RoleOption<Long> MAX_TOTAL =
      RoleOption.of(
          ConfigOption.key("tony.task.max-total-{resource}")
              .longInteger(-1)
              .defaultTo("-1")
              .setBy(SetBy.PLATFORM)
              .doc(
                  "How much of `vcores`, of `gpus` or of a resource by YARN's name all tasks of a"
                      + " job may ask for together; -1: any amount."));

  /**
   * Limit of the memory of all tasks together. Not an entry of {@link #MAX_TOTAL}, because its
   * value is a size with a unit.
   */
  public static final ConfigOption<Long> MAX_TOTAL_MEMORY =
      ConfigOption.key("tony.task.max-total-memory")
          .sizeLimit()
          .defaultTo("-1")
          .setBy(SetBy.PLATFORM)
          .doc("How much memory all tasks of a job may ask for together; -1: any amount.");

  public static final ConfigOption<Duration> METRICS_INTERVAL =
      ConfigOption.key("tony.task.metrics-interval-ms")
          .interval()
          .defaultTo("5000")
          .doc(
              "How often a TonY executor samples the memory, CPU and GPU use of its task"
                  + " (viewer.md).");

  public static final ConfigOption<Boolean> GPU_METRICS =
      ConfigOption.key("tony.task.gpu-metrics.enabled")
          .bool()
          .defaultTo("true")
          .doc("Whether the use of GPUs is sampled as well, for tasks that have any.");

  public static final ConfigOption<String> GPU_EXEC_PATH =
      ConfigOption.key("tony.gpu-exec-path")
          .name()
          .defaultTo("nvidia-smi")
          .setBy(SetBy.PLATFORM)
          .doc(
              "Program on the nodes that prints the use of GPUs: `nvidia-smi`, or another that"
                  + " answers `--query-gpu=index,utilization.gpu,memory.used` like it.");

  public static final ConfigOption<String> NETWORK_INTERFACE =
      ConfigOption.key("tony.task.network-interface")
          .name()
          .whenUnset("the libraries choose")
          .setBy(SetBy.PLATFORM)
          .doc(
              "Network interface of the nodes by which the programs of a gang reach each other,"
                  + " such as `bond0`; `auto`: the one that leads to the ApplicationMaster. It is"
                  + " handed to tasks in `NCCL_SOCKET_IFNAME`, `GLOO_SOCKET_IFNAME`,"
                  + " `TP_SOCKET_IFNAME`, `HOROVOD_GLOO_IFACE` and `DMLC_INTERFACE`, unless the job"
                  + " sets these itself (gpus.md).");

  public static final ConfigOption<String> PREFLIGHT =
      ConfigOption.key("tony.application.preflight")
          .string()
          .doc(
              "Command that runs in each new container before its task takes part: a shell's"
                  + " command line, or some of `gpu`, `network` and `disk`, separated by commas."
                  + " Where it fails, the node is avoided, and the task gets another container"
                  + " (preflight.md).");

  public static final ConfigOption<Duration> PREFLIGHT_TIMEOUT =
      ConfigOption.key("tony.application.preflight-timeout")
          .interval()
          .defaultTo("1m")
          .doc("How long the preflight of a container may take; one that takes longer has failed.");

  private TaskOptions() {}
}
