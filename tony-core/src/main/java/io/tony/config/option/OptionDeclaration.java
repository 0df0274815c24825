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

/** An option on its way to be declared. */
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

  /** Says what holds where it is not set and has no default of its own. */
  public OptionDeclaration<T> whenUnset(String text) {
    this.whenUnset = text;
    return this;
  }

  /** Names who sets it where that is not the flow's author. */
  public OptionDeclaration<T> setBy(SetBy owner) {
    this.setBy = owner;
    return this;
  }

  public OptionDeclaration<T> secret() {
    this.secret = true;
    return this;
  }

  /** Adds a name that means the same. */
  public OptionDeclaration<T> alias(String name) {
    aliases.add(name);
    return this;
  }

  /** Adds a name that means the same, with a warning that tells the new one. */
  public OptionDeclaration<T> oldName(String name) {
    oldNames.add(name);
    return this;
  }

  /** Lets the values of all layers add up. */
  public OptionDeclaration<T> addsUp() {
    this.multiValue = true;
    return this;
  }

  /** How a {@code .job} file spells it, the spelling that counts first. */
  public OptionDeclaration<T> inJob(String... spellings) {
    this.jobSpellings = List.of(spellings);
    return this;
  }

  /** Refuses jobs that need it, because this version would run them wrongly. */
  public OptionDeclaration<T> unsupported(String remedy) {
    this.support = Support.REFUSED;
    this.remark = remedy;
    return this;
  }

  /** Accepts it with a warning that says why nothing follows from it. */
  public OptionDeclaration<T> withoutEffect(String reason) {
    this.support = Support.WITHOUT_EFFECT;
    this.remark = reason;
    return this;
  }

  /** Says what the option means and ends its declaration. */
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

  /** An option whose type is still to be said. */
  public static final class Key {
    private final String key;

    Key(String key) {
      this.key = Objects.requireNonNull(key, "key");
    }

    /** A text, taken exactly as written; one of blanks is as none. */
    public OptionDeclaration<String> string() {
      return new OptionDeclaration<>(key, ValueType.string());
    }

    /** A text, taken exactly as written, also an empty one. */
    public OptionDeclaration<String> variable() {
      return new OptionDeclaration<>(key, ValueType.variable());
    }

    /** A text without the blanks around it; one of blanks is as none. */
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

    /** In MiB. */
    public OptionDeclaration<Long> size() {
      return size(1);
    }

    /** In MiB, as is the least value. */
    public OptionDeclaration<Long> size(long min) {
      return new OptionDeclaration<>(key, ValueType.size(min));
    }

    /** A cap in MiB, -1 for none. */
    public OptionDeclaration<Long> sizeLimit() {
      return new OptionDeclaration<>(key, ValueType.sizeLimit());
    }

    /**
     * A limit of time, zero for none; a number without a unit is in the unit that the key names.
     */
    public OptionDeclaration<Duration> duration() {
      return new OptionDeclaration<>(key, ValueType.duration(unitOfKey(), "for no limit"));
    }

    /**
     * A length of time.
     *
     * @param unit which the key does not tell: {@code ms}, {@code s} or {@code d}
     * @param ofZero what zero means, such as {@code for no limit}
     */
    public OptionDeclaration<Duration> duration(String unit, String ofZero) {
      return new OptionDeclaration<>(key, ValueType.duration(unit, ofZero));
    }

    /** A length of time above zero. */
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
