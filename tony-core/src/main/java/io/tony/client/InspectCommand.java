package io.tony.client;

import io.tony.client.follow.ApplicationLogs;
import io.tony.client.follow.ExitCode;
import io.tony.client.follow.Inspected;
import io.tony.client.follow.Inspection;
import io.tony.client.follow.RunningStacks;
import io.tony.client.shell.RemoteShell;
import io.tony.client.source.Arguments;
import io.tony.client.source.InvalidJobException;
import io.tony.config.TonyConfig;
import io.tony.model.TaskId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * {@code tony status}, {@code kill}, {@code logs}, {@code stacks}, {@code shell} and {@code
 * events}: what looks at one application, or ends it.
 */
final class InspectCommand {
  private static final String FOLLOW = "follow";
  private static final String JSON = "json";
  private static final String COMMAND = "command";

  private interface Look<T> {
    T at(Inspected application, Arguments arguments)
        throws InvalidJobException, IOException, YarnException, InterruptedException;
  }

  private final Console console;

  InspectCommand(Console console) {
    this.console = console;
  }

  ExitCode status(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    return look(
        Command.STATUS.parse(args),
        1,
        (application, arguments) ->
            arguments.flag(JSON)
                ? new Inspection(application, console.out()).statusObject()
                : new Inspection(application, console.out()).status());
  }

  ExitCode kill(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    return look(
        Command.KILL.parse(args),
        1,
        (application, arguments) -> {
          rideOut(application);
          return new Inspection(application, console.out()).kill();
        });
  }

  ExitCode stacks(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    return look(
        Command.STACKS.parse(args),
        2,
        (application, arguments) -> {
          String task = arguments.words().size() > 1 ? arguments.words().get(1) : null;
          return new RunningStacks(application, console.out()).show(task);
        });
  }

  /** Returns the exit code of the shell. */
  int shell(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Arguments arguments = Command.SHELL.parse(args);
    Optional<String> command = arguments.last(COMMAND).filter(text -> !text.isBlank());
    return look(
        arguments,
        2,
        (application, given) -> {
          List<String> words = given.words();
          Optional<TaskId> task =
              words.size() > 1 ? Optional.of(RunningStacks.id(words.get(1))) : Optional.empty();
          return new RemoteShell(application.application(), System.in, System.out, System.err)
              .run(task, command);
        });
  }

  ExitCode events(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    return look(
        Command.EVENTS.parse(args),
        1,
        (application, arguments) -> {
          if (arguments.flag(FOLLOW)) {
            rideOut(application);
          }
          return new ApplicationLogs(application, console.out()).events(arguments.flag(FOLLOW));
        });
  }

  ExitCode logs(List<String> args)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    return look(
        Command.LOGS.parse(args),
        2,
        (application, arguments) -> {
          String task = arguments.words().size() > 1 ? arguments.words().get(1) : null;
          ApplicationLogs logs = new ApplicationLogs(application, console.out());
          if (arguments.flag(FOLLOW)) {
            rideOut(application);
          }
          return arguments.flag(FOLLOW) ? logs.followLogs(task) : logs.logs(task);
        });
  }

  /**
   * From the first answer of YARN's on, a command that takes its time is not ended by an outage.
   *
   * @throws YarnException where YARN gives no answer
   */
  private void rideOut(Inspected application) throws IOException, YarnException {
    application.anyReport();
    console.endOnlyWhile(() -> false);
  }

  /** The first word is the application. */
  private <T> T look(Arguments arguments, int mostWords, Look<T> look)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    List<String> words = arguments.words();
    if (words.isEmpty() || words.size() > mostWords) {
      throw new InvalidJobException(
          List.of(
              "name one application" + (mostWords > 1 ? ", and at most one of its tasks" : "")));
    }
    TonyConfig config = console.submittedConfig(arguments);
    try (YarnClient yarn = console.yarn()) {
      return look.at(Inspected.of(console.conf(), yarn, config, words.get(0)), arguments);
    }
  }
}
