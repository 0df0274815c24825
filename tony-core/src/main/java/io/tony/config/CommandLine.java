package io.tony.config;

import java.util.Optional;

/**
 * The command line of a role, which bash runs in the task's working directory exactly as it is
 * written. It is put together from the user's texts without quoting any of them.
 */
final class CommandLine {
  /** The folder that {@code python_venv} is unpacked into. */
  static final String VENV = "venv";

  private CommandLine() {}

  /** The role's own command, else that of all roles, else what {@code executes} says. */
  static Optional<String> of(String role, CheckedValues values) {
    return values
        .text(RoleOptions.COMMAND.at(role))
        .or(() -> values.text(ProgramOptions.COMMAND))
        .or(() -> executes(values));
  }

  /** What {@code executes} says, or the command of all roles. */
  static Optional<String> ofProgram(CheckedValues values) {
    return executes(values).or(() -> values.text(ProgramOptions.COMMAND));
  }

  private static Optional<String> executes(CheckedValues values) {
    return values
        .text(ProgramOptions.EXECUTES)
        .map(
            program ->
                python(values).map(path -> path + " ").orElse("")
                    + program
                    + values.text(ProgramOptions.TASK_PARAMS).map(text -> " " + text).orElse(""));
  }

  private static Optional<String> python(CheckedValues values) {
    boolean venv = values.text(ProgramOptions.PYTHON_VENV).isPresent();
    return values
        .text(ProgramOptions.PYTHON_BINARY_PATH)
        .map(path -> path.startsWith("/") || !venv ? path : VENV + "/" + path);
  }
}
