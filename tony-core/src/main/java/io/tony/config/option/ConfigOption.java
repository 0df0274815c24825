package io.tony.config.option;

import io.tony.model.PortRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * One option: its key, the type and unit of its value, its default, what it means, and whether its
 * value is a secret. Options are declared as constants of the {@code …Options} classes and found
 * through {@link io.tony.config.declared.Registry}; {@code docs/configuration.md} is generated from
 * them. Immutable.
 *
 * @param <T> type of the value: a size is a Long in MiB, a duration a {@link java.time.Duration}
 */
public final class ConfigOption<T> {
  /** What this version does with an option that is set. */
  public enum Support {
    /** It works as documented. */
    FULL,
    /** A job that sets it to anything but its default is refused. */
    REFUSED,
    /** It is accepted with a warning: the job runs the same without it. */
    WITHOUT_EFFECT
  }

  private final String key;
  private final ValueType<T> type;
  private final String defaultText;
  private final T defaultValue;
  private final String doc;
  private final boolean secret;
  private final List<String> aliases;
  private final boolean multiValue;
  private final Support support;
  private final String remark;
  private final String jobSpelling;

  private ConfigOption(String key, Builder<T> builder, String doc) {
    this.key = key;
    this.type = builder.type;
    this.defaultText = builder.defaultText;
    this.defaultValue = defaultText == null ? null : type.parse(defaultText);
    this.doc = doc;
    this.secret = builder.secret;
    this.aliases = List.copyOf(builder.aliases);
    this.multiValue = builder.multiValue;
    this.support = builder.support;
    this.remark = builder.remark;
    this.jobSpelling = builder.jobSpelling;
  }

  private ConfigOption(String key, ConfigOption<T> template) {
    this.key = key;
    this.type = template.type;
    this.defaultText = template.defaultText;
    this.defaultValue = template.defaultValue;
    this.doc = template.doc;
    this.secret = template.secret;
    this.aliases = List.of();
    this.multiValue = template.multiValue;
    this.support = template.support;
    this.remark = template.remark;
    this.jobSpelling = template.jobSpelling;
  }

  /** Starts the declaration of an option; {@link Builder#doc} ends it. */
  public static Untyped key(String key) {
    return new Untyped(key);
  }

  /** The same option under another key: how a pattern becomes the option of one role. */
  public ConfigOption<T> withKey(String concrete) {
    return new ConfigOption<>(concrete, this);
  }

  public String key() {
    return key;
  }

  /** What the documentation calls the type: string, int, size, duration, list, map, enum, … */
  public String type() {
    return type.name();
  }

  /** Unit of a number without one, or the allowed words of an enum; empty when there is neither. */
  public String unit() {
    return type.unit();
  }

  /** Null when the option has no default. */
  public T defaultValue() {
    return defaultValue;
  }

  /** The default as a user would write it; null when the option has none. */
  public String defaultText() {
    return defaultText;
  }

  public String doc() {
    return doc;
  }

  /** True when the value must never be shown. */
  public boolean secret() {
    return secret;
  }

  /** Deprecated names that mean the same. */
  public List<String> aliases() {
    return aliases;
  }

  /** True when the values of all layers add up instead of overriding each other. */
  public boolean multiValue() {
    return multiValue;
  }

  public Support support() {
    return support;
  }

  /** Why it is refused or without effect, and what to do instead; empty when supported. */
  public String remark() {
    return remark;
  }

  /** How a {@code .job} file spells it; empty when it uses the key itself. */
  public String jobSpelling() {
    return jobSpelling;
  }

  /** Reads a value; throws IllegalArgumentException ("expected …") for a malformed one. */
  public T parse(String text) {
    return type.parse(text);
  }

  @Override
  public String toString() {
    return key;
  }

  /** An option whose type is still to be said. */
  public static final class Untyped {
    private final String key;

    private Untyped(String key) {
      this.key = Objects.requireNonNull(key, "key");
    }

    /** Any text, taken exactly as written. */
    public Builder<String> string() {
      return new Builder<>(key, ValueType.string());
    }

    public Builder<Integer> integer(int least) {
      return new Builder<>(key, ValueType.integer(least));
    }

    public Builder<Long> longInteger(long least) {
      return new Builder<>(key, ValueType.longInteger(least));
    }

    public Builder<Double> decimal(double least) {
      return new Builder<>(key, ValueType.decimal(least));
    }

    public Builder<Boolean> bool() {
      return new Builder<>(key, ValueType.bool());
    }

    /** In MiB. */
    public Builder<Long> size() {
      return size(1);
    }

    /** In MiB, as is the least value. */
    public Builder<Long> size(long least) {
      return new Builder<>(key, ValueType.size(least));
    }

    /** A cap in MiB, -1 for none. */
    public Builder<Long> sizeLimit() {
      return new Builder<>(key, ValueType.sizeLimit());
    }

    /**
     * A limit of time, zero for none; a number without a unit is in the unit that the key names.
     */
    public Builder<Duration> duration() {
      return new Builder<>(key, ValueType.duration(unitOfKey(), "for no limit"));
    }

    /**
     * A length of time.
     *
     * @param unit which the key does not tell: {@code ms}, {@code s} or {@code d}
     * @param ofZero what zero means, such as {@code for no limit}
     */
    public Builder<Duration> duration(String unit, String ofZero) {
      return new Builder<>(key, ValueType.duration(unit, ofZero));
    }

    /** A length of time above zero. */
    public Builder<Duration> interval() {
      return new Builder<>(key, ValueType.interval(unitOfKey()));
    }

    public Builder<PortRange> portRange() {
      return new Builder<>(key, ValueType.portRange());
    }

    public Builder<List<String>> list() {
      return new Builder<>(key, ValueType.list());
    }

    public Builder<Map<String, String>> map() {
      return new Builder<>(key, ValueType.map());
    }

    public <E extends Enum<E>> Builder<E> oneOf(Class<E> constants) {
      return new Builder<>(key, ValueType.oneOf(constants));
    }

    private String unitOfKey() {
      return key.toLowerCase(Locale.ROOT).endsWith("-sec") ? "s" : "ms";
    }
  }

  /** An option on its way to be declared. */
  public static final class Builder<T> {
    private final String key;
    private final ValueType<T> type;
    private final List<String> aliases = new ArrayList<>();
    private String defaultText;
    private boolean secret;
    private boolean multiValue;
    private Support support = Support.FULL;
    private String remark = "";
    private String jobSpelling = "";

    private Builder(String key, ValueType<T> type) {
      this.key = key;
      this.type = type;
    }

    public Builder<T> defaultTo(String text) {
      this.defaultText = text;
      return this;
    }

    public Builder<T> secret() {
      this.secret = true;
      return this;
    }

    /** Adds a deprecated name. */
    public Builder<T> alias(String deprecated) {
      aliases.add(deprecated);
      return this;
    }

    /** Lets the values of all layers add up. */
    public Builder<T> addsUp() {
      this.multiValue = true;
      return this;
    }

    /** How a {@code .job} file spells it. */
    public Builder<T> inJob(String spelling) {
      this.jobSpelling = spelling;
      return this;
    }

    /** Refuses jobs that need it, because this version would run them wrongly. */
    public Builder<T> notYet(String remedy) {
      this.support = Support.REFUSED;
      this.remark = remedy;
      return this;
    }

    /** Accepts it with a warning that says why nothing follows from it. */
    public Builder<T> withoutEffect(String why) {
      this.support = Support.WITHOUT_EFFECT;
      this.remark = why;
      return this;
    }

    /** Says what the option means and ends its declaration. */
    public ConfigOption<T> doc(String text) {
      return new ConfigOption<>(key, this, text);
    }
  }
}
