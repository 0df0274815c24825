package io.tony.client.input;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A parsed command line, with the syntax of LinkedIn's TonY: options {@code -name value} or {@code
 * -name=value}, which may be repeated; options {@code -flag} without a value; and positional
 * arguments. A double dash means the same as a single one.
 *
 * <p>Not parsed by commons-cli, because Hadoop 3.3 contains version 1.2 of it and Hadoop 3.4
 * version 1.9, and the parsers that both have are deprecated in 1.9.
 *
 * @param values values of each option in the order given, by the option's name without the dash
 * @param flags names of the options without a value, without the dash
 */
public record Arguments(
    Map<String, List<String>> values, Set<String> flags, List<String> positionalArgs) {

  public static Arguments parse(List<String> args, Set<String> valueNames, Set<String> flagNames)
      throws InvalidJobException {
    Map<String, List<String>> values = new LinkedHashMap<>();
    Set<String> flags = new LinkedHashSet<>();
    List<String> positionalArgs = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (int i = 0; i < args.size(); i++) {
      String arg = args.get(i);
      if (!arg.startsWith("-") || arg.equals("-")) {
        positionalArgs.add(arg);
        continue;
      }
      String[] parts = arg.split("=", 2);
      String name = parts[0].replaceFirst("^--?", "");
      boolean flag = flagNames.contains(name);
      if (!flag && !valueNames.contains(name)) {
        problems.add("unknown option " + parts[0] + "; known are -" + known(valueNames, flagNames));
      } else if (flag && parts.length == 2) {
        problems.add(parts[0] + " takes no value: leave out what follows it");
      } else if (flag) {
        flags.add(name);
      } else if (parts.length == 2) {
        add(values, name, parts[1]);
      } else if (i + 1 == args.size()) {
        problems.add(arg + " needs a value");
      } else {
        add(values, name, args.get(++i));
      }
    }
    if (!problems.isEmpty()) {
      throw new InvalidJobException(problems);
    }
    return new Arguments(values, flags, positionalArgs);
  }

  private static void add(Map<String, List<String>> values, String name, String value) {
    values.computeIfAbsent(name, n -> new ArrayList<>()).add(value);
  }

  private static String known(Set<String> valueNames, Set<String> flagNames) {
    Set<String> all = new TreeSet<>(valueNames);
    all.addAll(flagNames);
    return String.join(" -", all);
  }

  /** Returns the last value given for an option; empty if none was given. */
  public Optional<String> last(String name) {
    List<String> given = all(name);
    return given.isEmpty() ? Optional.empty() : Optional.of(given.get(given.size() - 1));
  }

  public List<String> all(String name) {
    return values.getOrDefault(name, List.of());
  }

  public boolean hasFlag(String name) {
    return flags.contains(name);
  }
}
