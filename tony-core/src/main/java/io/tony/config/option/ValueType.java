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

/**
 * How the text of a value is read.
 *
 * @param name what the documentation calls it: {@code int}, {@code size}, …
 * @param unit of a number without one; empty when it has none
 * @param expected completes "expected …" in an error
 * @param normalizer what a value as written gives; empty for one that is as none
 * @param reader returns null for a text that is not such a value
 */
record ValueType<T>(
    String name,
    String unit,
    String expected,
    Function<String, Optional<String>> normalizer,
    Function<String, T> reader) {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,15})\\s*(?:([mgt])(?:i?b)?)?");

  /** Beyond it no clock of a program counts. */
  private static final Duration MAX_DURATION = Duration.ofDays(100 * 365);

  /** Of a number with a fraction. */
  private static final int MAX_DIGITS = 100;

  private static final Pattern DURATION = Pattern.compile("(\\d{1,15})\\s*(ms|s|sec|m|min|h|d)?");

  private static final Pattern PORTS = Pattern.compile("(\\d{1,5})(?:\\s*-\\s*(\\d{1,5}))?");

  private ValueType(String name, String unit, String expected, Function<String, T> reader) {
    this(name, unit, expected, Optional::of, reader);
  }

  /** Reads a value, or throws an IllegalArgumentException that says what was expected. */
  T parse(String text) {
    T value;
    try {
      value = reader.apply(text);
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("expected " + expected, e);
    }
    if (value == null) {
      throw new IllegalArgumentException("expected " + expected);
    }
    return value;
  }

  /** A command line, say: blanks at its ends are its own, but blanks alone are none. */
  static ValueType<String> string() {
    return new ValueType<>("text", "", "a text", ValueType::unlessBlank, Function.identity());
  }

  /** A variable's value: any text, also an empty one. */
  static ValueType<String> variable() {
    return new ValueType<>("text", "", "a text", Function.identity());
  }

  /** The name of a file, a queue or the like, without the blanks around it. */
  static ValueType<String> nameText() {
    return new ValueType<>(
        "name", "", "a name", text -> unlessBlank(text).map(String::strip), Function.identity());
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
          // BigDecimal, because parseDouble would take "NaN", "1f" and "0x1p3". It takes long to
          // read a million digits, and reads numbers that are infinite here.
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

  /** Memory in MiB, at least {@code least}; a bare number is in MiB, as TonY reads it. */
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

  /** A cap on memory in MiB; -1 for none. */
  static ValueType<Long> sizeLimit() {
    ValueType<Long> size = size(0);
    return new ValueType<>(
        size.name(),
        size.unit(),
        size.expected() + ", or -1 for no limit",
        text -> text.strip().equals("-1") ? Long.valueOf(-1) : size.reader().apply(text));
  }

  /**
   * A length of time, such as a limit; -1 is read as zero.
   *
   * @param ofZero what zero means, such as {@code for no limit}
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

  /** A length of time that cannot be zero. */
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

  private static Duration parseDuration(String text, String defaultUnit) {
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

  /** First and last port, or one alone. */
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

  /** Parts between commas, without the blanks around them; empty parts are left out. */
  static ValueType<List<String>> list() {
    return new ValueType<>("list", "", "a list separated by commas", ValueType::split);
  }

  /**
   * {@code NAME=VALUE} between commas, in the order written; of equal names the last one counts.
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
              // Not quoted: it may be the rest of a secret that holds a comma.
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

  /** A constant of an enum in any case, as its {@code toString} writes it. */
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
