package io.tony.runtime;

import io.tony.model.Endpoint;
import java.util.Objects;

/**
 * Where the tasks of one gang find their store.
 *
 * @param token what a caller must show; empty where the protocol has no place for it
 */
public record StoreAddress(Endpoint endpoint, String token) {
  public StoreAddress {
    Objects.requireNonNull(endpoint, "endpoint");
    Objects.requireNonNull(token, "token");
  }

  @Override
  public String toString() {
    return endpoint.toString();
  }
}
