package io.tony.am.http;

import java.util.Map;

/**
 * One request, without its body.
 *
 * @param target path and query, as they were sent
 * @param headers by their names in lower case
 */
public record HttpRequest(String method, String target, Map<String, String> headers) {
  public HttpRequest {
    headers = Map.copyOf(headers);
  }

  /** Empty where there is none. */
  public String header(String name) {
    return headers.getOrDefault(name, "");
  }
}
