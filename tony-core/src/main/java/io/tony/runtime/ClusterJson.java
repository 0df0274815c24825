package io.tony.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A cluster as the JSON that programs parse: {@code {"worker":["host:port",…],…}}. */
final class ClusterJson {
  private static final ObjectMapper MAPPER = new ObjectMapper();

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

  static String write(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("maps of strings are JSON", e);
    }
  }
}
