package io.tony.client.cluster;

import java.io.IOException;

/** No cluster is configured; the message is a sentence with the remedy. */
public final class NoClusterException extends IOException {
  private static final long serialVersionUID = 1L;

  public NoClusterException(String message) {
    super(message);
  }
}
