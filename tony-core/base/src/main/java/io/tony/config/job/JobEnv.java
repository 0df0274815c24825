package io.tony.config.job;

import io.tony.config.declared.JobOptions;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.config.option.ConfigOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads the environment variables that a job sets for its programs, and checks their names. */
final class JobEnv {
  /** Names of environment variables that every shell accepts. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private final CheckedValues values;
  private final Problems problems;

  JobEnv(CheckedValues values, Problems problems) {
    this.values = values;
    this.problems = problems;
  }

  /**
   * Returns the variables that the job sets for the programs of all roles. A variable that is set
   * by a key of its own takes precedence over one in a list.
   */
  Map<String, String> ofJob() {
    Map<String, String> env = new LinkedHashMap<>();
    addList(env, ProgramOptions.CONTAINER_ENVS);
    addList(env, ProgramOptions.EXECUTION_ENVS);
    values
        .config()
        .asMap()
        .forEach(
            (key, value) ->
                ProgramOptions.EXECUTION_ENV
                    .names(key)
                    .ifPresent(names -> put(env, key, names.get(0), value)));
    SidecarTensorBoard.folder(values)
        .ifPresent(
            folder ->
                put(
                    env,
                    JobOptions.TENSORBOARD_LOG_DIR.key(),
                    SidecarTensorBoard.FOLDER_VARIABLE,
                    folder));
    return env;
  }

  /** Returns the variables that the job sets for the programs of this role only. */
  Map<String, String> ofRole(String role) {
    Map<String, String> env = new LinkedHashMap<>();
    addList(env, RoleOptions.ENVS.at(role));
    values
        .config()
        .asMap()
        .forEach(
            (key, value) ->
                RoleOptions.ENV
                    .names(key)
                    .filter(names -> names.get(0).equals(role))
                    .ifPresent(names -> put(env, key, names.get(1), value)));
    return env;
  }

  private void addList(Map<String, String> env, ConfigOption<Map<String, String>> option) {
    values.get(option).forEach((name, value) -> put(env, option.key(), name, value));
  }

  private void put(Map<String, String> env, String key, String name, String value) {
    if (!NAME.matcher(name).matches()) {
      problems.addError(
          key
              + " ("
              + values.config().origin(key).orElse("default")
              + ") names the environment variable '"
              + name
              + "': use letters, digits and _, and no digit first");
    } else if (value.indexOf('\0') >= 0) {
      problems.addError(
          key + ": the value of " + name + " holds a NUL character, which no environment can hold");
    } else {
      env.put(name, value);
    }
  }
}
