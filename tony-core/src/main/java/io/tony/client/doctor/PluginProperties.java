package io.tony.client.doctor;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Properties in the job type's folder, and in the folder above, where Azkaban keeps the properties
 * of all job types.
 *
 * @param settings properties that the job type reads for itself: from {@code plugin.properties},
 *     then from {@code private.properties}, {@code commonprivate.properties} and {@code
 *     common.properties}
 * @param defaults properties that Azkaban passes to each job: from {@code plugin.properties}, then
 *     from {@code common.properties}
 * @param privates properties that are never passed to a job: from {@code private.properties}, then
 *     from {@code commonprivate.properties}
 */
record PluginProperties(
    Map<String, String> settings, Map<String, String> defaults, Map<String, String> privates) {
  static final String FILE = "plugin.properties";
  static final String PRIVATE_FILE = "private.properties";

  /** Syntax that Azkaban takes for a reference to another property. */
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{([a-zA-Z_.0-9]+)\\}");

  /** Maximum number of nested references; more indicate a circle. */
  private static final int MAX_REFERENCES = 20;

  /** Reads the files of a job type's folder. A missing file counts as empty. */
  static PluginProperties read(Path folder) throws IOException {
    Path above = folder.resolve("..").normalize();
    Map<String, String> own = readFile(folder.resolve(FILE));
    Map<String, String> defaults = readFile(above.resolve("common.properties"));
    Map<String, String> privates = readFile(above.resolve("commonprivate.properties"));
    privates.putAll(readFile(folder.resolve(PRIVATE_FILE)));
    Map<String, String> settings = new HashMap<>(defaults);
    settings.putAll(privates);
    settings.putAll(own);
    defaults.putAll(own);
    return new PluginProperties(settings, defaults, privates);
  }

  /** Reads the properties of one file; a missing file counts as empty. */
  static Map<String, String> readFile(Path file) throws IOException {
    Properties properties = new Properties();
    if (Files.isRegularFile(file)) {
      try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
        properties.load(reader);
      }
    }
    Map<String, String> values = new TreeMap<>();
    for (String key : properties.stringPropertyNames()) {
      values.put(key, properties.getProperty(key));
    }
    return values;
  }

  /**
   * Returns a setting with its references resolved. Empty if the setting is missing or blank, or
   * refers to a property that only Azkaban knows.
   */
  Optional<String> setting(String key) {
    return Optional.ofNullable(settings.get(key))
        .map(this::resolve)
        .map(String::strip)
        .filter(value -> !value.isEmpty() && !value.contains("${"));
  }

  private String resolve(String raw) {
    String value = raw;
    for (int i = 0; i < MAX_REFERENCES && value.contains("${"); i++) {
      value =
          REFERENCE
              .matcher(value)
              .replaceAll(
                  found ->
                      Matcher.quoteReplacement(
                          settings.getOrDefault(found.group(1), found.group())));
    }
    return value;
  }

  /** Returns the items of a setting that is a list. */
  List<String> list(String key) {
    return splitList(setting(key).orElse(""));
  }

  /** Splits a list at its commas, strips the items, and drops empty ones. */
  static List<String> splitList(String list) {
    return Stream.of(list.split(",", -1))
        .map(String::strip)
        .filter(part -> !part.isEmpty())
        .toList();
  }

  /** Returns, for all keys with the prefix, the part between the prefix and the next dot. */
  Set<String> namesAfter(String prefix) {
    Set<String> names = new TreeSet<>();
    for (String key : settings.keySet()) {
      if (key.startsWith(prefix)) {
        names.add(key.substring(prefix.length()).split("\\.", 2)[0]);
      }
    }
    return names;
  }
}
