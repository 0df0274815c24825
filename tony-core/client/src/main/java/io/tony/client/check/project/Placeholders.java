package io.tony.client.check.project;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Resolves references, <code>${name}</code>, in the properties of a job as Azkaban does. Azkaban
 * resolves all properties before it starts the job; if a referenced name is not defined, the job
 * does not start, even if it does not need the property.
 */
final class Placeholders {
  /** Matches a reference of the form that every version of Azkaban recognizes. */
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{([a-zA-Z_.0-9]+)\\}");

  private final Map<String, String> properties;
  private final boolean hasParents;
  private final UnaryOperator<String> remedy;
  private final Map<String, String> resolved = new TreeMap<>();
  private final Set<String> failedKeys = new LinkedHashSet<>();
  private final Map<String, Set<String>> unresolved = new LinkedHashMap<>();
  private final Set<String> problems = new LinkedHashSet<>();

  private Placeholders(
      Map<String, String> properties, boolean hasParents, UnaryOperator<String> remedy) {
    this.properties = properties;
    this.hasParents = hasParents;
    this.remedy = remedy;
  }

  /**
   * Resolves the references in a job's properties, as far as that is possible before the job runs.
   *
   * @param properties the job's properties as written, by key
   * @param hasParents whether the job depends on other jobs, whose output properties it may refer
   *     to
   * @param remedy returns, for the name y of an undefined property, the end of a sentence that
   *     begins "x refers to y, "
   */
  static Placeholders resolve(
      Map<String, String> properties, boolean hasParents, UnaryOperator<String> remedy) {
    Placeholders placeholders = new Placeholders(properties, hasParents, remedy);
    new TreeMap<>(properties).forEach(placeholders::resolveKey);
    return placeholders;
  }

  Map<String, String> resolved() {
    return resolved;
  }

  /**
   * Returns the keys of the values that are not fully known before the job runs, each with
   * descriptions of what the value depends on at run time. The set of descriptions is empty if a
   * value's only unresolved references are wrong, so that they are reported as problems.
   */
  Map<String, Set<String>> unresolved() {
    return unresolved;
  }

  List<String> problems() {
    return List.copyOf(problems);
  }

  private void resolveKey(String key, @Nullable String value) {
    Set<String> unknown = new TreeSet<>();
    String text = value == null ? "" : resolve(key, value, List.of(key), unknown);
    resolved.put(key, text);
    if (text.contains("$(")) {
      unknown.add("$(…), which Azkaban evaluates when the job starts");
    }
    if (!unknown.isEmpty() || failedKeys.contains(key)) {
      unresolved.put(key, unknown);
    }
  }

  /**
   * Returns a value with its references resolved, as far as possible.
   *
   * @param key key of the property for which the value is needed
   * @param path the references that lead from {@code key} to this value, to detect and describe a
   *     circle
   * @param unknown set to which descriptions are added of what the value depends on at run time
   */
  private String resolve(String key, String value, List<String> path, Set<String> unknown) {
    StringBuilder text = new StringBuilder();
    Matcher matcher = REFERENCE.matcher(value);
    while (matcher.find()) {
      String name = matcher.group(1);
      String replacement = properties.get(name);
      if (path.contains(name)) {
        problems.add(
            key
                + " refers to itself: "
                + String.join(" -> ", path)
                + " -> "
                + name
                + ". Break the circle");
        failedKeys.add(key);
        replacement = matcher.group();
      } else if (replacement == null) {
        addUndefined(key, name, unknown);
        replacement = matcher.group();
      } else {
        List<String> longer = new ArrayList<>(path);
        longer.add(name);
        replacement = resolve(key, replacement, longer, unknown);
      }
      matcher.appendReplacement(text, Matcher.quoteReplacement(replacement));
    }
    return matcher.appendTail(text).toString();
  }

  private void addUndefined(String key, String name, Set<String> unknown) {
    if (name.startsWith("azkaban.") || name.equals("working.dir")) {
      unknown.add("${" + name + "}, which Azkaban sets when the job starts");
    } else if (hasParents) {
      unknown.add("${" + name + "}, which a job that it depends on would have to publish");
    } else {
      failedKeys.add(key);
      problems.add(
          key
              + " refers to ${"
              + name
              + "}, "
              + (properties.containsKey(name)
                  ? "which has no value. Write " + name + ": '' for an empty text"
                  : remedy.apply(name))
              + ", or, when the flow is started with it, give -property "
              + name
              + "=VALUE");
    }
  }
}
