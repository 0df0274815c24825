package io.tony.eventlog;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
 * is {@link JobEvent.Type#UNKNOWN}.
 */
public final class EventJson {
  private static final int VERSION = 1;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private EventJson() {}

  /** The event as a line, without its end. */
  public static String write(JobEvent event) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = MAPPER.getFactory().createGenerator(text)) {
      json.writeStartObject();
      json.writeNumberField("v", VERSION);
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
   * @throws IOException when the line is not an event of this version
   */
  public static JobEvent read(String line) throws IOException {
    JsonNode json = MAPPER.readTree(line);
    if (json == null || json.path("v").asInt() != VERSION) {
      throw new IOException("not an event of version " + VERSION + ": " + line);
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
