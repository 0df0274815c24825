package io.tony.azkaban.viewer;

import java.io.IOException;
import java.io.UnsupportedEncodingException;
import java.net.URI;
import java.net.URLEncoder;
import java.util.Map;

/**
 * The service {@code tony history}, at the one address that the administrator gives, asked in the
 * name of a reader.
 */
final class HistoryService {
  /** By which Hadoop's pseudo authentication knows a visitor. */
  private static final String USER_PARAMETER = "user.name";

  private final String base;
  private final PlainGet get;

  /**
   * A service.
   *
   * @param base its address
   * @throws IllegalArgumentException when the address is none of a web page
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

  /** Where a browser finds something of it. */
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

  /** As a part of an address. */
  static String encoded(String text) {
    try {
      return URLEncoder.encode(text, "UTF-8").replace("+", "%20");
    } catch (UnsupportedEncodingException e) {
      throw new IllegalStateException("every Java has UTF-8", e);
    }
  }

  /** When a reader who asks now has to have all answers. */
  long deadlineNanos() {
    return get.deadlineNanos();
  }

  /**
   * Asks as a reader would.
   *
   * @param query one parameter at least
   * @param user who the reader is
   * @param deadlineNanos of {@link #deadlineNanos()}
   * @throws IOException where it does not answer in time, or too much, or that it failed
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
