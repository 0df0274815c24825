package io.tony.azkaban.viewer;

import java.io.IOException;
import java.io.UnsupportedEncodingException;
import java.net.URI;
import java.net.URLEncoder;
import java.util.Map;

/**
 * Client of TonY's history service ({@code tony history}), whose address the administrator sets. It
 * makes requests in the name of a reader of a page.
 */
final class HistoryService {
  /** Name of the query parameter with the user's name (Hadoop's pseudo authentication). */
  private static final String USER_PARAMETER = "user.name";

  private final String base;
  private final PlainGet get;

  /**
   * Creates a client.
   *
   * @param base the service's address
   * @param get sends the requests
   * @throws IllegalArgumentException if {@code base} is not a plain HTTP or HTTPS address
   */
  HistoryService(String base, PlainGet get) {
    URI address = URI.create(base);
    boolean isHttp = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
    if (!isHttp
        || address.getHost() == null
        || address.getRawUserInfo() != null
        || address.getRawQuery() != null
        || address.getRawFragment() != null) {
      throw new IllegalArgumentException(
          base + " is no address of a history, such as http://history:18090");
    }
    this.base = base.replaceFirst("/+$", "") + "/";
    this.get = get;
  }

  /**
   * Returns the address of a page of the service.
   *
   * @param path relative to the service's address
   * @param query the query parameters, not encoded
   */
  String address(String path, Map<String, String> query) {
    StringBuilder address = new StringBuilder(base).append(path);
    char separator = '?';
    for (Map.Entry<String, String> parameter : query.entrySet()) {
      address
          .append(separator)
          .append(parameter.getKey())
          .append('=')
          .append(encoded(parameter.getValue()));
      separator = '&';
    }
    return address.toString();
  }

  /** Returns the text in percent-encoding, as part of an address. */
  static String encoded(String text) {
    try {
      return URLEncoder.encode(text, "UTF-8").replace("+", "%20");
    } catch (UnsupportedEncodingException e) {
      throw new IllegalStateException("every Java has UTF-8", e);
    }
  }

  /**
   * Returns the deadline for all requests that serve one request of a reader, if that request
   * begins now. In nanoseconds of {@link System#nanoTime}.
   */
  long newDeadlineNanos() {
    return get.newDeadlineNanos();
  }

  /**
   * Sends a GET request in the name of a reader and returns the answer, whose status is not a
   * server error.
   *
   * @param path relative to the service's address
   * @param query at least one query parameter
   * @param user the reader's name
   * @param deadlineNanos as returned by {@link #newDeadlineNanos()}
   * @throws IOException if the answer is late, incomplete, too long or a server error
   */
  PlainGet.Response get(String path, Map<String, String> query, String user, long deadlineNanos)
      throws IOException {
    URI address = URI.create(address(path, query) + '&' + USER_PARAMETER + '=' + encoded(user));
    PlainGet.Response answer = get.get(address, deadlineNanos);
    if (answer.isFailure()) {
      throw new IOException("HTTP status " + answer.status());
    }
    return answer;
  }
}
