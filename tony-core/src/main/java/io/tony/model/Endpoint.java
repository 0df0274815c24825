package io.tony.model;

import java.util.Objects;

/** A host and a port at which a task of the job can be reached by the others. */
public record Endpoint(String host, int port) {
  public Endpoint {
    Objects.requireNonNull(host, "host");
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("port " + port + " of " + host + " is not in 1..65535");
    }
  }

  /** Reads what {@link #toString} writes. */
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
