package io.tony.config.declared;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Keys of Azkaban's other job types that have no effect in a job of TonY, each with TonY's option
 * for the same purpose. Contains only keys that a user may have set on purpose; a job inherits many
 * other keys from shared files.
 */
public final class ForeignKeys {
  private static final String QUEUE = "tony.yarn.queue";
  private static final String MEMORY = "tony.{role}.memory";
  private static final String VCORES = "tony.{role}.vcores";
  private static final String INSTANCES = "tony.{role}.instances";
  private static final String COMMAND = "executes";
  private static final String JAVA_COMMAND = "it into the java command of executes";
  private static final String TIMEOUT = "tony.application.timeout";
  private static final String TAGS = "tony.application.tags";

  private static final Map<String, String> ALL = new LinkedHashMap<>();

  /**
   * TonY's options by the MapReduce settings for the same purpose. Azkaban's Hadoop job types pass
   * these settings on to MapReduce.
   */
  private static final Map<String, String> HADOOP_SETTINGS =
      Map.of(
          "mapreduce.job.queuename", QUEUE,
          "mapred.job.queue.name", QUEUE,
          "mapreduce.job.tags", TAGS,
          "mapreduce.job.name", JobOptions.NAME.key(),
          "mapreduce.job.node-label-expression", PlacementOptions.NODE_LABEL.key(),
          "mapreduce.map.memory.mb", MEMORY,
          "mapreduce.reduce.memory.mb", MEMORY,
          "mapreduce.map.cpu.vcores", VCORES);

  static {
    ALL.put("queue", QUEUE);
    ALL.put("queue.name", QUEUE);
    ALL.put("yarn.queue", QUEUE);
    ALL.put("mapred.job.queue.name", QUEUE);
    ALL.put("mapreduce.job.queuename", QUEUE);
    ALL.put("mapreduce.job.tags", TAGS);
    ALL.put("memory", MEMORY);
    ALL.put("executor-memory", MEMORY);
    ALL.put("vcores", VCORES);
    ALL.put("cores", VCORES);
    ALL.put("executor-cores", VCORES);
    ALL.put("gpus", "tony.{role}.gpus");
    ALL.put("instances", INSTANCES);
    ALL.put("num-executors", INSTANCES);
    ALL.put("driver-memory", AmOptions.MEMORY.key());
    ALL.put("command", COMMAND);
    ALL.put("command.1", COMMAND);
    ALL.put("timeout", TIMEOUT);
    ALL.put("job.timeout", TIMEOUT);
    ALL.put("jvm.args", JAVA_COMMAND);
    ALL.put("Xmx", JAVA_COMMAND);
    ALL.put("Xms", JAVA_COMMAND);
    ALL.put("classpath", JAVA_COMMAND);
    ALL.put("main.class", JAVA_COMMAND);
    ALL.put("java.class", JAVA_COMMAND);
    ALL.put("job.class", JAVA_COMMAND);
    ALL.put("main.args", "task_params");
    // Also command-line options of LinkedIn's TonY that have no short key in a .job file.
    ALL.put("sidecar_tensorboard_log_dir", JobOptions.TENSORBOARD_LOG_DIR.key());
    ALL.put("container_env", "task_env.{NAME} for each variable");
    ALL.put("conf", "each option as a property of its own");
    ALL.put("job_file", "its properties");
    ALL.put("interpreter_path", "python_binary_path");
  }

  private ForeignKeys() {}

  /**
   * Returns the key of TonY's option for the same purpose as a key of another job type; empty if
   * there is none.
   */
  public static Optional<String> replacement(String key) {
    if (key.startsWith("env.") && key.length() > 4) {
      return Optional.of("task_env." + key.substring(4));
    }
    return Optional.ofNullable(ALL.get(key));
  }

  /**
   * Returns the key of TonY's option for the same purpose as a setting of MapReduce; empty if there
   * is none.
   */
  public static Optional<String> hadoopReplacement(String setting) {
    return Optional.ofNullable(HADOOP_SETTINGS.get(setting));
  }
}
