package io.tony.am.store;

import com.sun.net.httpserver.HttpExchange;
import java.util.concurrent.Future;

/** A caller of the {@link HttpStore} that waits; guarded by the store. */
final class HeldExchange {
  final HttpExchange exchange;
  boolean answered;
  Future<?> late;

  HeldExchange(HttpExchange exchange) {
    this.exchange = exchange;
  }
}
