package io.tony.client;

import io.tony.client.input.Arguments;
import io.tony.client.input.InvalidJobException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The commands of {@code tony}, each with its options and its description. The parser of the
 * command line, {@code tony help} and {@code docs/cli.md} are all derived from these constants.
 */
enum CliCommand {
  SUBMIT(
      "[options]",
      "-job_file train.job -conf tony.worker.instances=2",
      "run a job and follow it to its end",
      Flags.JOB,
      Flags.REPORTING),
  RUN(
      "[FILE.job] [options], or -flow FOLDER",
      "train.job -task_params \"--data data\"",
      "run a job on this machine alone, without a cluster; with -flow a whole flow",
      Flags.JOB,
      Flags.REPORTING),
  DEMO(
      "[--keep | --again | --local] [FLOW], or --list, or --stop",
      "--local resume",
      "run a sample flow on an HDFS and a YARN of its own, on this machine; with --local without"
          + " them; --keep leaves them up"),
  NOTEBOOK(
      "[APPLICATION] [options]",
      "-gpus 1 -memory 16g",
      "run Jupyter in a container, in a browser on this machine, or go on with APPLICATION; with"
          + " -executes another server, at 127.0.0.1 and port $TB_PORT",
      Flags.NOTEBOOK,
      Flags.JOB,
      Flags.REPORTING),
  VALIDATE(
      "[PROJECT] [options]",
      "project.zip -plugin /opt/azkaban/plugins/jobtypes/tony",
      "check a job without running it, or every tony job of an Azkaban project (a zip archive or a"
          + " folder)",
      Flags.PROJECT,
      Flags.JOB,
      List.of(Flag.of("v", "without effect"))),
  FOLLOW(
      "APPLICATION",
      "application_1795694097629_0042",
      "follow an application that was submitted before to its end; Ctrl-C leaves it running, unless"
          + " -status_file is given",
      Flags.CONFIG,
      Flags.REPORTING),
  LIST(
      "[options]",
      "-since 7d -status failed",
      "list the jobs of the history, running and ended",
      Flags.LIST,
      Flags.CONFIG),
  STATUS(
      "APPLICATION",
      "application_1795694097629_0042 -json",
      "show what an application is doing",
      List.of(Flags.AS_JSON),
      Flags.CONFIG),
  KILL(
      "APPLICATION",
      "application_1795694097629_0042",
      "end an application; returns when it has ended",
      Flags.CONFIG),
  LOGS(
      "APPLICATION [TASK]",
      "application_1795694097629_0042 worker:0 -follow",
      "show where its tasks' logs are, or one task's log",
      List.of(Flags.FOLLOW),
      Flags.CONFIG),
  STACKS(
      "APPLICATION [TASK]",
      "application_1795694097629_0042 worker:0",
      "show stack traces: what its tasks execute now, or all threads of one task",
      Flags.CONFIG),
  SHELL(
      "APPLICATION [TASK]",
      "application_1795694097629_0042 worker:0 -command nvidia-smi",
      "open a terminal in a task's container, or run a command there",
      List.of(
          Flag.of("command", "COMMAND", "runs this instead of a shell; the exit code is its own")),
      Flags.CONFIG),
  EVENTS(
      "APPLICATION",
      "application_1795694097629_0042 -follow",
      "print the lines of its event log",
      List.of(Flags.FOLLOW),
      Flags.CONFIG),
  TIMELINE(
      "APPLICATION",
      "application_1795694097629_0042 -svg timeline.svg",
      "show where its time went, phase by phase and task by task",
      List.of(Flag.of("svg", "FILE", "draws it into a file instead"), Flags.AS_JSON),
      Flags.CONFIG),
  COMPARE(
      "APPLICATION APPLICATION..., or -project P -flow F -job J",
      "-project recommender -flow nightly -job train",
      "compare what runs of a job took, and what came out of them",
      Flags.COMPARE,
      Flags.CONFIG),
  HISTORY(
      "[options]",
      "-listen localhost:18090 -retention 90d",
      "serve the history of all users, until it is ended",
      Flags.HISTORY,
      Flags.CONFIG),
  DOCTOR(
      "[options]",
      "-queue training -nodes 20",
      "check an installation, with a job of its own",
      Flags.DOCTOR),
  VERSION("", "", "print the version of this installation, of Hadoop and of Java"),
  HELP("[COMMAND]", "logs", "list the commands, or the options of one");

  private final String arguments;
  private final String example;
  private final String meaning;

  @SuppressWarnings("ImmutableEnumChecker") // List.copyOf creates an immutable list
  private final List<Flag> flags;

  @SafeVarargs
  CliCommand(String arguments, String example, String meaning, List<Flag>... flags) {
    this.arguments = arguments;
    this.example = example;
    this.meaning = meaning;
    List<Flag> all = new ArrayList<>();
    for (List<Flag> group : flags) {
      all.addAll(group);
    }
    this.flags = List.copyOf(all);
  }

  /** Returns the command with the given name as typed by the user, or empty if there is none. */
  static Optional<CliCommand> of(String name) {
    return Stream.of(values()).filter(command -> command.toString().equals(name)).findFirst();
  }

  /** Returns the options and positional arguments of the command as the usage line shows them. */
  String arguments() {
    return arguments;
  }

  /** Returns what a user might type behind the command's name. */
  String example() {
    return example;
  }

  /** Returns a one-line description that begins with a verb, such as "run a job". */
  String meaning() {
    return meaning;
  }

  List<Flag> flags() {
    return flags;
  }

  Arguments parse(List<String> args) throws InvalidJobException {
    return Arguments.parse(args, names(Flag::takesValue), names(Predicate.not(Flag::takesValue)));
  }

  private Set<String> names(Predicate<Flag> filter) {
    return flags.stream().filter(filter).map(Flag::name).collect(Collectors.toUnmodifiableSet());
  }

  /** Returns the name as the user types it, in lower case. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
