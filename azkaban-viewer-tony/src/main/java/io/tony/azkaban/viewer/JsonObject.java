package io.tony.azkaban.viewer;

import azkaban.utils.JSONUtils;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** An object that somebody else wrote, read by what every Azkaban has for that. */
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

  /** Numbers are texts, too; what is not there is empty. */
  String text(String name) {
    Object value = fields.get(name);
    return value == null ? "" : value.toString();
  }

  /** A number that is not there, or none, is -1. */
  long number(String name) {
    Object value = fields.get(name);
    return value instanceof Number ? ((Number) value).longValue() : -1;
  }

  /** Empty where there are none. */
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
