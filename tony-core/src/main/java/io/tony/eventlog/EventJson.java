package io.tony.eventlog;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

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
  private static final String BEGIN = "{\"v\":" + VERSION + ",";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private EventJson() {}

  /** The event as a line, without its end. */
  public static String write(JobEvent event) {
    return write(event, false);
  }

  /** The same, and whether the next line is of the same decision. */
  public static String write(JobEvent event, boolean more) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = MAPPER.getFactory().createGenerator(text)) {
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
    JsonNode json = MAPPER.readTree(line);
    int version = json == null ? 0 : json.path("v").asInt();
    if (version < VERSION) {
      throw new IOException("not an event: " + line);
    }
    if (version > VERSION) {
      // Nothing is known of its fields.
      return new JobEvent(Instant.EPOCH, JobEvent.Type.UNKNOWN, 0, null, Map.of());
    }
    Map<String, String> details = new LinkedHashMap<>();
    json.path("details")
        .fields()
        .forEachRemaining(d -> details.put(d.getKey(), d.getValue().asText()));
    try {
      return new JobEvent(
          Instant.parse(json.path("time").asText()),
          type(json.path("type").asText()),
          json.path("session").asInt(),
          json.hasNonNull("task") ? TaskId.parse(json.get("task").asText()) : null,
          details);
    } catch (RuntimeException e) {
      throw new IOException("not an event: " + line, e);
    }
  }

  /** The line with its number in the job's log. */
  static String numbered(String line, long number) {
    if (!line.startsWith(BEGIN)) {
      throw new IllegalArgumentException("not written by this program: " + line);
    }
    return BEGIN + "\"n\":" + number + "," + line.substring(BEGIN.length());
  }

  /** The number that a line tells of itself; -1 where it tells none, or is no event. */
  static long number(String line) {
    return line.contains("\"n\"") ? field(line, "n").asLong(-1) : -1;
  }

  /** True when a line of the same decision is to follow. What is no event has none to follow. */
  static boolean hasMore(String line) {
    // Long logs are read whole: most lines are not worth a look inside.
    return line.contains("\"more\"") && field(line, "more").asBoolean();
  }

  private static JsonNode field(String line, String name) {
    try {
      return MAPPER.readTree(line).path(name);
    } catch (IOException e) {
      return MissingNode.getInstance();
    }
  }

  private static JobEvent.Type type(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("it has no type");
    }
    return Arrays.stream(JobEvent.Type.values())
        .filter(type -> type.name().equals(name))
        .findAny()
        .orElse(JobEvent.Type.UNKNOWN);
  }
}
