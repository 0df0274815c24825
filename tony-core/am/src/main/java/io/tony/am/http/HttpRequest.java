package io.tony.am.http;

import java.util.Map;

/**
 * Request line and headers of an HTTP request.
 *
 * @param target path and query as sent, not decoded
 * @param headers header values by header name in lower case
 */
public record HttpRequest(String method, String target, Map<String, String> headers) {
  public HttpRequest {
    headers = Map.copyOf(headers);
  }

  /** Returns the header's value; empty if the header is missing. */
  public String header(String name) {
    return headers.getOrDefault(name, "");
  }
}
