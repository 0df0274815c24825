package io.tony.config.option;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One option: key, type and unit of its value, default, meaning, and whether its value is secret.
 * Options are declared as constants of the {@code …Options} classes and are found through {@link
 * io.tony.config.declared.Registry}; {@code docs/configuration.md} is generated from them.
 * Immutable.
 *
 * @param <T> type of the value; sizes are a Long in MiB, durations a {@link java.time.Duration}
 */
public final class ConfigOption<T> implements DeclaredOption {
  /**
   * Who usually sets an option. Documentation only: any source may set any option, unless the
   * option's meaning says otherwise.
   */
  public enum SetBy {
    /** The flow's author, for one job. */
    AUTHOR,
    /** The platform team, for all jobs of a cluster. */
    PLATFORM,
    /** TonY itself. */
    TONY;

    /** Returns the name that the documentation uses. */
    @Override
    public String toString() {
      return this == TONY ? "TonY" : name().toLowerCase(Locale.ROOT);
    }
  }

  /** How far this version of TonY supports an option. */
  public enum Support {
    /** The option works as documented. */
    FULL,
    /** A job that sets the option to anything but its default is rejected. */
    REFUSED,
    /** The option is accepted with a warning, and has no effect. */
    WITHOUT_EFFECT
  }

  /** All properties of an option except its key and its other names. */
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

  /** Begins the declaration of an option, which {@link OptionDeclaration#doc} ends. */
  public static OptionDeclaration.Key key(String key) {
    return new OptionDeclaration.Key(key);
  }

  /**
   * Returns a copy of this option with the key {@code concrete} and without other names. Used to
   * create the option of one role from a template.
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

  /**
   * Returns the documentation's name of the value's type: text, int, size, duration, list, map,
   * enum, …
   */
  public String type() {
    return meaning.type.name();
  }

  /**
   * Returns the unit of a number that is written without one, or the allowed words of an enum;
   * empty for other types.
   */
  public String unit() {
    return meaning.type.unit();
  }

  /** Returns the default; null if the option has none. */
  public T defaultValue() {
    return meaning.defaultValue;
  }

  /**
   * Returns the default in the form in which a user would write it; null if the option has none.
   */
  public String defaultText() {
    return meaning.defaultText;
  }

  /**
   * Returns a description of what applies if the option is not set, for the documentation; empty if
   * that is the option's default.
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

  /**
   * Returns the other names of the option that are valid without a warning, such as those in
   * LinkedIn's TonY.
   */
  public List<String> aliases() {
    return aliases;
  }

  /**
   * Returns outdated names of the option, which LinkedIn's TonY had already replaced. They are
   * valid, but cause a warning that names the option's own key.
   */
  public List<String> oldNames() {
    return oldNames;
  }

  /**
   * Returns true if the values of all sources are combined; false if the source with the highest
   * precedence decides.
   */
  public boolean isMultiValue() {
    return meaning.multiValue;
  }

  public Support support() {
    return meaning.support;
  }

  /**
   * Returns why this version rejects or ignores the option, and what to use instead; empty if the
   * option is supported.
   */
  public String remark() {
    return meaning.remark;
  }

  /**
   * Returns the short keys of the option in a {@code .job} file, in descending precedence; empty if
   * there is none.
   */
  public List<String> jobSpellings() {
    return meaning.jobSpellings;
  }

  /**
   * Returns the value that is used for a value as written: a name without surrounding blanks, any
   * other value unchanged. Empty for a text or name that consists only of blanks, which counts as
   * not set.
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
