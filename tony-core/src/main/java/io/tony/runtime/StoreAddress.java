package io.tony.runtime;

import io.tony.model.Endpoint;
import java.util.Objects;

/**
 * Address of the store at which the tasks of one gang meet.
 *
 * @param token token that callers must send; empty if the protocol has none
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
