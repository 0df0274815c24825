package io.tony.history;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tony.event.JobDescription;
import io.tony.model.FailureKind;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Converts a summary to and from one JSON object, as described in {@code docs/history.md}; used for
 * the web API and for the file of the index. Unknown values are left out. Unknown fields are
 * ignored when reading.
 */
public final class SummaryJson {
  private static final JsonFactory JSON = new JsonFactory();

  /**
   * Last printable ASCII character. All later characters are escaped, because the JSON is printed
   * to terminals.
   */
  private static final int MAX_PLAIN_CHAR = '~';

  /** Writes the fields of an object. */
  @FunctionalInterface
  public interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  /**
   * A parsed JSON object: {@code texts} contains its simple values as texts, {@code maps} its
   * nested objects as maps of numbers.
   */
  record ParsedObject(Map<String, String> texts, Map<String, Map<String, Double>> maps) {
    String text(String name) {
      return texts.getOrDefault(name, "");
    }

    @Nullable Long number(String name) {
      return texts.containsKey(name) ? Long.valueOf(text(name)) : null;
    }

    /**
     * Returns a number.
     *
     * @throws IllegalArgumentException if the object does not contain it
     */
    long requiredNumber(String name) {
      Long number = number(name);
      if (number == null) {
        throw new IllegalArgumentException("the object has no " + name);
      }
      return number;
    }

    @Nullable Instant time(String name) {
      return texts.containsKey(name) ? Instant.parse(text(name)) : null;
    }

    Map<String, Double> map(String name) {
      return maps.getOrDefault(name, Map.of());
    }
  }

  private SummaryJson() {}

  /** Returns the JSON object whose fields {@code fields} writes, as one line without a line end. */
  public static String object(Fields fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.setHighestNonEscapedChar(MAX_PLAIN_CHAR);
      json.writeStartObject();
      fields.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("a string refused to be written to", e);
    }
    return text.toString();
  }

  public static String write(JobSummary job) {
    return object(json -> write(job, json));
  }

  /** Writes the fields of {@code job} into the object that {@code json} has open. */
  public static void write(JobSummary job, JsonGenerator json) throws IOException {
    text(json, "application", job.application());
    text(json, "user", job.user());
    text(json, "queue", job.queue());
    text(json, "name", job.name());
    text(json, "framework", job.framework());
    text(json, "project", job.step().project());
    text(json, "flow", job.step().flow());
    text(json, "job", job.step().job());
    text(json, "execution", job.step().execution());
    number(json, "azkabanAttempt", job.step().attempt());
    text(json, "status", job.status());
    text(json, "kind", job.kind());
    text(json, "message", job.message());
    text(json, "submitted", job.submitted());
    text(json, "started", job.started());
    text(json, "ended", job.ended());
    number(json, "durationMs", millis(job.ended() == null ? null : job.duration(job.ended())));
    number(json, "queueWaitMs", millis(job.queueWait()));
    number(json, "tasks", job.tasks());
    number(json, "restarts", job.restarts());
    text(json, "progress", job.progress());
    if (job.fraction() != null) {
      json.writeNumberField("fraction", job.fraction());
    }
    if (job.goodput() != null) {
      json.writeNumberField("goodput", job.goodput());
    }
    text(json, "viewers", job.viewers());
    json.writeObjectFieldStart("outputs");
    for (Map.Entry<String, Double> output : new TreeMap<>(job.outputs()).entrySet()) {
      json.writeNumberField(output.getKey(), output.getValue());
    }
    json.writeEndObject();
    json.writeObjectFieldStart("peakMemoryMiB");
    for (Map.Entry<String, Long> peak : new TreeMap<>(job.peakMemoryMiB()).entrySet()) {
      json.writeNumberField(peak.getKey(), peak.getValue());
    }
    json.writeEndObject();
  }

  private static @Nullable Long millis(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis();
  }

  /** Writes a field; writes nothing if {@code value} is null or an empty text. */
  static void text(JsonGenerator json, String name, @Nullable Object value) throws IOException {
    if (value != null && !value.toString().isEmpty()) {
      json.writeStringField(name, value.toString());
    }
  }

  private static void number(JsonGenerator json, String name, @Nullable Number value)
      throws IOException {
    if (value != null) {
      json.writeNumberField(name, value.longValue());
    }
  }

  // ---- Reading ----

  /**
   * Parses a JSON object.
   *
   * @throws IOException if the line is not a JSON object
   */
  static ParsedObject parse(String line) throws IOException {
    ParsedObject parts = new ParsedObject(new HashMap<>(), new HashMap<>());
    try (JsonParser json = JSON.createParser(line)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("it is no JSON object");
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.getCurrentName();
        if (json.nextToken() == JsonToken.START_OBJECT) {
          parts.maps().put(name, numbers(json));
        } else if (json.currentToken().isScalarValue()) {
          parts.texts().put(name, json.getText());
        } else {
          json.skipChildren();
        }
      }
      if (json.currentToken() != JsonToken.END_OBJECT) {
        throw new IOException("the object has no end");
      }
    }
    return parts;
  }

  private static Map<String, Double> numbers(JsonParser json) throws IOException {
    Map<String, Double> numbers = new HashMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.getCurrentName();
      if (json.nextToken().isNumeric()) {
        numbers.put(name, json.getDoubleValue());
      }
      json.skipChildren();
    }
    return numbers;
  }

  /**
   * Reads a summary written by {@link #write(JobSummary)}.
   *
   * @throws IOException if the object is not a summary
   */
  static JobSummary read(ParsedObject parts) throws IOException {
    try {
      Long attempt = parts.number("azkabanAttempt");
      Map<String, Long> peaks = new HashMap<>();
      parts.map("peakMemoryMiB").forEach((role, value) -> peaks.put(role, value.longValue()));
      Long wait = parts.number("queueWaitMs");
      return new JobSummary(
          parts.text("application"),
          parts.text("user"),
          parts.text("queue"),
          parts.text("name"),
          parts.text("framework"),
          new JobDescription.AzkabanStep(
              parts.text("project").intern(),
              parts.text("flow").intern(),
              parts.text("job").intern(),
              parts.text("execution"),
              attempt == null ? null : attempt.intValue()),
          JobSummary.Status.valueOf(parts.text("status")),
          parts.texts().containsKey("kind") ? FailureKind.of(parts.text("kind")) : null,
          parts.text("message"),
          parts.time("submitted"),
          parts.time("started"),
          parts.time("ended"),
          Math.toIntExact(parts.requiredNumber("tasks")),
          Math.toIntExact(parts.requiredNumber("restarts")),
          wait == null ? null : Duration.ofMillis(wait),
          parts.map("outputs"),
          peaks,
          parts.text("progress"),
          share(parts, "fraction"),
          share(parts, "goodput"),
          parts.text("viewers"));
    } catch (RuntimeException e) {
      if (e instanceof DateTimeException
          || e instanceof IllegalArgumentException
          || e instanceof ArithmeticException) {
        throw new IOException("it is no summary of a job", e);
      }
      throw e;
    }
  }

  private static @Nullable Double share(ParsedObject parts, String name) {
    return parts.texts().containsKey(name) ? Double.valueOf(parts.text(name)) : null;
  }
}
