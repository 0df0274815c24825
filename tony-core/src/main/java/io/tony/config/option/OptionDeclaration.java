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

/** Builder of a {@link ConfigOption}. */
public final class OptionDeclaration<T> {
  private final String key;
  private final ValueType<T> type;
  private final List<String> aliases = new ArrayList<>();
  private final List<String> oldNames = new ArrayList<>();
  private String defaultText;
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
   * Describes what applies if the option is not set. The documentation shows this text instead of
   * the default.
   */
  public OptionDeclaration<T> whenUnset(String text) {
    this.whenUnset = text;
    return this;
  }

  /** Sets who usually sets the option. Without this call, it is the flow's author. */
  public OptionDeclaration<T> setBy(SetBy owner) {
    this.setBy = owner;
    return this;
  }

  public OptionDeclaration<T> secret() {
    this.secret = true;
    return this;
  }

  /** Adds another name of the option, which is valid without a warning. */
  public OptionDeclaration<T> alias(String name) {
    aliases.add(name);
    return this;
  }

  /**
   * Adds an outdated name of the option. It is valid, but causes a warning that names the option's
   * own key.
   */
  public OptionDeclaration<T> oldName(String name) {
    oldNames.add(name);
    return this;
  }

  /** Lets the values of all sources add up, instead of replacing each other. */
  public OptionDeclaration<T> addsUp() {
    this.multiValue = true;
    return this;
  }

  /** Sets the option's short keys in a {@code .job} file, in descending precedence. */
  public OptionDeclaration<T> inJob(String... spellings) {
    this.jobSpellings = List.of(spellings);
    return this;
  }

  /**
   * Lets jobs be rejected that set the option to anything but its default, because this version
   * does not support it.
   *
   * @param remedy what to use instead
   */
  public OptionDeclaration<T> unsupported(String remedy) {
    this.support = Support.REFUSED;
    this.remark = remedy;
    return this;
  }

  /**
   * Lets the option be accepted with a warning, because it has no effect.
   *
   * @param reason why the option has no effect
   */
  public OptionDeclaration<T> withoutEffect(String reason) {
    this.support = Support.WITHOUT_EFFECT;
    this.remark = reason;
    return this;
  }

  /** Sets the option's meaning for the documentation, and returns the declared option. */
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

  /** A declaration that has a key, but no type yet. */
  public static final class Key {
    private final String key;

    Key(String key) {
      this.key = Objects.requireNonNull(key, "key");
    }

    /** A text, not stripped. A value that consists only of blanks counts as not set. */
    public OptionDeclaration<String> string() {
      return new OptionDeclaration<>(key, ValueType.string());
    }

    /** A text, not stripped. An empty value is allowed, and counts as set. */
    public OptionDeclaration<String> variable() {
      return new OptionDeclaration<>(key, ValueType.variable());
    }

    /**
     * A text without surrounding blanks. A value that consists only of blanks counts as not set.
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

    /** A size in MiB, at least 1. */
    public OptionDeclaration<Long> size() {
      return size(1);
    }

    /** A size in MiB, at least {@code min}. */
    public OptionDeclaration<Long> size(long min) {
      return new OptionDeclaration<>(key, ValueType.size(min));
    }

    /** A limit of a size in MiB; -1 for no limit. */
    public OptionDeclaration<Long> sizeLimit() {
      return new OptionDeclaration<>(key, ValueType.sizeLimit());
    }

    /**
     * A time limit; zero means no limit. A number without a unit has the unit that ends the key, or
     * else milliseconds.
     */
    public OptionDeclaration<Duration> duration() {
      return new OptionDeclaration<>(key, ValueType.duration(unitOfKey(), "for no limit"));
    }

    /**
     * A duration.
     *
     * @param unit unit of a number without a unit: {@code ms}, {@code s} or {@code d}
     * @param ofZero meaning of zero, for messages, such as {@code for no limit}
     */
    public OptionDeclaration<Duration> duration(String unit, String ofZero) {
      return new OptionDeclaration<>(key, ValueType.duration(unit, ofZero));
    }

    /**
     * A duration greater than zero. A number without a unit has the unit that ends the key, or else
     * milliseconds.
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
