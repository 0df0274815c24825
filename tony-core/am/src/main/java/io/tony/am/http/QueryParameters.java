package io.tony.am.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Query parameters of a URL. Invalid parameters cause an {@link IllegalArgumentException} whose
 * message is meant for the sender of the request.
 */
public record QueryParameters(Map<String, String> parameters) {

  /** {@code raw} is null for a URL without a query. */
  public static QueryParameters parse(@Nullable String raw) {
    Map<String, String> parameters = new HashMap<>();
    if (raw != null && !raw.isEmpty()) {
      for (String pair : raw.split("&", -1)) {
        int equals = pair.indexOf('=');
        if (equals < 1) {
          throw new IllegalArgumentException("'" + pair + "' is not NAME=VALUE");
        }
        String name = URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8);
        String value = URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8);
        parameters.put(name, value);
      }
    }
    return new QueryParameters(Map.copyOf(parameters));
  }

  public boolean has(String name) {
    return parameters.containsKey(name);
  }

  /** Returns the parameter's value; empty if the parameter is missing. */
  public String textOrEmpty(String name) {
    return parameters.getOrDefault(name, "");
  }

  public String text(String name) {
    String value = textOrEmpty(name);
    if (value.isEmpty()) {
      throw new IllegalArgumentException("the parameter " + name + " is missing");
    }
    return value;
  }

  public long number(String name) {
    try {
      return Long.parseLong(text(name));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + "=" + text(name) + " is no number", e);
    }
  }

  public int number(String name, int defaultValue, int min, int max) {
    if (!has(name)) {
      return defaultValue;
    }
    long value = number(name);
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + "=" + value + " is not in " + min + ".." + max);
    }
    return (int) value;
  }
}
