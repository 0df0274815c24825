package io.tony.timeline.draw;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.tony.event.UsageFact;
import io.tony.model.FailureKind;
import io.tony.timeline.Mark;
import io.tony.timeline.Span;
import io.tony.timeline.TaskAttempt;
import io.tony.timeline.Timeline;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Formats a timeline as one JSON object. Unknown values are left out. */
public final class TimelineJson {
  private static final JsonFactory JSON = new JsonFactory();

  /**
   * Last printable ASCII character. All later characters are escaped, because the JSON is printed
   * to terminals.
   */
  private static final int MAX_PLAIN_CHAR = '~';

  private TimelineJson() {}

  public static String of(Timeline timeline, Heading heading) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      // The JSON is printed to terminals without further escaping.
      json.setHighestNonEscapedChar(MAX_PLAIN_CHAR);
      json.writeStartObject();
      json.writeStringField("application", heading.application());
      json.writeStringField("name", heading.name());
      json.writeStringField("queue", heading.queue());
      if (timeline.result() != null) {
        json.writeStringField("status", timeline.result().status().name());
      }
      json.writeNumberField("tasks", timeline.tasks());
      time(json, "begin", timeline.begin());
      time(json, "end", timeline.end());
      json.writeArrayFieldStart("phases");
      for (Span span : timeline.phases()) {
        json.writeStartObject();
        json.writeStringField("phase", lower(span.stage()));
        json.writeNumberField("session", span.session());
        time(json, "from", span.from());
        time(json, "to", span.to());
        json.writeNumberField("ms", span.duration().toMillis());
        json.writeEndObject();
      }
      json.writeEndArray();
      goodput(json, timeline.goodput());
      json.writeArrayFieldStart("marks");
      for (Mark mark : timeline.marks()) {
        json.writeStartObject();
        json.writeStringField("mark", lower(mark.kind()));
        time(json, "at", mark.at());
        json.writeStringField("text", mark.text());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeArrayFieldStart("attempts");
      for (TaskAttempt attempt : timeline.attempts()) {
        attempt(json, attempt);
      }
      json.writeEndArray();
      json.writeArrayFieldStart("notes");
      for (String remark : timeline.remarks()) {
        json.writeString(remark);
      }
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("a string refused to be written to", e);
    }
    return text.toString();
  }

  /** Writes goodput with the field names that the event's details have. */
  private static void goodput(JsonGenerator json, UsageFact.Goodput goodput) throws IOException {
    json.writeObjectFieldStart("goodput");
    json.writeNumberField("share", goodput.trainingShare());
    json.writeNumberField("queue", goodput.queuedMs());
    json.writeNumberField("starting", goodput.startingMs());
    json.writeNumberField("training", goodput.trainingMs());
    json.writeObjectFieldStart("lost");
    for (Map.Entry<FailureKind, Long> lost : goodput.lostMs().entrySet()) {
      json.writeNumberField(lost.getKey().name(), lost.getValue());
    }
    json.writeEndObject();
    json.writeNumberField("stopping", goodput.stoppingMs());
    json.writeNumberField("restarts", goodput.restartCount());
    json.writeBooleanField("byProgress", goodput.byProgress());
    json.writeEndObject();
  }

  private static void attempt(JsonGenerator json, TaskAttempt attempt) throws IOException {
    json.writeStartObject();
    json.writeStringField("task", attempt.task().toString());
    json.writeNumberField("attempt", attempt.number());
    json.writeNumberField("session", attempt.session());
    json.writeStringField("node", attempt.node());
    json.writeBooleanField("kept", attempt.reusesContainer());
    time(json, "requested", attempt.requested());
    time(json, "allocated", attempt.allocated());
    time(json, "registered", attempt.registered());
    time(json, "started", attempt.started());
    time(json, "ended", attempt.ended());
    if (attempt.end() != null) {
      json.writeStringField("end", lower(attempt.end()));
    }
    json.writeEndObject();
  }

  private static void time(JsonGenerator json, String name, @Nullable Instant at)
      throws IOException {
    if (at != null) {
      json.writeStringField(name, at.toString());
    }
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
