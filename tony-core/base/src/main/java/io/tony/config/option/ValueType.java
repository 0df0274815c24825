package io.tony.config.option;

import io.tony.model.PortRange;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Type of an option's value, which parses the text of a value.
 *
 * @param <T> type of the parsed value
 * @param name name of the type in the documentation: {@code int}, {@code size}, …
 * @param unit unit that applies to a number without one; empty if the type has no unit
 * @param expected completes the error message "expected …"
 * @param normalizer returns the value to use for a value as a source writes it; empty if the value
 *     counts as not set
 * @param parser parses a text
 */
record ValueType<T>(
    String name,
    String unit,
    String expected,
    Function<String, Optional<String>> normalizer,
    Parser<T> parser) {
  /** Parser of the text of a value. */
  interface Parser<T> {
    /**
     * Returns the value; null if the text is malformed.
     *
     * @throws ArithmeticException if the text is malformed
     * @throws IllegalArgumentException if the text is malformed; unless the exception is a {@link
     *     NumberFormatException}, its message begins with "expected"
     */
    @Nullable T parse(String text);
  }

  private static final Pattern SIZE = Pattern.compile("(\\d{1,15})\\s*(?:([mgt])(?:i?b)?)?");

  /** Maximum duration. Calculations of time could overflow with a longer one. */
  private static final Duration MAX_DURATION = Duration.ofDays(100 * 365);

  /** Maximum number of characters of a decimal number. */
  private static final int MAX_DIGITS = 100;

  private static final Pattern DURATION = Pattern.compile("(\\d{1,15})\\s*(ms|s|sec|m|min|h|d)?");

  private static final Pattern PORTS = Pattern.compile("(\\d{1,5})(?:\\s*-\\s*(\\d{1,5}))?");

  private ValueType(String name, String unit, String expected, Parser<T> parser) {
    this(name, unit, expected, Optional::of, parser);
  }

  /**
   * Parses the text of a value.
   *
   * @throws IllegalArgumentException if the text is malformed; the message begins with "expected"
   */
  T parse(String text) {
    T value;
    try {
      value = parser.parse(text);
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("expected " + expected, e);
    }
    if (value == null) {
      throw new IllegalArgumentException("expected " + expected);
    }
    return value;
  }

  /**
   * Returns the type of a text such as a command line, which is not stripped. A value that consists
   * only of blanks counts as not set.
   */
  static ValueType<String> string() {
    return new ValueType<>("text", "", "a text", ValueType::unlessBlank, text -> text);
  }

  /**
   * Returns the type of an environment variable's value: any text, not stripped. An empty value
   * counts as set.
   */
  static ValueType<String> variable() {
    return new ValueType<>("text", "", "a text", text -> text);
  }

  /**
   * Returns the type of the name of a file, a queue or the like, without surrounding blanks. A
   * value that consists only of blanks counts as not set.
   */
  static ValueType<String> nameText() {
    return new ValueType<>(
        "name", "", "a name", text -> unlessBlank(text).map(String::strip), text -> text);
  }

  private static Optional<String> unlessBlank(String text) {
    return Optional.of(text).filter(value -> !value.isBlank());
  }

  static ValueType<Integer> integer(int min) {
    return new ValueType<>(
        "int",
        "",
        "a whole number, at least " + min,
        text -> {
          int value = Integer.parseInt(text.strip());
          return value < min ? null : value;
        });
  }

  static ValueType<Long> longInteger(long min) {
    return new ValueType<>(
        "long",
        "",
        "a whole number, at least " + min,
        text -> {
          long value = Long.parseLong(text.strip());
          return value < min ? null : value;
        });
  }

  static ValueType<Double> decimal(double min) {
    return new ValueType<>(
        "double",
        "",
        "a number, at least " + min,
        text -> {
          // BigDecimal instead of parseDouble, which also accepts "NaN", "1f" and "0x1p3". The
          // length is limited, because BigDecimal is slow for a million digits, and accepts numbers
          // that would be infinite as a double.
          if (text.strip().length() > MAX_DIGITS) {
            return null;
          }
          double value = new BigDecimal(text.strip()).doubleValue();
          return value < min || Double.isInfinite(value) ? null : value;
        });
  }

  static ValueType<Boolean> bool() {
    return new ValueType<>(
        "boolean",
        "",
        "true or false",
        text ->
            switch (text.strip().toLowerCase(Locale.ROOT)) {
              case "true" -> Boolean.TRUE;
              case "false" -> Boolean.FALSE;
              default -> null;
            });
  }

  /**
   * Returns the type of a size in MiB, at least {@code min}. A number without a unit is in MiB, as
   * in LinkedIn's TonY.
   */
  static ValueType<Long> size(long min) {
    return new ValueType<>(
        "size",
        "MiB",
        "a size of at least "
            + min
            + " MiB, such as 2g or 512m (a number without a unit is in MiB)",
        text -> {
          Matcher matcher = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
          if (!matcher.matches()) {
            return null;
          }
          long mebibytes =
              Math.multiplyExact(
                  Long.parseLong(matcher.group(1)),
                  switch (Objects.requireNonNullElse(matcher.group(2), "m")) {
                    case "g" -> 1L << 10;
                    case "t" -> 1L << 20;
                    default -> 1L;
                  });
          return mebibytes < min ? null : mebibytes;
        });
  }

  /** Returns the type of a limit for a size in MiB; -1 means no limit. */
  static ValueType<Long> sizeLimit() {
    ValueType<Long> size = size(0);
    return new ValueType<>(
        size.name(),
        size.unit(),
        size.expected() + ", or -1 for no limit",
        text -> text.strip().equals("-1") ? Long.valueOf(-1) : size.parser().parse(text));
  }

  /**
   * Returns the type of a duration. The text {@code -1} is read as zero.
   *
   * @param unit unit that applies to a number without one
   * @param ofZero what zero means, for messages, such as {@code for no limit}
   */
  static ValueType<Duration> duration(String unit, String ofZero) {
    return new ValueType<>(
        "duration",
        unit,
        "a duration such as 30s, 5m or 2h (a number without a unit is in "
            + unit
            + "), or 0 "
            + ofZero,
        text -> text.strip().equals("-1") ? Duration.ZERO : parseDuration(text, unit));
  }

  /**
   * Returns the type of a duration greater than zero. {@code unit} applies to a number without a
   * unit.
   */
  static ValueType<Duration> interval(String unit) {
    return new ValueType<>(
        "duration",
        unit,
        "a duration above 0, such as 500ms or 30s (a number without a unit is in " + unit + ")",
        text -> {
          Duration value = parseDuration(text, unit);
          return value == null || value.isZero() ? null : value;
        });
  }

  private static @Nullable Duration parseDuration(String text, String defaultUnit) {
    Matcher matcher = DURATION.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      return null;
    }
    long number = Long.parseLong(matcher.group(1));
    Duration value = durationOf(number, Objects.requireNonNullElse(matcher.group(2), defaultUnit));
    if (value.compareTo(MAX_DURATION) > 0) {
      throw new IllegalArgumentException("expected at most a hundred years (36500d)");
    }
    return value;
  }

  private static Duration durationOf(long number, String unit) {
    return switch (unit) {
      case "ms" -> Duration.ofMillis(number);
      case "s", "sec" -> Duration.ofSeconds(number);
      case "m", "min" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      case "d" -> Duration.ofDays(number);
      default -> throw new IllegalStateException("unit " + unit);
    };
  }

  /**
   * Returns the type of a range of ports, written as its first and last port, or as a single port.
   */
  static ValueType<PortRange> portRange() {
    return new ValueType<>(
        "ports",
        "",
        "ports from 1024 to 65535 such as 30000-30100, the first not above the last",
        text -> {
          Matcher matcher = PORTS.matcher(text.strip());
          if (!matcher.matches()) {
            return null;
          }
          int first = Integer.parseInt(matcher.group(1));
          int last = matcher.group(2) == null ? first : Integer.parseInt(matcher.group(2));
          return PortRange.isValid(first, last) ? new PortRange(first, last) : null;
        });
  }

  /**
   * Returns the type of a list of texts separated by commas. Blanks around each text are removed,
   * and empty texts are left out.
   */
  static ValueType<List<String>> list() {
    return new ValueType<>("list", "", "a list separated by commas", ValueType::split);
  }

  /**
   * Returns the type of a list of entries {@code NAME=VALUE} separated by commas. The parsed map
   * has the order of the text. If a name occurs several times, its last value is used.
   */
  static ValueType<Map<String, String>> map() {
    return new ValueType<>(
        "map",
        "",
        "NAME=VALUE, separated by commas",
        text -> {
          Map<String, String> entries = new LinkedHashMap<>();
          String before = "";
          int number = 0;
          for (String entry : split(text)) {
            int equals = entry.indexOf('=');
            number++;
            if (equals < 1) {
              // The message must not show the entry, which may be the rest of a secret that
              // contains a comma.
              throw new IllegalArgumentException(
                  "entry "
                      + number
                      + before
                      + " is none; expected NAME=VALUE, separated by commas");
            }
            before = ", after " + entry.substring(0, equals).strip() + "=…,";
            entries.put(entry.substring(0, equals).strip(), entry.substring(equals + 1));
          }
          return Collections.unmodifiableMap(entries);
        });
  }

  /**
   * Returns the type of an enum's constants, each written as its {@code toString} returns it. Upper
   * and lower case are not distinguished.
   */
  static <E extends Enum<E>> ValueType<E> oneOf(Class<E> constants) {
    String names =
        Stream.of(constants.getEnumConstants()).map(E::toString).collect(Collectors.joining(", "));
    return new ValueType<>(
        "enum",
        names,
        "one of " + names,
        text ->
            Stream.of(constants.getEnumConstants())
                .filter(constant -> constant.toString().equalsIgnoreCase(text.strip()))
                .findFirst()
                .orElse(null));
  }

  private static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      String stripped = part.strip();
      if (!stripped.isEmpty()) {
        parts.add(stripped);
      }
    }
    return Collections.unmodifiableList(parts);
  }
}
