package io.tony.azkaban.viewer;

import java.io.IOException;
import java.io.UnsupportedEncodingException;
import java.net.URI;
import java.net.URLEncoder;
import java.util.Map;

/**
 * A client of the service {@code tony history}, at the address that the administrator sets.
 * Requests are made in the name of a reader.
 */
final class HistoryService {
  /** Query parameter with the user's name in Hadoop's pseudo authentication. */
  private static final String USER_PARAMETER = "user.name";

  private final String base;
  private final PlainGet get;

  /**
   * Creates a client.
   *
   * @param base the service's address
   * @throws IllegalArgumentException if the address is not a plain HTTP or HTTPS address
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

  /** Returns the address of a page for a browser. */
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

  /** Returns the text in percent-encoding, for use in an address. */
  static String encoded(String text) {
    try {
      return URLEncoder.encode(text, "UTF-8").replace("+", "%20");
    } catch (UnsupportedEncodingException e) {
      throw new IllegalStateException("every Java has UTF-8", e);
    }
  }

  /**
   * Returns the deadline, by {@link System#nanoTime}, for all answers to a reader whose request
   * starts now.
   */
  long deadlineNanos() {
    return get.deadlineNanos();
  }

  /**
   * Sends a GET request in a reader's name.
   *
   * @param query at least one parameter
   * @param user the reader's name
   * @param deadlineNanos as returned by {@link #deadlineNanos()}
   * @throws IOException if the answer is late, too long or a server error
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
