package io.tony.runtime;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.TaskId;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Writes a cluster as the JSON text {@code {"worker":["host:port",…],…}}. */
final class ClusterJson {
  private static final JsonFactory JSON = new JsonFactory();

  private interface Content {
    void write(JsonGenerator json) throws IOException;
  }

  private ClusterJson() {}

  static String write(ClusterSpec cluster) {
    return write(members(cluster, role -> true));
  }

  static Map<String, List<String>> members(ClusterSpec cluster, Predicate<String> wanted) {
    Map<String, List<String>> members = new LinkedHashMap<>();
    cluster
        .endpoints()
        .forEach(
            (role, endpoints) -> {
              if (wanted.test(role)) {
                members.put(role, endpoints.stream().map(Endpoint::toString).toList());
              }
            });
    return members;
  }

  static String write(Map<String, List<String>> members) {
    return writeObject(
        json -> {
          for (Map.Entry<String, List<String>> role : members.entrySet()) {
            json.writeArrayFieldStart(role.getKey());
            for (String endpoint : role.getValue()) {
              json.writeString(endpoint);
            }
            json.writeEndArray();
          }
        });
  }

  /** Returns the task's id as the JSON text {@code {"type":"worker","index":0}}. */
  static String write(TaskId task) {
    return writeObject(
        json -> {
          json.writeStringField("type", task.role());
          json.writeNumberField("index", task.index());
        });
  }

  private static String writeObject(Content content) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      content.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("a string refused to be written to", e);
    }
    return text.toString();
  }
}
