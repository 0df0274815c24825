package io.tony.azkaban.viewer;

import azkaban.utils.JSONUtils;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** A JSON object from an untrusted source, parsed with Azkaban's JSON library. */
final class JsonObject {
  private final Map<?, ?> fields;

  private JsonObject(Map<?, ?> fields) {
    this.fields = fields;
  }

  static JsonObject read(byte[] text) throws IOException {
    Object value;
    try {
      value = JSONUtils.parseJSONFromString(new String(text, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IOException("what came is no JSON", e);
    }
    if (!(value instanceof Map)) {
      throw new IOException("what came is no JSON object");
    }
    return new JsonObject((Map<?, ?>) value);
  }

  boolean has(String name) {
    return fields.get(name) != null;
  }

  /**
   * Returns a field's value as text, also if it is a number; an empty text if the field is missing.
   */
  String text(String name) {
    Object value = fields.get(name);
    return value == null ? "" : value.toString();
  }

  /** Returns the value of a numeric field; -1 if the field is missing or is not a number. */
  long number(String name) {
    Object value = fields.get(name);
    return value instanceof Number ? ((Number) value).longValue() : -1;
  }

  /**
   * Returns the JSON objects in a field that is a list; empty if the field is missing or is not a
   * list.
   */
  List<JsonObject> objects(String name) {
    Object value = fields.get(name);
    List<JsonObject> objects = new ArrayList<>();
    for (Object one : value instanceof List ? (List<?>) value : Collections.emptyList()) {
      if (one instanceof Map) {
        objects.add(new JsonObject((Map<?, ?>) one));
      }
    }
    return objects;
  }
}
