package io.tony.eventlog;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import io.tony.text.Strings;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Converts one event to and from one line of JSON with the fields {@code v} (version of the format,
 * 1), {@code time} (ISO 8601, UTC), {@code type}, {@code session}, {@code task} (absent if the
 * event is about the whole job) and {@code details}, an object of strings. Unknown fields are
 * ignored when reading; an event of an unknown type or of a later version is read as {@link
 * JobEvent.Type#UNKNOWN}.
 *
 * <p>A line with {@code "more":true} is followed by another line of the same decision; a line
 * without this field is the last of its decision. The field {@code n} is the number of the line in
 * the log of the job, from 0. If a file contains a line with {@code n}, this line and the following
 * lines of the file replace all lines of earlier files from this number on.
 */
public final class EventJson {
  private static final int VERSION = 1;

  /** Maximum number of characters of a malformed line that an error message shows. */
  private static final int MAX_SHOWN_CHARS = 1_000;

  /**
   * Maximum nesting depth of objects and arrays. The parser takes memory for each level, and a
   * malformed line may contain millions of levels.
   */
  private static final int MAX_DEPTH = 16;

  private static final Map<String, JobEvent.Type> TYPES =
      Arrays.stream(JobEvent.Type.values())
          .collect(Collectors.toUnmodifiableMap(Enum::name, type -> type));

  private static final String LINE_PREFIX = "{\"v\":" + VERSION + ",";

  /** Jackson's streaming parser; its databind module would add 0.2 s to the start of the JVM. */
  private static final JsonFactory JSON = new JsonFactory();

  /**
   * A parsed line: top-level fields and details. Null values are left out; nested objects and
   * arrays become empty texts.
   */
  private record Line(Map<String, String> fields, Map<String, String> details) {
    String text(String name) {
      return fields.getOrDefault(name, "");
    }

    long number(String name, long defaultValue) {
      try {
        return Long.parseLong(text(name));
      } catch (NumberFormatException e) {
        return defaultValue;
      }
    }
  }

  private EventJson() {}

  /** Returns {@code event} as a line, without a line end. */
  public static String write(JobEvent event) {
    return write(event, false);
  }

  /**
   * Like {@link #write(JobEvent)}. {@code more} is true if the next line belongs to the same
   * decision.
   */
  public static String write(JobEvent event, boolean more) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeNumberField("v", VERSION);
      if (more) {
        json.writeBooleanField("more", true);
      }
      json.writeStringField("time", event.time().toString());
      json.writeStringField("type", event.type().name());
      json.writeNumberField("session", event.session());
      if (event.task() != null) {
        json.writeStringField("task", event.task().toString());
      }
      json.writeObjectFieldStart("details");
      for (Map.Entry<String, String> detail : event.details().entrySet()) {
        json.writeStringField(detail.getKey(), detail.getValue());
      }
      json.writeEndObject();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("a string refused to be written to", e);
    }
    return text.toString();
  }

  /**
   * Parses a line written by {@link #write}.
   *
   * @throws IOException if the line is not an event
   */
  public static JobEvent read(String line) throws IOException {
    try {
      Line json = parse(line);
      long version = json.number("v", 0);
      if (version < VERSION) {
        throw new IOException("it has no version");
      }
      if (version > VERSION) {
        // The line is of a later version of the format, whose fields are unknown.
        return new JobEvent(Instant.EPOCH, JobEvent.Type.UNKNOWN, 0, null, Map.of());
      }
      return new JobEvent(
          UtcTime.parse(json.text("time")),
          type(json.text("type")),
          (int) json.number("session", 0),
          json.fields().containsKey("task") ? TaskId.parse(json.text("task")) : null,
          json.details());
    } catch (IOException | RuntimeException e) {
      String shown =
          line.length() <= MAX_SHOWN_CHARS ? line : Strings.truncate(line, MAX_SHOWN_CHARS) + "…";
      throw new IOException("not an event: " + shown, e);
    }
  }

  private static Line parse(String line) throws IOException {
    Map<String, String> fields = new HashMap<>();
    Map<String, String> details = new LinkedHashMap<>();
    try (JsonParser json = JSON.createParser(line)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("it is no JSON object");
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.getCurrentName();
        if (json.nextToken() == JsonToken.START_OBJECT && name.equals("details")) {
          readTexts(json, details);
        } else {
          readText(json, name, fields);
        }
      }
      if (json.nextToken() != null) {
        throw new IOException("something follows the JSON object");
      }
    }
    return new Line(fields, details);
  }

  private static void readTexts(JsonParser json, Map<String, String> values) throws IOException {
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.getCurrentName();
      json.nextToken();
      readText(json, name, values);
    }
  }

  private static void readText(JsonParser json, String name, Map<String, String> values)
      throws IOException {
    JsonToken token = json.currentToken();
    if (token != JsonToken.VALUE_NULL) {
      values.put(name, token.isScalarValue() ? json.getText() : "");
    }
    skipChildren(json);
  }

  private static void skipChildren(JsonParser json) throws IOException {
    int depth = json.currentToken().isStructStart() ? 1 : 0;
    while (depth > 0) {
      JsonToken token = json.nextToken();
      if (token == null) {
        throw new IOException("it ends in the midst of it");
      }
      depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
      if (depth > MAX_DEPTH) {
        throw new IOException("it is nested too deeply");
      }
    }
  }

  /** Returns {@code line} with the field {@code n} added, whose value is {@code number}. */
  static String withNumber(String line, long number) {
    if (!line.startsWith(LINE_PREFIX)) {
      throw new IllegalArgumentException("not written by this program: " + line);
    }
    return LINE_PREFIX + "\"n\":" + number + "," + line.substring(LINE_PREFIX.length());
  }

  /**
   * Returns the value of the line's field {@code n}; -1 if it is missing or the line is not an
   * event.
   */
  static long numberOf(String line) {
    return line.contains("\"n\"") ? parseOrEmpty(line).number("n", -1) : -1;
  }

  /**
   * Returns true if the next line belongs to the same decision; false for a line that is not an
   * event.
   */
  static boolean hasMore(String line) {
    // This method is called for every line of a log; the text search avoids parsing most of them.
    return line.contains("\"more\"") && parseOrEmpty(line).text("more").equals("true");
  }

  /** Parses {@code line}; returns a line without fields and details if it is not an event. */
  private static Line parseOrEmpty(String line) {
    try {
      return parse(line);
    } catch (IOException e) {
      return new Line(Map.of(), Map.of());
    }
  }

  private static JobEvent.Type type(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("it has no type");
    }
    return TYPES.getOrDefault(name, JobEvent.Type.UNKNOWN);
  }
}
