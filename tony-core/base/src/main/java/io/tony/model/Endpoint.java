package io.tony.model;

import java.util.Objects;

/** Host and port at which other tasks of the job reach a task. */
public record Endpoint(String host, int port) {
  public Endpoint {
    Objects.requireNonNull(host, "host");
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("port " + port + " of " + host + " is not in 1..65535");
    }
  }

  /**
   * Parses {@code host:port}, as {@link #toString} returns it.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static Endpoint parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1) {
      throw new IllegalArgumentException("not an endpoint (host:port): '" + text + "'");
    }
    return new Endpoint(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
