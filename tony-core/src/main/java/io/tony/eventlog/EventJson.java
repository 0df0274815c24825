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
 * One event as one line of JSON: {@code v} (version of the format, 1), {@code time} (ISO 8601,
 * UTC), {@code type}, {@code session}, {@code task} (absent for the whole job) and {@code details},
 * an object of strings. Unknown fields are passed over by readers, and an event of an unknown type
 * or of a later version is {@link JobEvent.Type#UNKNOWN}.
 *
 * <p>A line with {@code "more":true} is followed by another line of the same decision; one without
 * is the last of its decision, or the only one. A line with {@code n} says which line of the job's
 * log it is, from 0: it and what follows it stand in the place of whatever an earlier file has from
 * there on.
 */
public final class EventJson {
  private static final int VERSION = 1;

  /** Characters of a line that is no event, which may be anything. */
  private static final int MAX_SHOWN_CHARS = 1_000;

  /** Objects and arrays in one another: the parser remembers each, and a line may hold millions. */
  private static final int MAX_DEPTH = 16;

  private static final Map<String, JobEvent.Type> TYPES =
      Arrays.stream(JobEvent.Type.values())
          .collect(Collectors.toUnmodifiableMap(Enum::name, type -> type));

  private static final String LINE_PREFIX = "{\"v\":" + VERSION + ",";

  /** Without databind, whose first use takes 0.2 s of a JVM's start. */
  private static final JsonFactory JSON = new JsonFactory();

  /** A line taken apart, into texts; one that is null is left out, a nested one is empty. */
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

  /** The event as a line, without its end. */
  public static String write(JobEvent event) {
    return write(event, false);
  }

  /** The same, and whether the next line is of the same decision. */
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
   * Reads what {@link #write} writes.
   *
   * @throws IOException when the line is not an event
   */
  public static JobEvent read(String line) throws IOException {
    try {
      Line json = parse(line);
      long version = json.number("v", 0);
      if (version < VERSION) {
        throw new IOException("it has no version");
      }
      if (version > VERSION) {
        // Nothing is known of its fields.
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

  /** The line with its number in the job's log. */
  static String withNumber(String line, long number) {
    if (!line.startsWith(LINE_PREFIX)) {
      throw new IllegalArgumentException("not written by this program: " + line);
    }
    return LINE_PREFIX + "\"n\":" + number + "," + line.substring(LINE_PREFIX.length());
  }

  /** The number that a line tells of itself; -1 where it tells none, or is no event. */
  static long numberOf(String line) {
    return line.contains("\"n\"") ? parseOrEmpty(line).number("n", -1) : -1;
  }

  /** True when a line of the same decision is to follow. What is no event has none to follow. */
  static boolean hasMore(String line) {
    // Long logs are read whole: most lines are not worth a look inside.
    return line.contains("\"more\"") && parseOrEmpty(line).text("more").equals("true");
  }

  /** Empty where it is no event. */
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
