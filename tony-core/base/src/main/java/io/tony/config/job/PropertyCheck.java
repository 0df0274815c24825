package io.tony.config.job;

import io.tony.config.JobTranslation;
import io.tony.config.declared.ForeignKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Warns of properties of an Azkaban job that its author probably mistook for options of TonY:
 * misspelt short keys, keys of Azkaban's other job types, and Hadoop settings. Looks at names only,
 * and gives at most one warning for each of these three kinds. All other properties are ignored,
 * because they may come from shared files.
 */
public final class PropertyCheck {
  /** Maximum number of keys that one warning lists. */
  private static final int MAX_NAMED = 10;

  /**
   * Prefix of properties that Azkaban's Hadoop job types copy into the Hadoop configuration of
   * their client.
   */
  private static final String INJECTED = "hadoop-inject.";

  private static final String VARIABLE = "env.";

  /**
   * Prefixes of the environment variables of TonY's client for which the job type refuses a step.
   * Its ClientEnvironment has the same list; PassedPropertiesTest compares them.
   */
  private static final List<String> REFUSED_VARIABLES =
      List.of(
          "HADOOP_",
          "HDFS_",
          "YARN_",
          "MAPRED_",
          "KRB5",
          "JAVA_",
          "JDK_",
          "_JAVA",
          "CLASSPATH",
          "TONY_");

  private PropertyCheck() {}

  /**
   * Returns at most one warning for each kind of such properties; empty if there is none.
   *
   * @param names names of all properties of the job
   */
  public static List<String> warnings(Collection<String> names) {
    SortedSet<String> injected = new TreeSet<>();
    Map<String, String> foreign = new LinkedHashMap<>();
    Map<String, String> misspelt = new LinkedHashMap<>();
    for (String name : new TreeSet<>(names)) {
      if (name.startsWith(INJECTED)) {
        injected.add(name);
      } else if (JobTranslation.optionOf(name).isEmpty() && !JobTranslation.isPublished(name)) {
        Optional<String> replacement =
            ForeignKeys.replacement(name).filter(option -> !isSet(option, names));
        Optional<String> meant = JobTranslation.suggest(name);
        if (replacement.isPresent()) {
          foreign.put(name, replacement.get());
        } else if (meant.isPresent()) {
          misspelt.put(name, meant.get());
        }
      }
    }
    List<String> warnings = new ArrayList<>();
    if (!misspelt.isEmpty()) {
      String meant = joined(misspelt.values().stream().distinct().toList());
      warnings.add(haveNoEffect(misspelt.keySet()) + ": did you mean " + meant + "?");
    }
    if (!foreign.isEmpty()) {
      warnings.add(
          haveNoEffect(foreign.keySet()) + " in a step of type tony: " + replacementText(foreign));
    }
    if (!injected.isEmpty()) {
      warnings.add(hadoopWarning(injected));
    }
    return warnings;
  }

  /**
   * Returns true for a property that sets an environment variable of TonY's client which decides as
   * whom, where or how the client acts. The job type refuses a step with such a property.
   */
  public static boolean isRefusedVariable(String name) {
    return name.startsWith(VARIABLE)
        && REFUSED_VARIABLES.stream().anyMatch(name.substring(VARIABLE.length())::startsWith);
  }

  /**
   * Returns true if the job sets TonY's option itself. A property of another job type with the same
   * purpose is then probably a variable of the job, as in {@code tony.worker.gpus=${gpus}}.
   */
  private static boolean isSet(String option, Collection<String> names) {
    Pattern key = Pattern.compile(Pattern.quote(option).replace("{role}", "\\E[^.]+\\Q"));
    return option.startsWith("tony.") && names.stream().anyMatch(key.asMatchPredicate());
  }

  private static String hadoopWarning(SortedSet<String> injected) {
    Map<String, String> replacements = new LinkedHashMap<>();
    for (String name : injected) {
      String setting = name.substring(INJECTED.length()).toLowerCase(Locale.ROOT);
      ForeignKeys.hadoopReplacement(setting).ifPresent(option -> replacements.put(name, option));
    }
    return haveNoEffect(injected)
        + ": the client's Hadoop settings are those of the cluster's own files, which the"
        + " administrator names in hadoop.conf.dir"
        + (replacements.isEmpty() ? "" : "; " + replacementText(replacements));
  }

  private static String replacementText(Map<String, String> replacements) {
    Map<String, List<String>> byOption = new LinkedHashMap<>();
    replacements.forEach(
        (key, option) -> byOption.computeIfAbsent(option, o -> new ArrayList<>()).add(key));
    return byOption.entrySet().stream()
        .limit(MAX_NAMED)
        .map(entry -> "write " + entry.getKey() + " instead of " + joined(entry.getValue()))
        .collect(Collectors.joining(", "));
  }

  private static String haveNoEffect(Collection<String> keys) {
    return joined(keys) + (keys.size() == 1 ? " has no effect" : " have no effect");
  }

  private static String joined(Collection<String> keys) {
    int more = keys.size() - MAX_NAMED;
    return keys.stream().limit(MAX_NAMED).collect(Collectors.joining(", "))
        + (more > 0 ? " and " + more + " more" : "");
  }
}
