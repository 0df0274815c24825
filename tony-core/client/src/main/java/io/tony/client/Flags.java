package io.tony.client;

import java.util.List;
import java.util.stream.Stream;

/** Options that several {@code tony} commands share, and the options of commands that have many. */
final class Flags {
  static final Flag AS_JSON = Flag.of("json", "prints it for programs");
  static final Flag FOLLOW = Flag.of("follow", "goes on until the end");
  private static final Flag DETAILS = Flag.of("v", "tells more, such as each step of each task");

  private static final Flag CONF =
      Flag.of("conf", "KEY=VALUE", "one option of docs/configuration.md; as often as needed");
  private static final Flag CONF_FILE =
      Flag.of(
          "conf_file", "FILE", "a tony.xml; default: tony.xml in this folder, where there is one");
  private static final Flag JOB_FILE =
      Flag.of("job_file", "FILE", "a .job file without ${...}, or options as a properties file");
  private static final Flag PLUGIN =
      Flag.of(
          "plugin",
          "FOLDER",
          "the job type's folder in Azkaban, for what the administrator has set");

  /** Options that describe a job. */
  static final List<Flag> JOB =
      List.of(
          Flag.of(
              "executes", "COMMAND", "what every task runs; with -python_binary_path, a script"),
          Flag.of(
              "src_dir",
              "FOLDER",
              "or archive: what is in it is in every task's working directory"),
          Flag.of("task_params", "ARGUMENTS", "follow the command"),
          Flag.of("python_binary_path", "PATH", "Python on the nodes, or inside -python_venv"),
          Flag.of("python_venv", "ARCHIVE", "a Python environment, unpacked in the folder venv"),
          Flag.of(
              "hdfs_classpath",
              "FOLDER",
              "more jars for the ApplicationMaster and the TonY executors"),
          Flag.of(
              "sidecar_tensorboard_log_dir", "FOLDER", "shown by a TensorBoard beside the tasks"),
          Flag.of("shell_env", "NAME=VALUE", "environment of the tasks; as often as needed"),
          Flag.of(
              "container_env", "NAME=VALUE", "the same; -shell_env counts where both give a name"),
          CONF,
          CONF_FILE,
          JOB_FILE);

  /** Options that select what is reported while a job is followed. */
  static final List<Flag> REPORTING =
      List.of(
          Flag.of("events", "prints each event as a line of JSON as well"),
          DETAILS,
          Flag.of(
              "status_file",
              "FILE",
              "gets the application's id, state and progress, as properties, again as they change"),
          Flag.of(
              "output_file", "FILE", "gets what the job publishes, as JSON, when it has succeeded"),
          Flag.of("debug", "accepted for LinkedIn TonY's command lines; without effect"));

  /** Options that locate a submitted job's folders if they are not the default ones. */
  static final List<Flag> CONFIG = List.of(CONF, CONF_FILE, JOB_FILE);

  static final List<Flag> NOTEBOOK =
      List.of(
          Flag.of(
              "name",
              "NAME",
              "of a new notebook: its files are kept under this name; default: default"),
          Flag.of("gpus", "N", "of a new notebook's container"),
          Flag.of("memory", "SIZE", "of a new notebook's container, such as 8g"),
          Flag.of("vcores", "N", "of a new notebook's container"),
          Flag.of(
              "idle",
              "DURATION",
              "how long it may be unused before it ends, such as 2h; 0 for ever"),
          Flag.of("port", "N", "of this machine; default: 8888, or one that is free"),
          Flag.of(
              "link_file", "FILE", "gets the link, which is a secret, instead of the terminal"));

  static final List<Flag> PROJECT =
      List.of(
          Flag.of(
              "property",
              "KEY=VALUE",
              "of a PROJECT: what its flows are started with; as often as needed"),
          PLUGIN,
          Flag.of("offline", "does not ask the cluster"));

  private static final List<Flag> STEP_FILTER =
      List.of(
          Flag.of("user", "NAME", "jobs of this user; all: everybody's; default: your own"),
          Flag.of("project", "PROJECT", "jobs of this Azkaban project"),
          Flag.of("flow", "FLOW", "jobs of this flow"),
          Flag.of("job", "JOB", "jobs of this step"));

  static final List<Flag> LIST =
      Stream.concat(
              STEP_FILTER.stream(),
              Stream.of(
                  Flag.of("status", "STATUS", "RUNNING, SUCCEEDED, FAILED, KILLED or LOST"),
                  Flag.of("since", "AGE", "jobs that began in this time, such as 7d; m, h, d or w"),
                  Flag.of("text", "TEXT", "jobs with it in their name, message or application id"),
                  Flag.of("limit", "N", "how many; default: 20"),
                  AS_JSON))
          .toList();

  static final List<Flag> COMPARE =
      Stream.concat(
              STEP_FILTER.stream(),
              Stream.of(Flag.of("last", "N", "how many runs of a step; default: 10"), AS_JSON))
          .toList();

  static final List<Flag> HISTORY =
      List.of(
          Flag.of("listen", "HOST:PORT", "default: localhost:18090"),
          Flag.of("refresh", "SECONDS", "between two looks for new jobs; default: 10s"),
          Flag.of(
              "folders", "PATTERN,...", "of the logs; default: .tony/history of every user's home"),
          Flag.of("index", "FILE", "what was read before; default: a file in TONY_CACHE"),
          Flag.of(
              "retention",
              "DAYS",
              "deletes logs of jobs that ended before that, such as 90d; default:"
                  + " tony.history.service-retention"));

  static final List<Flag> DOCTOR =
      List.of(
          Flag.of("queue", "NAME", "where its job runs"),
          PLUGIN,
          Flag.of("nodes", "N", "on how many nodes its job runs, or all; default: 1"),
          CONF);

  private Flags() {}
}
