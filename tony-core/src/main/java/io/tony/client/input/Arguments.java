package io.tony.client.input;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A command line in TonY's form: {@code -name value} or {@code -name=value}, a name as often as
 * wanted; {@code -flag}; and words that belong to no option. Two dashes are as good as one.
 *
 * <p>Hadoop 3.3 brings commons-cli 1.2 and Hadoop 3.4 brings 1.9, of which no parser is the same.
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
      int equals = arg.indexOf('=');
      String given = equals < 0 ? arg : arg.substring(0, equals);
      String name = given.replaceFirst("^--?", "");
      if (!arg.startsWith("-") || arg.equals("-")) {
        positionalArgs.add(arg);
      } else if (flagNames.contains(name)) {
        flags.add(name);
        if (equals >= 0) {
          problems.add(given + " takes no value: leave out what follows it");
        }
      } else if (!valueNames.contains(name)) {
        problems.add(
            "unknown option "
                + given
                + "; known are -"
                + String.join(" -", new TreeSet<>(union(valueNames, flagNames))));
      } else if (equals < 0 && i + 1 == args.size()) {
        problems.add(arg + " needs a value");
      } else {
        String value = equals < 0 ? args.get(++i) : arg.substring(equals + 1);
        values.computeIfAbsent(name, n -> new ArrayList<>()).add(value);
      }
    }
    if (!problems.isEmpty()) {
      throw new InvalidJobException(problems);
    }
    return new Arguments(values, flags, positionalArgs);
  }

  private static Set<String> union(Set<String> left, Set<String> right) {
    Set<String> all = new HashSet<>(left);
    all.addAll(right);
    return all;
  }

  /** The last value given for an option. */
  public Optional<String> last(String name) {
    List<String> given = all(name);
    return given.isEmpty() ? Optional.empty() : Optional.of(given.get(given.size() - 1));
  }

  public List<String> all(String name) {
    return values.getOrDefault(name, List.of());
  }

  public boolean flag(String name) {
    return flags.contains(name);
  }
}
