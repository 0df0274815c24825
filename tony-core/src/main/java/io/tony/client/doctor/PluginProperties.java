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
 * The properties of the job type's folder and of the folder above, in which Azkaban keeps what all
 * its job types share.
 *
 * @param settings what the job type looks up for itself: in {@code plugin.properties}, then in
 *     {@code private.properties}, {@code commonprivate.properties} and {@code common.properties}
 * @param defaults what Azkaban gives to each job: {@code plugin.properties}, then {@code
 *     common.properties}
 * @param privates what no job gets: {@code private.properties}, then {@code
 *     commonprivate.properties}
 */
record PluginProperties(
    Map<String, String> settings, Map<String, String> defaults, Map<String, String> privates) {
  static final String FILE = "plugin.properties";
  static final String PRIVATE_FILE = "private.properties";

  /** What Azkaban takes for a reference to another property. */
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{([a-zA-Z_.0-9]+)\\}");

  /** How many references may lead from one to another; more are a circle. */
  private static final int MAX_REFERENCES = 20;

  /** Reads the files; one that is missing is empty. */
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

  /** The properties of one file. */
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
   * A setting; empty where it is not set or blank, and where it refers to a property that only
   * Azkaban knows.
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

  /** The parts of a setting that is a list. */
  List<String> list(String key) {
    return splitList(setting(key).orElse(""));
  }

  /** The parts of a list, separated by commas, without blanks around them. */
  static List<String> splitList(String list) {
    return Stream.of(list.split(",", -1))
        .map(String::strip)
        .filter(part -> !part.isEmpty())
        .toList();
  }

  /** The first parts of the keys that begin so, up to the next dot. */
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
