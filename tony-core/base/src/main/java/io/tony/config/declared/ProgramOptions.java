package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import io.tony.config.option.RoleOption;
import java.util.List;
import java.util.Map;

/** Options of the user's programs: command, files and environment. */
public final class ProgramOptions {
  public static final ConfigOption<String> EXECUTES =
      ConfigOption.key("tony.application.executes")
          .string()
          .inJob("executes")
          .doc(
              "The command line of every role without one of its own. With `python_binary_path`, it"
                  + " is the script that this Python runs. The shell of the task's container runs"
                  + " it exactly as written; only one pair of quotes around all of it is taken off"
                  + " in a job file, as in LinkedIn TonY.");

  public static final ConfigOption<String> TASK_PARAMS =
      ConfigOption.key("tony.application.task-params")
          .string()
          .inJob("task_params")
          .doc("Arguments that follow `executes`, quotes and all.");

  public static final ConfigOption<String> SRC_DIR =
      ConfigOption.key("tony.application.src-dir")
          .name()
          .inJob("src_dir")
          .whenUnset("`src`, where the folder of a job file has one")
          .doc(
              "A folder of the project. Every task finds what is in it in its working directory:"
                  + " `src/train.py` is `train.py` there. An archive (`.zip`, `.tar`, `.tar.gz`,"
                  + " `.tgz`) is unpacked there.");

  public static final ConfigOption<String> PYTHON_VENV =
      ConfigOption.key("tony.application.python-venv")
          .name()
          .inJob("python_venv")
          .doc(
              "Archive with a Python environment (`.zip`, `.tar.gz` or `.tgz`; a local path or a"
                  + " URI). Every task finds it unpacked in the folder `venv`.");

  public static final ConfigOption<String> PYTHON_BINARY_PATH =
      ConfigOption.key("tony.application.python-binary-path")
          .name()
          .inJob("python_binary_path")
          .whenUnset("none: `executes` is a command line")
          .doc(
              "Python interpreter that runs `executes`: a path inside `python_venv`, an absolute path"
                  + " on the nodes, or, without `python_venv`, a program of the nodes' `PATH` such as"
                  + " `python3`.");

  public static final ConfigOption<List<String>> HDFS_CLASSPATH =
      ConfigOption.key("tony.application.hdfs-classpath")
          .list()
          .defaultTo("")
          .inJob("hdfs_classpath")
          .doc("Folders of HDFS with more jars for the ApplicationMaster and the TonY executors.");

  public static final ConfigOption<String> CONF_FILE =
      ConfigOption.key("tony.application.conf-file")
          .name()
          .inJob("conf_file")
          .whenUnset("`tony.xml`, where the job's folder has one")
          .doc("A file of options in Hadoop's XML format.");

  public static final ConfigOption<String> COMMAND =
      ConfigOption.key("tony.containers.command")
          .string()
          .whenUnset("`executes`")
          .doc(
              "The command line of every role without `tony.{role}.command`, instead of"
                  + " `executes`.");

  public static final ConfigOption<List<String>> FILES =
      ConfigOption.key("tony.containers.resources")
          .list()
          .defaultTo("")
          .addsUp()
          .doc(
              "Files for every task, each `SOURCE[::NAME][#archive]`: a local path or a URI, the"
                  + " name in the task's working directory, and whether it is unpacked there.");

  public static final ConfigOption<Map<String, String>> CONTAINER_ENVS =
      ConfigOption.key("tony.containers.envs")
          .map()
          .defaultTo("")
          .addsUp()
          .doc("Environment of every task's program. `tony.execution.envs` comes on top.");

  public static final ConfigOption<Map<String, String>> EXECUTION_ENVS =
      ConfigOption.key("tony.execution.envs")
          .map()
          .defaultTo("")
          .addsUp()
          .inJob("shell_env")
          .doc(
              "Environment of every task's program; a value with a comma needs"
                  + " `tony.execution.env.{NAME}`.");

  public static final RoleOption<String> EXECUTION_ENV =
      RoleOption.of(
          ConfigOption.key("tony.execution.env.{NAME}")
              .variable()
              .inJob("task_env.NAME", "worker_env.NAME")
              .secret()
              .doc(
                  "One variable of the environment of every task's program. The value arrives"
                      + " exactly as written, whatever it holds."));

  public static final ConfigOption<String> PYTHON_EXEC_PATH =
      ConfigOption.key("tony.python-exec-path")
          .name()
          .withoutEffect("the interpreter of the tasks is tony.application.python-binary-path")
          .doc("Python interpreter on the nodes for LinkedIn TonY's own scripts.");

  private ProgramOptions() {}
}
