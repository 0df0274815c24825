package io.tony.client;

import io.tony.client.application.ExitCode;
import io.tony.client.input.Arguments;
import io.tony.client.input.InvalidJobException;
import io.tony.client.inspect.ApplicationInspector;
import io.tony.client.inspect.ApplicationLogs;
import io.tony.client.inspect.ApplicationView;
import io.tony.client.inspect.RunningStacks;
import io.tony.client.shell.RemoteShell;
import io.tony.config.TonyConfig;
import io.tony.model.TaskId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * Runs the commands for one application: {@code tony status}, {@code kill}, {@code logs}, {@code
 * stacks}, {@code shell} and {@code events}.
 */
final class InspectCommand {
  private static final String FOLLOW = "follow";
  private static final String JSON = "json";
  private static final String COMMAND = "command";

  private interface ApplicationAction<T> {
    T run(ApplicationView application, Arguments arguments)
        throws InvalidJobException, IOException, YarnException, InterruptedException;
  }

  private final Console console;

  InspectCommand(Console console) {
    this.console = console;
  }

  ExitCode status(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    return withApplication(
        CliCommand.STATUS.parse(args),
        1,
        (application, arguments) ->
            arguments.hasFlag(JSON)
                ? new ApplicationInspector(application, console.out()).printStatusJson()
                : new ApplicationInspector(application, console.out()).printStatus());
  }

  ExitCode kill(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    return withApplication(
        CliCommand.KILL.parse(args),
        1,
        (application, arguments) -> {
          tolerateOutages(application);
          return new ApplicationInspector(application, console.out()).kill();
        });
  }

  ExitCode stacks(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    return withApplication(
        CliCommand.STACKS.parse(args),
        2,
        (application, arguments) -> {
          String task =
              arguments.positionalArgs().size() > 1 ? arguments.positionalArgs().get(1) : null;
          return new RunningStacks(application, console.out()).print(task);
        });
  }

  /**
   * Opens a shell in a task's container, or runs a command there. Returns the exit code of the
   * shell or of the command.
   */
  int shell(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Arguments arguments = CliCommand.SHELL.parse(args);
    Optional<String> command = arguments.last(COMMAND).filter(text -> !text.isBlank());
    return withApplication(
        arguments,
        2,
        (application, given) -> {
          List<String> positionalArgs = given.positionalArgs();
          Optional<TaskId> task =
              positionalArgs.size() > 1
                  ? Optional.of(RunningStacks.parseTask(positionalArgs.get(1)))
                  : Optional.empty();
          return new RemoteShell(application.application(), System.in, System.out, System.err)
              .run(task, command);
        });
  }

  ExitCode events(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    return withApplication(
        CliCommand.EVENTS.parse(args),
        1,
        (application, arguments) -> {
          if (arguments.hasFlag(FOLLOW)) {
            tolerateOutages(application);
          }
          return new ApplicationLogs(application, console.out())
              .printEvents(arguments.hasFlag(FOLLOW));
        });
  }

  ExitCode logs(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    return withApplication(
        CliCommand.LOGS.parse(args),
        2,
        (application, arguments) -> {
          String task =
              arguments.positionalArgs().size() > 1 ? arguments.positionalArgs().get(1) : null;
          ApplicationLogs logs = new ApplicationLogs(application, console.out());
          if (arguments.hasFlag(FOLLOW)) {
            tolerateOutages(application);
          }
          return arguments.hasFlag(FOLLOW) ? logs.followLogs(task) : logs.printLogs(task);
        });
  }

  /**
   * Sends a request to YARN, to find out whether YARN answers at all. From then on, an outage of
   * YARN no longer ends this command, which may run for hours.
   *
   * @throws YarnException if the request fails
   */
  private void tolerateOutages(ApplicationView application) throws IOException, YarnException {
    application.findReport();
    console.setEndCondition(() -> false);
  }

  /**
   * Runs the action on the application whose id is the first positional argument, and returns its
   * result.
   */
  private <T> T withApplication(
      Arguments arguments, int maxPositionalArgs, ApplicationAction<T> action)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    List<String> positionalArgs = arguments.positionalArgs();
    if (positionalArgs.isEmpty() || positionalArgs.size() > maxPositionalArgs) {
      throw new InvalidJobException(
          List.of(
              "name one application"
                  + (maxPositionalArgs > 1 ? ", and at most one of its tasks" : "")));
    }
    TonyConfig config = console.submittedConfig(arguments);
    try (YarnClient yarn = console.yarn()) {
      return action.run(
          ApplicationView.of(console.conf(), yarn, config, positionalArgs.get(0)), arguments);
    }
  }
}
