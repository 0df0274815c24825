package io.tony.event;

import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The named values of a fact, in the order in which they are written to the event log. The methods
 * that read a value throw an {@link IllegalArgumentException} if the value is malformed, or if it
 * is missing and not optional. The message of the exception names the event and the value.
 */
public final class Details {
  private static final String OUTPUT_PREFIX = "output.";

  private final String eventName;
  private final @Nullable TaskId task;
  private final Map<String, String> entries;

  private Details(String eventName, @Nullable TaskId task, Map<String, String> entries) {
    this.eventName = eventName;
    this.task = task;
    this.entries = entries;
  }

  /** Returns an empty instance, to which values are added. */
  static Details empty() {
    return new Details("", null, new LinkedHashMap<>());
  }

  /** Returns the values of {@code event}, to be read. */
  static Details of(JobEvent event) {
    String eventName = event.type() + (event.task() == null ? "" : " of " + event.task());
    return new Details(eventName, event.task(), event.details());
  }

  // ---- Writing ----

  Details with(String name, Object value) {
    entries.put(name, String.valueOf(value));
    return this;
  }

  /** Adds the name of an enum constant in lower case. */
  Details withLowerCase(String name, Enum<?> value) {
    return with(name, value.name().toLowerCase(Locale.ROOT));
  }

  /** Adds a value; does nothing if the value is null or its text is empty. */
  Details withNonEmpty(String name, @Nullable Object value) {
    return value == null || value.toString().isEmpty() ? this : with(name, value);
  }

  Details withOutputs(Map<String, String> outputs) {
    return withPrefixed(OUTPUT_PREFIX, outputs);
  }

  /** Adds each entry of {@code values}; its name is {@code prefix} followed by the entry's key. */
  Details withPrefixed(String prefix, Map<String, String> values) {
    values.forEach((key, value) -> entries.put(prefix + key, value));
    return this;
  }

  Details withAll(Map<String, String> values) {
    entries.putAll(values);
    return this;
  }

  Map<String, String> entries() {
    return entries;
  }

  // ---- Reading ----

  TaskId task() {
    if (task == null) {
      throw new IllegalArgumentException(eventName + " names no task");
    }
    return task;
  }

  String text(String name) {
    String value = entries.get(name);
    if (value == null) {
      throw new IllegalArgumentException(eventName + " lacks '" + name + "'");
    }
    return value;
  }

  /** Returns a text; empty if the value is missing. */
  String optionalText(String name) {
    return entries.getOrDefault(name, "");
  }

  int number(String name) {
    return read(name, "a number", Integer::valueOf);
  }

  long longNumber(String name) {
    return read(name, "a number", Long::valueOf);
  }

  /** Returns an integer; null if the value is missing. */
  @Nullable Integer optionalNumber(String name) {
    return entries.containsKey(name) ? Integer.valueOf(number(name)) : null;
  }

  /** Returns a long integer; null if the value is missing. */
  @Nullable Long optionalLong(String name) {
    return entries.containsKey(name) ? Long.valueOf(longNumber(name)) : null;
  }

  /** Reads an instant in ISO 8601 format; returns null if the value is missing. */
  @Nullable Instant optionalTime(String name) {
    return entries.containsKey(name) ? time(name) : null;
  }

  /** Reads an instant in ISO 8601 format. */
  Instant time(String name) {
    return read(name, "a time", Details::instant);
  }

  private static Instant instant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(e);
    }
  }

  boolean flag(String name) {
    return read(
        name,
        "true or false",
        text -> {
          if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException(text);
          }
          return text.equals("true");
        });
  }

  /** Reads the name of an enum constant that is written as in its declaration. */
  <E extends Enum<E>> E constant(String name, Class<E> type) {
    return read(name, "one of " + Arrays.toString(type.getEnumConstants()), constantOf(type));
  }

  FailureKind failureKind(String name) {
    return read(name, "one of " + Arrays.toString(FailureKind.values()), FailureKind::of);
  }

  /** Reads the name of an enum constant that is written in lower case. */
  <E extends Enum<E>> E lowerCaseConstant(String name, Class<E> type) {
    return read(
        name,
        "one of " + Arrays.toString(type.getEnumConstants()).toLowerCase(Locale.ROOT),
        text -> constantOf(type).apply(text.toUpperCase(Locale.ROOT)));
  }

  private static <E extends Enum<E>> Function<String, E> constantOf(Class<E> type) {
    return text -> Enum.valueOf(type, text);
  }

  /** Reads a comma-separated list of names; returns an empty list for an empty text. */
  List<String> names(String name) {
    String text = text(name);
    return text.isEmpty() ? List.of() : List.of(text.split(","));
  }

  <T> T read(String name, String expected, Function<String, T> reader) {
    String text = text(name);
    try {
      return reader.apply(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          eventName + " has " + name + "=" + text + ", which is not " + expected, e);
    }
  }

  Map<String, String> outputs() {
    return prefixed(OUTPUT_PREFIX);
  }

  /**
   * Returns the values that {@link #withPrefixed} added with {@code prefix}, without the prefix in
   * their names.
   */
  Map<String, String> prefixed(String prefix) {
    Map<String, String> values = new LinkedHashMap<>();
    entries.forEach(
        (name, value) -> {
          if (name.startsWith(prefix)) {
            values.put(name.substring(prefix.length()), value);
          }
        });
    return values;
  }
}
