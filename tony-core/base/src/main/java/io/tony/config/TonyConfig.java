package io.tony.config;

import io.tony.config.declared.Registry;
import io.tony.config.declared.RoleOptions;
import io.tony.config.option.ConfigException;
import io.tony.config.option.ConfigOption;
import io.tony.config.option.RoleNames;
import io.tony.text.Strings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The settings of one job, merged from all sources (files, command line, …), with the source of
 * each value. A value that is set under another name of an option is stored under the option's own
 * key. Values are stored as written, and are parsed only when an option is read. Two exceptions:
 * blanks around the value of an option of type name are removed, and a text or name that consists
 * only of blanks counts as not set, even if a source of lower precedence sets a value. Immutable.
 */
public final class TonyConfig {
  /** Maximum number of characters of a value in a message; the rest is cut off. */
  private static final int MAX_SHOWN_CHARS = 500;

  /**
   * Use of another name of an option in a source.
   *
   * @param alias name that the source uses
   * @param key the option's own key
   * @param origin name of the source
   * @param effective false if the same source also sets the option's own key, which takes
   *     precedence
   */
  public record AliasUse(String alias, String key, String origin, boolean effective) {}

  /**
   * A value that was ignored because a source of lower precedence declares its own value as final.
   *
   * @param key key of the ignored value, as its source writes it
   * @param origin name of the source of the ignored value
   * @param finalIn name of the source of the final value
   */
  public record OverriddenValue(String key, String origin, String finalIn) {}

  /**
   * Value of one option, with the source that set it, or all sources if their values are combined.
   *
   * @param alias other name of the option that the source uses; empty if it uses the option's own
   *     key
   */
  private record Setting(String value, String origin, String alias) {
    /**
     * Returns a copy whose value is normalized by {@link ConfigOption#normalize}; empty if the
     * value counts as not set.
     */
    Optional<Setting> normalized(String key) {
      Optional<ConfigOption<?>> option = Registry.lookup(key);
      return option.isEmpty()
          ? Optional.of(this)
          : option.get().normalize(value).map(text -> new Setting(text, origin, alias));
    }

    String originText() {
      return " (" + origin + (alias.isEmpty() ? "" : ", as " + alias) + ")";
    }
  }

  private final SortedMap<String, Setting> settings;
  private final Set<String> blanks = new TreeSet<>();
  private final List<String> roles;
  private final List<AliasUse> aliasUses;
  private final List<OverriddenValue> overriddenValues;

  private TonyConfig(Builder builder) {
    SortedMap<String, Setting> normalized = new TreeMap<>();
    builder.settings.forEach(
        (key, setting) ->
            setting
                .normalized(key)
                .ifPresentOrElse(value -> normalized.put(key, value), () -> blanks.add(key)));
    this.settings = Collections.unmodifiableSortedMap(normalized);
    this.roles =
        settings.keySet().stream()
            .flatMap(key -> RoleOptions.INSTANCES.names(key).stream())
            .map(names -> names.get(0))
            .sorted(RoleNames.ORDER)
            .toList();
    this.aliasUses = List.copyOf(builder.aliasUses);
    this.overriddenValues = List.copyOf(builder.overriddenValues);
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the option's value, or its default if no source sets it.
   *
   * @throws ConfigException if the value is malformed, or there is neither a value nor a default
   */
  public <T> T get(ConfigOption<T> option) {
    return find(option)
        .orElseThrow(
            () ->
                new ConfigException(
                    option.key() + " is not set and has no default: set it to a " + option.type()));
  }

  /**
   * Returns the option's value, or its default if no source sets it; empty if there is neither.
   *
   * @throws ConfigException if the value is malformed
   */
  public <T> Optional<T> find(ConfigOption<T> option) {
    Setting setting = settings.get(option.key());
    if (setting == null) {
      return Optional.ofNullable(option.defaultValue());
    }
    try {
      return Optional.of(option.parse(setting.value));
    } catch (IllegalArgumentException e) {
      throw new ConfigException(describe(option.key()) + ": " + e.getMessage(), e);
    }
  }

  /**
   * Returns true if a source sets the option. A text or name that consists only of blanks counts as
   * not set.
   */
  public boolean isSet(ConfigOption<?> option) {
    return settings.containsKey(option.key());
  }

  /**
   * Returns true if a source sets the option to a text or name that consists only of blanks. Such a
   * value counts as not set.
   */
  public boolean isBlank(ConfigOption<?> option) {
    return blanks.contains(option.key());
  }

  /**
   * Returns the roles for which {@code tony.<role>.instances} is set, even to 0: first chief,
   * master, ps, worker and evaluator, then all others by name. The order in the sources is not
   * known.
   */
  public List<String> roles() {
    return roles;
  }

  /**
   * Returns all values by key, sorted. Contains secrets in plain text, so the map must not be
   * shown.
   */
  public SortedMap<String, String> asMap() {
    SortedMap<String, String> map = new TreeMap<>();
    settings.forEach((key, setting) -> map.put(key, setting.value));
    return Collections.unmodifiableSortedMap(map);
  }

  /** Returns all values by key, sorted, with secrets masked, so that the map may be shown. */
  public SortedMap<String, String> masked() {
    SortedMap<String, String> map = new TreeMap<>();
    settings.forEach((key, setting) -> map.put(key, Secrets.mask(key, setting.value)));
    return Collections.unmodifiableSortedMap(map);
  }

  /**
   * Returns the name of the source that sets the key, or of all sources if their values are
   * combined; empty if the key is not set.
   */
  public Optional<String> origin(String key) {
    return Optional.ofNullable(settings.get(key)).map(Setting::origin);
  }

  /**
   * Returns {@code key=value (source)} for a message about a wrong setting. Secrets are masked, and
   * a long value is truncated.
   */
  public String describe(String key) {
    Setting setting = settings.get(key);
    if (setting == null) {
      return key;
    }
    String value = Secrets.mask(key, setting.value);
    String shown =
        value.length() <= MAX_SHOWN_CHARS
            ? value
            : Strings.truncate(value, MAX_SHOWN_CHARS) + "… (" + value.length() + " characters)";
    return key + "=" + shown + setting.originText();
  }

  /**
   * Returns a copy of this configuration with {@code values} in addition, which replace existing
   * values of the same keys.
   *
   * @param origin name of the source of {@code values}, for messages
   */
  public TonyConfig with(String origin, Map<String, String> values) {
    Builder builder = toBuilder();
    values.forEach((key, value) -> builder.settings.put(key, new Setting(value, origin, "")));
    return builder.build();
  }

  /** Returns a copy without the keys for which {@code keys} returns true. */
  public TonyConfig without(Predicate<String> keys) {
    Builder builder = toBuilder();
    builder.settings.keySet().removeIf(keys);
    return builder.build();
  }

  private Builder toBuilder() {
    Builder builder = new Builder();
    builder.settings.putAll(settings);
    builder.aliasUses.addAll(aliasUses);
    builder.overriddenValues.addAll(overriddenValues);
    return builder;
  }

  public List<AliasUse> aliasUses() {
    return aliasUses;
  }

  public List<OverriddenValue> overriddenValues() {
    return overriddenValues;
  }

  /**
   * Writes all values, including secrets, in the format of {@link Properties}. The output is sorted
   * and contains no date, so equal configurations give equal bytes. The writer must use UTF-8, and
   * only the owner may have access to the written file.
   */
  public void write(Writer writer) throws IOException {
    Properties properties = new Properties();
    properties.putAll(asMap());
    StringWriter text = new StringWriter();
    properties.store(text, null);
    // Remove the date, which is a comment line and the only one: at the beginning of a key, '#' is
    // escaped.
    String sorted =
        new BufferedReader(new StringReader(text.toString()))
            .lines()
            .filter(line -> !line.startsWith("#"))
            .sorted()
            .map(line -> line + "\n")
            .collect(Collectors.joining());
    writer.write(sorted);
    writer.flush();
  }

  /**
   * Reads the output of {@link #write}. Every value gets {@code origin} as the name of its source.
   */
  public static TonyConfig read(Reader reader, String origin) throws IOException {
    Properties properties = new Properties();
    properties.load(reader);
    Map<String, String> values = new TreeMap<>();
    properties.stringPropertyNames().forEach(key -> values.put(key, properties.getProperty(key)));
    return builder().layer(origin, values).build();
  }

  /**
   * Reads the output of {@link #write}. Every value gets "the job's configuration" as the name of
   * its source.
   */
  public static TonyConfig read(Reader reader) throws IOException {
    return read(reader, "the job's configuration");
  }

  /** Returns all values as text, with secrets masked. */
  @Override
  public String toString() {
    return masked().toString();
  }

  /** Merges sources into a configuration. Sources must be added in ascending precedence. */
  public static final class Builder {
    private final Map<String, Setting> settings = new TreeMap<>();
    private final Map<String, String> finalIn = new TreeMap<>();
    private final List<AliasUse> aliasUses = new ArrayList<>();
    private final List<OverriddenValue> overriddenValues = new ArrayList<>();

    private Builder() {}

    /**
     * Adds a source. Its values replace those of the sources added before, except final ones; for
     * an option that combines the values of all sources, they are added.
     *
     * @param origin name of the source, for messages
     */
    public Builder layer(String origin, Map<String, String> values) {
      Objects.requireNonNull(origin, "origin");
      values.forEach(
          (key, value) -> {
            Objects.requireNonNull(value, key);
            String current = Registry.currentName(key);
            boolean taken = current.equals(key) || !values.containsKey(current);
            if (!current.equals(key)) {
              aliasUses.add(new AliasUse(key, current, origin, taken));
            }
            if (taken) {
              put(current, new Setting(value, origin, current.equals(key) ? "" : key));
            }
          });
      return this;
    }

    /**
     * Adds a Hadoop configuration file as a source. Sources added later cannot replace the values
     * that the file declares as final.
     */
    public Builder layer(String origin, TonyXml file) {
      layer(origin, file.effectiveValues());
      file.finalKeys().forEach(key -> finalIn.putIfAbsent(Registry.currentName(key), origin));
      return this;
    }

    private void put(String key, Setting above) {
      Setting below = settings.get(key);
      String finalOrigin = finalIn.get(key);
      if (finalOrigin != null) {
        if (below == null || !below.value.equals(above.value)) {
          overriddenValues.add(
              new OverriddenValue(
                  above.alias.isEmpty() ? key : above.alias, above.origin, finalOrigin));
        }
        return;
      }
      if (below != null
          && !below.value.isBlank()
          && Registry.lookup(key).map(ConfigOption::isMultiValue).orElse(false)) {
        settings.put(key, sum(below, above));
      } else {
        settings.put(key, above);
      }
    }

    private static Setting sum(Setting below, Setting above) {
      return above.value.isBlank()
          ? below
          : new Setting(below.value + "," + above.value, below.origin + ", " + above.origin, "");
    }

    public TonyConfig build() {
      return new TonyConfig(this);
    }
  }
}
