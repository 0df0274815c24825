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
 * What is set for one job, merged from all its sources, each value with the source it came from. A
 * key under another name of its option appears under the option's own. Values are the texts as
 * written: nothing is expanded or split until an option reads it. Only, a name has no blanks around
 * it, and a text or a name of blanks is as none, whatever a lower source says. Immutable.
 */
public final class TonyConfig {
  /** Characters of a value in a message. */
  private static final int MAX_SHOWN_CHARS = 500;

  /**
   * Another name of an option, which a source uses.
   *
   * @param effective false when the source uses the option's own name, too, and that value counts
   */
  public record AliasUse(String alias, String key, String origin, boolean effective) {}

  /**
   * A value that was not taken because a lower source had declared its own as final.
   *
   * @param key as the source of the value writes it
   */
  public record OverriddenValue(String key, String origin, String finalIn) {}

  /**
   * What one source sets, or several that add up.
   *
   * @param alias the name that the source uses instead of the option's own; empty for its own
   */
  private record Setting(String value, String origin, String alias) {
    /** The same as its option takes it; empty where that is as none. */
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
   * The value of an option, or its default.
   *
   * @throws ConfigException when the value is malformed, or there is neither a value nor a default
   */
  public <T> T get(ConfigOption<T> option) {
    return find(option)
        .orElseThrow(
            () ->
                new ConfigException(
                    option.key() + " is not set and has no default: set it to a " + option.type()));
  }

  /**
   * The value of an option, or its default, or nothing when it has neither.
   *
   * @throws ConfigException when the value is malformed
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

  /** True when some source sets the option, whatever the value. */
  public boolean isSet(ConfigOption<?> option) {
    return settings.containsKey(option.key());
  }

  /** True when it would be set, if its value were more than blanks. */
  public boolean isBlank(ConfigOption<?> option) {
    return blanks.contains(option.key());
  }

  /**
   * The roles that are declared by {@code tony.<role>.instances}, also those with 0 instances. The
   * order does not depend on the sources, which are mostly hash tables: chief, master, ps, worker,
   * evaluator, then all others by name.
   */
  public List<String> roles() {
    return roles;
  }

  /** All that is set, sorted by key, secrets included: not for printing. */
  public SortedMap<String, String> asMap() {
    SortedMap<String, String> map = new TreeMap<>();
    settings.forEach((key, setting) -> map.put(key, setting.value));
    return Collections.unmodifiableSortedMap(map);
  }

  /** All that is set, sorted by key, without secrets: for printing. */
  public SortedMap<String, String> masked() {
    SortedMap<String, String> map = new TreeMap<>();
    settings.forEach((key, setting) -> map.put(key, Secrets.mask(key, setting.value)));
    return Collections.unmodifiableSortedMap(map);
  }

  /**
   * The source of a key's value; of all its sources where values add up. Empty when it is unset.
   */
  public Optional<String> origin(String key) {
    return Optional.ofNullable(settings.get(key)).map(Setting::origin);
  }

  /**
   * {@code key=value (origin)} without secrets, as messages name a setting that is wrong; of a long
   * value its beginning.
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

  /** The same with these values above its own; {@code origin} is what messages call them. */
  public TonyConfig with(String origin, Map<String, String> values) {
    Builder builder = toBuilder();
    values.forEach((key, value) -> builder.settings.put(key, new Setting(value, origin, "")));
    return builder.build();
  }

  /** The same without what is set for these keys. */
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
   * Writes everything, secrets included, as a {@link Properties} file: sorted, without a date, so
   * that equal configurations give equal bytes. Write it in UTF-8 and for the owner's eyes only.
   */
  public void write(Writer writer) throws IOException {
    Properties properties = new Properties();
    properties.putAll(asMap());
    StringWriter text = new StringWriter();
    properties.store(text, null);
    // The only comment is the date; a key that begins with '#' is escaped.
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

  /** Reads what {@link #write} wrote; every value's origin is then {@code origin}. */
  public static TonyConfig read(Reader reader, String origin) throws IOException {
    Properties properties = new Properties();
    properties.load(reader);
    Map<String, String> values = new TreeMap<>();
    properties.stringPropertyNames().forEach(key -> values.put(key, properties.getProperty(key)));
    return builder().layer(origin, values).build();
  }

  /** Reads what {@link #write} wrote. */
  public static TonyConfig read(Reader reader) throws IOException {
    return read(reader, "the job's configuration");
  }

  /** Without secrets. */
  @Override
  public String toString() {
    return masked().toString();
  }

  /** Puts the sources on top of each other. */
  public static final class Builder {
    private final Map<String, Setting> settings = new TreeMap<>();
    private final Map<String, String> finalIn = new TreeMap<>();
    private final List<AliasUse> aliasUses = new ArrayList<>();
    private final List<OverriddenValue> overriddenValues = new ArrayList<>();

    private Builder() {}

    /** Adds a source above all that were added before; {@code origin} is what messages call it. */
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

    /** Adds a Hadoop configuration file; what it declares as final, no later source overrides. */
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
      boolean addsUp =
          below != null
              && !below.value.isBlank()
              && Registry.lookup(key).map(ConfigOption::isMultiValue).orElse(false);
      settings.put(key, addsUp ? sum(below, above) : above);
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
