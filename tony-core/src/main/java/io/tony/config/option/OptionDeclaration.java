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

  /** Describes what applies if the option is not set; documented instead of the default. */
  public OptionDeclaration<T> whenUnset(String text) {
    this.whenUnset = text;
    return this;
  }

  /** Sets who usually sets the option; without this call, the flow's author. */
  public OptionDeclaration<T> setBy(SetBy owner) {
    this.setBy = owner;
    return this;
  }

  public OptionDeclaration<T> secret() {
    this.secret = true;
    return this;
  }

  /** Adds another name of the option. */
  public OptionDeclaration<T> alias(String name) {
    aliases.add(name);
    return this;
  }

  /**
   * Adds an outdated name of the option, which causes a warning that names the option's own key.
   */
  public OptionDeclaration<T> oldName(String name) {
    oldNames.add(name);
    return this;
  }

  /** Adds up the values of all sources, instead of letting them override each other. */
  public OptionDeclaration<T> addsUp() {
    this.multiValue = true;
    return this;
  }

  /** Sets the option's spellings in a {@code .job} file, in order of precedence. */
  public OptionDeclaration<T> inJob(String... spellings) {
    this.jobSpellings = List.of(spellings);
    return this;
  }

  /** Rejects jobs that set the option, because this version would not do what it says. */
  public OptionDeclaration<T> unsupported(String remedy) {
    this.support = Support.REFUSED;
    this.remark = remedy;
    return this;
  }

  /** Accepts the option with a warning that gives the reason why it has no effect. */
  public OptionDeclaration<T> withoutEffect(String reason) {
    this.support = Support.WITHOUT_EFFECT;
    this.remark = reason;
    return this;
  }

  /** Sets the meaning for the documentation, and ends the declaration. */
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

  /** The beginning of a declaration: a key without a type. */
  public static final class Key {
    private final String key;

    Key(String key) {
      this.key = Objects.requireNonNull(key, "key");
    }

    /** A text, taken exactly as written; blanks only count as not set. */
    public OptionDeclaration<String> string() {
      return new OptionDeclaration<>(key, ValueType.string());
    }

    /** A text, taken exactly as written, including an empty one. */
    public OptionDeclaration<String> variable() {
      return new OptionDeclaration<>(key, ValueType.variable());
    }

    /** A text that is stripped of surrounding blanks; blanks only count as not set. */
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

    /** A size of at least 1 MiB. */
    public OptionDeclaration<Long> size() {
      return size(1);
    }

    /** A size of at least {@code min} MiB. */
    public OptionDeclaration<Long> size(long min) {
      return new OptionDeclaration<>(key, ValueType.size(min));
    }

    /** A cap in MiB; -1 for none. */
    public OptionDeclaration<Long> sizeLimit() {
      return new OptionDeclaration<>(key, ValueType.sizeLimit());
    }

    /**
     * A time limit; zero for none. The unit of a bare number is the one that the key names, or
     * milliseconds.
     */
    public OptionDeclaration<Duration> duration() {
      return new OptionDeclaration<>(key, ValueType.duration(unitOfKey(), "for no limit"));
    }

    /**
     * A duration.
     *
     * @param unit unit of a bare number: {@code ms}, {@code s} or {@code d}
     * @param ofZero meaning of zero, such as {@code for no limit}
     */
    public OptionDeclaration<Duration> duration(String unit, String ofZero) {
      return new OptionDeclaration<>(key, ValueType.duration(unit, ofZero));
    }

    /**
     * A duration above zero. The unit of a bare number is the one that the key names, or
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
