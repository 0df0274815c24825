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
 * Builds the command line of a role from the user's options, joined without quoting. Bash runs the
 * result unchanged, in the task's working directory.
 */
public final class CommandLine {
  /**
   * Name of the folder in a task's working directory into which the archive {@code python_venv} is
   * unpacked.
   */
  public static final String VENV = "venv";

  private CommandLine() {}

  /**
   * Returns the command line of a role, from the first of these that exists: the role's own command
   * option; for the role {@code tensorboard} of a job that sets {@code
   * tony.application.tensorboard-log-dir}, TonY's command that starts TensorBoard; the command
   * option for all roles; the option {@code executes}. Empty if there is none.
   */
  static Optional<String> of(String role, CheckedValues values) {
    return values
        .find(RoleOptions.COMMAND.at(role))
        .or(() -> tensorBoard(role, values))
        .or(() -> values.find(ProgramOptions.COMMAND))
        .or(() -> executes(values));
  }

  /**
   * Warns of a command that is enclosed in quotes as a whole: bash would take the whole text for
   * the name of a program.
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
                  problems.addWarning(
                      values.config().describe(option.key())
                          + " is one quoted string: bash takes all of it for the name of one"
                          + " program. Leave out the quotes around the whole command"));
    }
  }

  /**
   * Returns the Python interpreter that runs Python code of TonY itself: the one that the job sets,
   * else the one on the node.
   */
  public static String python(TonyConfig config) {
    return ownPython(CheckedValues.check(config, new Problems()));
  }

  /**
   * Returns the command line from {@code executes} if it is set, else the command of all roles;
   * empty if neither is set.
   */
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
   * Returns the command that starts TensorBoard if {@code role} is the role whose TensorBoard shows
   * the job's folder; else empty. TensorBoard listens on all addresses of its node, because TonY
   * cannot know which of them the user's browser reaches. The folder's name is passed in the
   * environment, because it may contain characters that a shell interprets. SIGTERM is turned into
   * SIGKILL: TensorBoard takes some five seconds to end after SIGTERM, which would delay the job's
   * end, and it has nothing to save.
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
