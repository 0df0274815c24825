package io.tony.config.option;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One option: its key, the type and unit of its value, its default, its meaning, and whether its
 * value is a secret. Options are declared as constants of the {@code …Options} classes and found
 * through {@link io.tony.config.declared.Registry}; {@code docs/configuration.md} is generated from
 * them. Immutable.
 *
 * @param <T> type of the value; sizes are a Long in MiB, durations a {@link java.time.Duration}
 */
public final class ConfigOption<T> implements DeclaredOption {
  /** Who usually sets an option. Not enforced, unless the option's meaning says so. */
  public enum SetBy {
    /** The flow's author, for one job. */
    AUTHOR,
    /** The platform team, for all jobs of a cluster. */
    PLATFORM,
    /** TonY itself. */
    TONY;

    /** Returns the name as the documentation writes it. */
    @Override
    public String toString() {
      return this == TONY ? "TonY" : name().toLowerCase(Locale.ROOT);
    }
  }

  /** What this version does with an option that is set. */
  public enum Support {
    /** The option works as documented. */
    FULL,
    /** A job that sets the option to anything but its default is rejected. */
    REFUSED,
    /** The option is accepted with a warning, and has no effect. */
    WITHOUT_EFFECT
  }

  /** All properties of an option except its names. */
  record Meaning<T>(
      ValueType<T> type,
      String defaultText,
      T defaultValue,
      String whenUnset,
      String doc,
      SetBy setBy,
      boolean secret,
      boolean multiValue,
      Support support,
      String remark,
      List<String> jobSpellings) {}

  private final String key;
  private final List<String> aliases;
  private final List<String> oldNames;
  private final Meaning<T> meaning;

  ConfigOption(String key, List<String> aliases, List<String> oldNames, Meaning<T> meaning) {
    this.key = key;
    this.aliases = List.copyOf(aliases);
    this.oldNames = List.copyOf(oldNames);
    this.meaning = meaning;
  }

  /** Begins the declaration of an option; {@link OptionDeclaration#doc} ends it. */
  public static OptionDeclaration.Key key(String key) {
    return new OptionDeclaration.Key(key);
  }

  /**
   * Returns this option under another key, without other names; turns a template into the option of
   * one role.
   */
  public ConfigOption<T> withKey(String concrete) {
    return new ConfigOption<>(concrete, List.of(), List.of(), meaning);
  }

  @Override
  public ConfigOption<T> template() {
    return this;
  }

  public String key() {
    return key;
  }

  /** Returns the documentation's name of the type: text, int, size, duration, list, map, enum, … */
  public String type() {
    return meaning.type.name();
  }

  /**
   * Returns the unit of a number without a unit, or the allowed words of an enum; empty if there is
   * neither.
   */
  public String unit() {
    return meaning.type.unit();
  }

  /** Returns the default; null if the option has none. */
  public T defaultValue() {
    return meaning.defaultValue;
  }

  /** Returns the default as a user would write it; null if the option has none. */
  public String defaultText() {
    return meaning.defaultText;
  }

  /**
   * Returns what applies if the option is not set, for the documentation; empty if its default
   * applies.
   */
  public String whenUnset() {
    return meaning.whenUnset;
  }

  public SetBy setBy() {
    return meaning.setBy;
  }

  public String doc() {
    return meaning.doc;
  }

  /** Returns true if the value must never be shown. */
  public boolean isSecret() {
    return meaning.secret;
  }

  /** Returns other names of the option that are equally valid, such as TonY's. */
  public List<String> aliases() {
    return aliases;
  }

  /**
   * Returns names that TonY itself had replaced. They still work, with a warning that names the new
   * one.
   */
  public List<String> oldNames() {
    return oldNames;
  }

  /** Returns true if the values of all sources add up instead of overriding each other. */
  public boolean isMultiValue() {
    return meaning.multiValue;
  }

  public Support support() {
    return meaning.support;
  }

  /**
   * Returns why the option is rejected or has no effect, and the alternative; empty if the option
   * is supported.
   */
  public String remark() {
    return meaning.remark;
  }

  /**
   * Returns the option's spellings in a {@code .job} file, in order of precedence; empty if only
   * the key is valid.
   */
  public List<String> jobSpellings() {
    return meaning.jobSpellings;
  }

  /**
   * Returns the effective value for a value as written. Blanks count as not set for a text or a
   * name (empty result), a name is stripped, and everything else is unchanged.
   */
  public Optional<String> normalize(String text) {
    return meaning.type.normalizer().apply(text);
  }

  /**
   * Parses a value.
   *
   * @throws IllegalArgumentException if the value is malformed; the message begins with "expected"
   */
  public T parse(String text) {
    return meaning.type.parse(text);
  }

  @Override
  public String toString() {
    return key;
  }
}
