package io.tony.config.job;

import io.tony.config.QuotedText;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.config.option.ConfigOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The command line of a role, which bash runs in the task's working directory exactly as it is
 * written. It is put together from the user's texts without quoting any of them.
 */
public final class CommandLine {
  /** The folder that {@code python_venv} is unpacked into. */
  static final String VENV = "venv";

  private CommandLine() {}

  /**
   * The role's own command, else TensorBoard's where the role is to show a folder, else that of all
   * roles, else what {@code executes} says.
   */
  static Optional<String> of(String role, CheckedValues values) {
    return values
        .find(RoleOptions.COMMAND.at(role))
        .or(() -> tensorBoard(role, values))
        .or(() -> values.find(ProgramOptions.COMMAND))
        .or(() -> executes(values));
  }

  /**
   * Warns of a command whose words are all in one pair of quotes: bash looks for a program of that
   * name.
   */
  static void checkQuotes(CheckedValues values, Problems problems) {
    List<ConfigOption<String>> commands =
        new ArrayList<>(List.of(ProgramOptions.EXECUTES, ProgramOptions.COMMAND));
    values.config().roles().forEach(role -> commands.add(RoleOptions.COMMAND.at(role)));
    for (ConfigOption<String> option : commands) {
      values
          .find(option)
          .flatMap(QuotedText::inside)
          .filter(command -> command.strip().matches("(?s).*\\s.*"))
          .ifPresent(
              command ->
                  problems.warning(
                      values.config().describe(option.key())
                          + " is one quoted string: bash takes all of it for the name of one"
                          + " program. Leave out the quotes around the whole command"));
    }
  }

  /** The interpreter of a program that TonY brings: the job's own, else that of the node. */
  public static String python(TonyConfig config) {
    return ownPython(CheckedValues.check(config, new Problems()));
  }

  /** What {@code executes} says, or the command of all roles. */
  static Optional<String> ofProgram(CheckedValues values) {
    return executes(values).or(() -> values.find(ProgramOptions.COMMAND));
  }

  private static Optional<String> executes(CheckedValues values) {
    return values
        .find(ProgramOptions.EXECUTES)
        .map(
            program ->
                python(values).map(path -> path + " ").orElse("")
                    + program
                    + values.find(ProgramOptions.TASK_PARAMS).map(text -> " " + text).orElse(""));
  }

  /**
   * TensorBoard listens on all addresses of its node: which of them a browser reaches, only the
   * browser knows. The folder is a value, and comes in the environment. It is ended at once,
   * because it has nothing to save: by itself it takes some five seconds after SIGTERM, for which
   * the job's end would wait.
   */
  private static Optional<String> tensorBoard(String role, CheckedValues values) {
    return SidecarTensorBoard.showsFolder(role, values)
        ? Optional.of(
            ownPython(values)
                + " -m tensorboard.main --logdir \"$"
                + SidecarTensorBoard.FOLDER_VARIABLE
                + "\" --port \"$TB_PORT\" --bind_all"
                + " & trap 'kill -KILL $!' TERM; wait $!")
        : Optional.empty();
  }

  private static String ownPython(CheckedValues values) {
    boolean venv = values.find(ProgramOptions.PYTHON_VENV).isPresent();
    return python(values).orElse(venv ? VENV + "/bin/python" : "python3");
  }

  private static Optional<String> python(CheckedValues values) {
    boolean venv = values.find(ProgramOptions.PYTHON_VENV).isPresent();
    return values
        .find(ProgramOptions.PYTHON_BINARY_PATH)
        .map(path -> path.startsWith("/") || !venv ? path : VENV + "/" + path);
  }
}
