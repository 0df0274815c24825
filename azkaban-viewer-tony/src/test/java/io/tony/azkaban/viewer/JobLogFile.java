package io.tony.azkaban.viewer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.codehaus.jackson.map.ObjectMapper;

/** The log of one attempt of a job, as Azkaban's log4j writes it; each event is a second later. */
final class JobLogFile {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path file;
  private Instant time = Instant.parse("2026-11-21T16:00:00Z");

  JobLogFile(Path file) throws IOException {
    this.file = file;
    Files.writeString(file, "");
  }

  Path file() {
    return file;
  }

  JobLogFile at(Instant instant) {
    time = instant;
    return this;
  }

  JobLogFile line(String text) throws IOException {
    return line("INFO", text);
  }

  /** A text that log4j writes on a level; it may have several lines. */
  JobLogFile line(String level, String text) throws IOException {
    return append("21-11-2026 16:00:00 UTC train " + level + " - " + text + "\n");
  }

  /**
   * A line with one event.
   *
   * @param details names and values in turn
   */
  JobLogFile event(String type, String task, String... details) throws IOException {
    return line(eventText(type, task, details));
  }

  String eventText(String type, String task, String... details) throws IOException {
    return "tony-events [" + json(type, task, details) + "]";
  }

  String json(String type, String task, String... details) throws IOException {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("v", 1);
    time = time.plusSeconds(1);
    event.put("time", time.toString());
    event.put("type", type);
    event.put("session", 0);
    if (task != null) {
      event.put("task", task);
    }
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < details.length; i += 2) {
      values.put(details[i], details[i + 1]);
    }
    event.put("details", values);
    return JSON.writeValueAsString(event);
  }

  JobLogFile append(String text) throws IOException {
    return append(text.getBytes(StandardCharsets.UTF_8));
  }

  JobLogFile append(byte[] bytes) throws IOException {
    Files.write(file, bytes, StandardOpenOption.APPEND);
    return this;
  }
}
