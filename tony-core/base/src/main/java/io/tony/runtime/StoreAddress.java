package io.tony.runtime;

import io.tony.model.Endpoint;
import java.util.Objects;

/**
 * Address of the store through which the tasks of one gang find each other.
 *
 * @param token token that requests to the store must contain; empty if the store's protocol has
 *     none
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
