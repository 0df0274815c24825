package io.tony.config.option;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One option: its key, the type and unit of its value, its default, what it means, and whether its
 * value is a secret. Options are declared as constants of the {@code …Options} classes and found
 * through {@link io.tony.config.declared.Registry}; {@code docs/configuration.md} is generated from
 * them. Immutable.
 *
 * @param <T> type of the value: a size is a Long in MiB, a duration a {@link java.time.Duration}
 */
public final class ConfigOption<T> implements DeclaredOption {
  /** Whose business an option is. Nobody is kept from setting it, unless its meaning says so. */
  public enum SetBy {
    /** The flow's author, for a job. */
    AUTHOR,
    /** The platform team, for all jobs of a cluster. */
    PLATFORM,
    /** TonY itself, from what it knows. */
    TONY;

    /** As the documentation writes it. */
    @Override
    public String toString() {
      return this == TONY ? "TonY" : name().toLowerCase(Locale.ROOT);
    }
  }

  /** What this version does with an option that is set. */
  public enum Support {
    /** It works as documented. */
    FULL,
    /** A job that sets it to anything but its default is refused. */
    REFUSED,
    /** It is accepted with a warning: the job runs the same without it. */
    WITHOUT_EFFECT
  }

  /** All but its names. */
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

  /** Starts the declaration of an option; {@link OptionDeclaration#doc} ends it. */
  public static OptionDeclaration.Key key(String key) {
    return new OptionDeclaration.Key(key);
  }

  /** The same option under another key: how a pattern becomes the option of one role. */
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

  /** What the documentation calls the type: text, int, size, duration, list, map, enum, … */
  public String type() {
    return meaning.type.name();
  }

  /** Unit of a number without one, or the allowed words of an enum; empty when there is neither. */
  public String unit() {
    return meaning.type.unit();
  }

  /** Null when the option has no default. */
  public T defaultValue() {
    return meaning.defaultValue;
  }

  /** The default as a user would write it; null when the option has none. */
  public String defaultText() {
    return meaning.defaultText;
  }

  /** What holds where it is not set and has no default of its own; empty when nothing does. */
  public String whenUnset() {
    return meaning.whenUnset;
  }

  public SetBy setBy() {
    return meaning.setBy;
  }

  public String doc() {
    return meaning.doc;
  }

  /** True when the value must never be shown. */
  public boolean isSecret() {
    return meaning.secret;
  }

  /** Other names that mean the same and are as good, such as TonY's. */
  public List<String> aliases() {
    return aliases;
  }

  /** Names that TonY itself had given up: they mean the same, and a job is told the new one. */
  public List<String> oldNames() {
    return oldNames;
  }

  /** True when the values of all layers add up instead of overriding each other. */
  public boolean isMultiValue() {
    return meaning.multiValue;
  }

  public Support support() {
    return meaning.support;
  }

  /** Why it is refused or without effect, and what to do instead; empty when supported. */
  public String remark() {
    return meaning.remark;
  }

  /**
   * How a {@code .job} file spells it, the spelling that counts first; empty when it uses the key
   * itself.
   */
  public List<String> jobSpellings() {
    return meaning.jobSpellings;
  }

  /**
   * What is given by a value as written: nothing by blanks where a text or a name is expected, a
   * name without the blanks around it, and everything else as it is.
   */
  public Optional<String> normalize(String text) {
    return meaning.type.normalizer().apply(text);
  }

  /** Reads a value; throws IllegalArgumentException ("expected …") for a malformed one. */
  public T parse(String text) {
    return meaning.type.parse(text);
  }

  @Override
  public String toString() {
    return key;
  }
}
