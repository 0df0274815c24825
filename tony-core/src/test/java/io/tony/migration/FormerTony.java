package io.tony.migration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What LinkedIn TonY 0.4 and 0.5 had: the lists of {@code src/test/resources/tony-0.5}. */
final class FormerTony {
  /**
   * An option.
   *
   * @param defaultText empty where it had none
   * @param remark what else there is to say of it here; may be empty
   */
  record Option(String key, String defaultText, String remark) {}

  /** Who finds a variable here. */
  enum Found {
    /** Every task of the framework. */
    SET,
    /** Some tasks. */
    ELSEWHERE,
    /** Nobody. */
    GONE
  }

  /** A variable that programs had, or that LinkedIn TonY read. */
  record Variable(String name, String framework, Found found, String here) {}

  /** A way to start a job, or an option of the command line. */
  record Word(String name, String here) {}

  private FormerTony() {}

  static List<Option> options() throws IOException {
    List<Option> options = new ArrayList<>();
    for (String line : lines("options.txt")) {
      String[] halves = line.split(" \\| ", 2);
      String[] pair = halves[0].split("=", 2);
      options.add(new Option(pair[0].strip(), pair[1].strip(), halves.length > 1 ? halves[1] : ""));
    }
    return options;
  }

  static List<Variable> variables() throws IOException {
    List<Variable> variables = new ArrayList<>();
    for (String line : lines("variables.txt")) {
      String[] parts = line.split(" \\| ", 4);
      variables.add(new Variable(parts[0], parts[1], Found.valueOf(parts[2]), parts[3]));
    }
    return variables;
  }

  static List<Word> commands() throws IOException {
    List<Word> words = new ArrayList<>();
    for (String line : lines("commands.txt")) {
      String[] pair = line.split(" \\| ", 2);
      words.add(new Word(pair[0], pair[1]));
    }
    return words;
  }

  private static List<String> lines(String file) throws IOException {
    return Files.readAllLines(Path.of("src/test/resources/tony-0.5", file)).stream()
        .filter(line -> !line.startsWith("#"))
        .toList();
  }
}
