package io.tony.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Creates the text that {@code tony help} prints, about all commands or about one. */
public final class Usage {
  private static final int WIDTH = 12;
  private static final int WIDTH_OF_FLAG = 30;

  private Usage() {}

  /** Prints the help for {@code bin/tony} on a machine without Hadoop, which all commands need. */
  public static void main(String[] args) {
    Optional<CliCommand> command =
        Stream.of(args)
            .map(CliCommand::of)
            .flatMap(Optional::stream)
            .filter(named -> named != CliCommand.HELP)
            .findFirst();
    command.map(Usage::of).orElseGet(Usage::all).forEach(System.out::println);
  }

  /** Returns the overview of all commands, one line each. */
  static List<String> all() {
    List<String> lines = new ArrayList<>();
    lines.add("usage: tony COMMAND [options]");
    lines.add("");
    for (CliCommand command : CliCommand.values()) {
      lines.add("  tony " + padded(command.toString(), WIDTH) + command.meaning());
    }
    lines.add("");
    lines.add("tony help COMMAND lists its options; docs/cli.md has all.");
    lines.add("The options of a job (-conf KEY=VALUE): docs/configuration.md");
    return lines;
  }

  /** Returns the usage and the options of one command. */
  static List<String> of(CliCommand command) {
    List<String> lines = new ArrayList<>();
    lines.add("usage: " + line(command));
    lines.add("  " + command.meaning());
    lines.add("  for example: " + example(command));
    if (!command.flags().isEmpty()) {
      lines.add("");
      for (Flag flag : command.flags()) {
        lines.add("  " + padded(flag.toString(), WIDTH_OF_FLAG) + flag.meaning());
      }
    }
    return lines;
  }

  /** Returns the usage line of a command. */
  static String line(CliCommand command) {
    return ("tony " + command + " " + command.arguments()).strip();
  }

  /** Returns a command line that uses the command. */
  static String example(CliCommand command) {
    return ("tony " + command + " " + command.example()).strip();
  }

  /**
   * Returns the text with blanks appended up to {@code width} characters, and with at least one
   * blank.
   */
  private static String padded(String text, int width) {
    return text.length() < width ? text + " ".repeat(width - text.length()) : text + " ";
  }
}
