package io.tony.config.option;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One option: its key, the type and unit of its value, its default, its meaning, and whether its
 * value is secret. Options are declared as constants of the {@code …Options} classes and are found
 * through {@link io.tony.config.declared.Registry}; {@code docs/configuration.md} is generated from
 * them. Immutable.
 *
 * @param <T> type of the value; a size is a Long in MiB, a duration a {@link java.time.Duration}
 */
public final class ConfigOption<T> implements DeclaredOption {
  /**
   * Who usually sets an option. Serves documentation only: options are accepted from any source,
   * unless the option's meaning says otherwise.
   */
  public enum SetBy {
    /** The flow's author, for one job. */
    AUTHOR,
    /** The platform team, for all jobs of a cluster. */
    PLATFORM,
    /** TonY itself. */
    TONY;

    /** Returns the name that the documentation shows. */
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

  /**
   * All properties of an option except its key and its other names, so that an option with another
   * key can share them.
   */
  record Meaning<T>(
      ValueType<T> type,
      @Nullable String defaultText,
      @Nullable T defaultValue,
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
   * Returns a copy of this option with the key {@code concrete} and without other names. Creates
   * the option of one role from the option with a placeholder.
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
   * Returns the name of the value's type that the documentation shows: text, int, size, duration,
   * list, map, enum, …
   */
  public String type() {
    return meaning.type.name();
  }

  /**
   * Returns the unit that applies to a number without a unit, or the allowed words of an enum;
   * empty for other types.
   */
  public String unit() {
    return meaning.type.unit();
  }

  /** Returns the default; null if the option has none. */
  public @Nullable T defaultValue() {
    return meaning.defaultValue;
  }

  /** Returns the default as a user would write it; null if the option has none. */
  public @Nullable String defaultText() {
    return meaning.defaultText;
  }

  /**
   * Returns a description of what happens if the option is not set, for the documentation; empty if
   * the default describes it.
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
   * Returns the other names of the option that are accepted without a warning, such as those in
   * LinkedIn's TonY.
   */
  public List<String> aliases() {
    return aliases;
  }

  /**
   * Returns the names of the option that LinkedIn's TonY had already replaced. They are accepted
   * with a warning that names the option's own key.
   */
  public List<String> oldNames() {
    return oldNames;
  }

  /**
   * Returns true if the values of all sources are combined; false if only the value of the source
   * with the highest precedence counts.
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
   * Returns the short keys by which a {@code .job} file sets the option, in descending precedence;
   * empty if there are none.
   */
  public List<String> jobSpellings() {
    return meaning.jobSpellings;
  }

  /**
   * Returns the value to use for {@code text}, a value as a source writes it: a name without
   * surrounding blanks, any other value unchanged. Empty if {@code text} counts as not set, which
   * is so for a text or name that consists only of blanks.
   */
  public Optional<String> normalize(String text) {
    return meaning.type.normalizer().apply(text);
  }

  /**
   * Parses the text of a value.
   *
   * @throws IllegalArgumentException if the text is malformed; the message begins with "expected"
   */
  public T parse(String text) {
    return meaning.type.parse(text);
  }

  @Override
  public String toString() {
    return key;
  }
}
