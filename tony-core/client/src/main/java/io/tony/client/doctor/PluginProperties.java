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
 * Properties of a job type: from {@code plugin.properties} and {@code private.properties} in its
 * folder, and from {@code common.properties} and {@code commonprivate.properties} in the parent
 * folder, which apply to all job types. Each parameter below lists its files by precedence: if
 * several set the same key, the value in the first of them applies.
 *
 * @param settings properties that the job type itself reads: from {@code plugin.properties}, {@code
 *     private.properties}, {@code commonprivate.properties} and {@code common.properties}
 * @param defaults properties that Azkaban passes to each step: from {@code plugin.properties} and
 *     {@code common.properties}
 * @param privates properties that Azkaban never passes to a step: from {@code private.properties}
 *     and {@code commonprivate.properties}
 */
record PluginProperties(
    Map<String, String> settings, Map<String, String> defaults, Map<String, String> privates) {
  static final String FILE = "plugin.properties";
  static final String PRIVATE_FILE = "private.properties";

  /** Matches a reference to another property, as Azkaban recognizes it. */
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{([a-zA-Z_.0-9]+)\\}");

  /**
   * Maximum number of rounds in which references are replaced. References that are left after that
   * form a circle.
   */
  private static final int MAX_REFERENCES = 20;

  /**
   * Reads the files in a job type's folder and in the folder above. A missing file counts as empty.
   */
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
   * Returns a setting with its references resolved; empty if it is missing or blank, or if a
   * reference names a property that is not in these files.
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

  /** Returns the items of a setting that is a list separated by commas. */
  List<String> list(String key) {
    return splitList(setting(key).orElse(""));
  }

  /** Returns the items of a list separated by commas, stripped and without empty items. */
  static List<String> splitList(String list) {
    return Stream.of(list.split(",", -1))
        .map(String::strip)
        .filter(part -> !part.isEmpty())
        .toList();
  }

  /**
   * Returns, for each key of a setting that begins with {@code prefix}, the part after the prefix,
   * up to the next dot or the key's end.
   */
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
