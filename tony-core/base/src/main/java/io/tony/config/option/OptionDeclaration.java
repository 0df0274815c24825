package io.tony.config.option;

import io.tony.config.option.ConfigOption.SetBy;
import io.tony.config.option.ConfigOption.Support;
import io.tony.model.PortRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Builder of a {@link ConfigOption}. Begins with {@link ConfigOption#key} and ends with {@link
 * #doc}.
 *
 * @param <T> type of the option's value
 */
public final class OptionDeclaration<T> {
  private final String key;
  private final ValueType<T> type;
  private final List<String> aliases = new ArrayList<>();
  private final List<String> oldNames = new ArrayList<>();
  private @Nullable String defaultText;
  private boolean secret;
  private boolean multiValue;
  private String whenUnset = "";
  private SetBy setBy = SetBy.AUTHOR;
  private Support support = Support.FULL;
  private String remark = "";
  private List<String> jobSpellings = List.of();

  OptionDeclaration(String key, ValueType<T> type) {
    this.key = key;
    this.type = type;
  }

  public OptionDeclaration<T> defaultTo(String text) {
    this.defaultText = text;
    return this;
  }

  /**
   * Describes what happens if the option is not set. The documentation shows this text instead of
   * the default.
   */
  public OptionDeclaration<T> whenUnset(String text) {
    this.whenUnset = text;
    return this;
  }

  /** Sets who usually sets the option. Without this call, it is the author of the flow. */
  public OptionDeclaration<T> setBy(SetBy owner) {
    this.setBy = owner;
    return this;
  }

  public OptionDeclaration<T> secret() {
    this.secret = true;
    return this;
  }

  /** Adds another name of the option that is accepted without a warning. */
  public OptionDeclaration<T> alias(String name) {
    aliases.add(name);
    return this;
  }

  /**
   * Adds an outdated name of the option. It is accepted with a warning that names the option's own
   * key.
   */
  public OptionDeclaration<T> oldName(String name) {
    oldNames.add(name);
    return this;
  }

  /**
   * Declares that the values of all sources are combined. Without this call, the source with the
   * highest precedence replaces the others.
   */
  public OptionDeclaration<T> addsUp() {
    this.multiValue = true;
    return this;
  }

  /** Sets the short keys by which a {@code .job} file sets the option, in descending precedence. */
  public OptionDeclaration<T> inJob(String... spellings) {
    this.jobSpellings = List.of(spellings);
    return this;
  }

  /**
   * Declares that this version does not support the option: a job that sets it to anything but its
   * default is rejected.
   *
   * @param remedy what to use instead; part of the error message
   */
  public OptionDeclaration<T> unsupported(String remedy) {
    this.support = Support.REFUSED;
    this.remark = remedy;
    return this;
  }

  /**
   * Declares that the option has no effect: a job that sets it gets a warning.
   *
   * @param reason why the option has no effect; part of the warning
   */
  public OptionDeclaration<T> withoutEffect(String reason) {
    this.support = Support.WITHOUT_EFFECT;
    this.remark = reason;
    return this;
  }

  /**
   * Sets the text that explains the option in the documentation, and returns the finished option.
   */
  public ConfigOption<T> doc(String text) {
    T defaultValue = defaultText == null ? null : type.parse(defaultText);
    ConfigOption.Meaning<T> meaning =
        new ConfigOption.Meaning<>(
            type,
            defaultText,
            defaultValue,
            whenUnset,
            text,
            setBy,
            secret,
            multiValue,
            support,
            remark,
            jobSpellings);
    return new ConfigOption<>(key, aliases, oldNames, meaning);
  }

  /**
   * First step of a declaration: stores the option's key. Each method declares the type of the
   * value, and returns the builder for the rest of the declaration.
   */
  public static final class Key {
    private final String key;

    Key(String key) {
      this.key = Objects.requireNonNull(key, "key");
    }

    /**
     * Declares that the value is a text, which is not stripped. A value that consists only of
     * blanks counts as not set.
     */
    public OptionDeclaration<String> string() {
      return new OptionDeclaration<>(key, ValueType.string());
    }

    /**
     * Declares that the value is that of an environment variable: any text, not stripped. An empty
     * value counts as set.
     */
    public OptionDeclaration<String> variable() {
      return new OptionDeclaration<>(key, ValueType.variable());
    }

    /**
     * Declares that the value is a text without surrounding blanks. A value that consists only of
     * blanks counts as not set.
     */
    public OptionDeclaration<String> name() {
      return new OptionDeclaration<>(key, ValueType.nameText());
    }

    public OptionDeclaration<Integer> integer(int min) {
      return new OptionDeclaration<>(key, ValueType.integer(min));
    }

    public OptionDeclaration<Long> longInteger(long min) {
      return new OptionDeclaration<>(key, ValueType.longInteger(min));
    }

    public OptionDeclaration<Double> decimal(double min) {
      return new OptionDeclaration<>(key, ValueType.decimal(min));
    }

    public OptionDeclaration<Boolean> bool() {
      return new OptionDeclaration<>(key, ValueType.bool());
    }

    /** Declares that the value is a size in MiB, at least 1. */
    public OptionDeclaration<Long> size() {
      return size(1);
    }

    /** Declares that the value is a size in MiB, at least {@code min}. */
    public OptionDeclaration<Long> size(long min) {
      return new OptionDeclaration<>(key, ValueType.size(min));
    }

    /** Declares that the value is a limit for a size in MiB; -1 means no limit. */
    public OptionDeclaration<Long> sizeLimit() {
      return new OptionDeclaration<>(key, ValueType.sizeLimit());
    }

    /**
     * Declares that the value is a time limit; zero means no limit. A number without a unit has the
     * unit in the last part of the key ({@code …-ms}), or else is in milliseconds.
     */
    public OptionDeclaration<Duration> duration() {
      return new OptionDeclaration<>(key, ValueType.duration(unitOfKey(), "for no limit"));
    }

    /**
     * Declares that the value is a duration.
     *
     * @param unit unit of a number without one: {@code ms}, {@code s} or {@code d}
     * @param ofZero what zero means, for messages, such as {@code for no limit}
     */
    public OptionDeclaration<Duration> duration(String unit, String ofZero) {
      return new OptionDeclaration<>(key, ValueType.duration(unit, ofZero));
    }

    /**
     * Declares that the value is a duration greater than zero. A number without a unit has the unit
     * in the last part of the key ({@code …-ms}), or else is in milliseconds.
     */
    public OptionDeclaration<Duration> interval() {
      return new OptionDeclaration<>(key, ValueType.interval(unitOfKey()));
    }

    public OptionDeclaration<PortRange> portRange() {
      return new OptionDeclaration<>(key, ValueType.portRange());
    }

    public OptionDeclaration<List<String>> list() {
      return new OptionDeclaration<>(key, ValueType.list());
    }

    public OptionDeclaration<Map<String, String>> map() {
      return new OptionDeclaration<>(key, ValueType.map());
    }

    public <E extends Enum<E>> OptionDeclaration<E> oneOf(Class<E> constants) {
      return new OptionDeclaration<>(key, ValueType.oneOf(constants));
    }

    private String unitOfKey() {
      return key.toLowerCase(Locale.ROOT).endsWith("-sec") ? "s" : "ms";
    }
  }
}
