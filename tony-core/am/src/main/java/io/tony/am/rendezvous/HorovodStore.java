package io.tony.am.rendezvous;

import io.tony.am.http.CappedServer;
import io.tony.am.http.HttpExchange;
import io.tony.am.http.HttpRequest;
import io.tony.am.http.ListeningPorts;
import java.io.IOException;

/**
 * Rendezvous server for Horovod's gloo workers ({@code horovod/common/gloo/http_store.cc}). Workers
 * store keys by PUT, read them by GET, and send DELETE when they are done. DELETE does not remove
 * the key, because slower workers may still need it. Each request uses its own connection.
 */
final class HorovodStore implements AutoCloseable, HttpExchange.Service {
  private final StoredValues values;
  private final CappedServer server;

  private HorovodStore(ListeningPorts listeningPorts, StoreLimits limits) throws IOException {
    values = new StoredValues(limits);
    server =
        CappedServer.open(
            listeningPorts,
            "horovod-store",
            limits.connectionCaps(),
            connection -> new HttpExchange(connection, this));
  }

  static HorovodStore start(ListeningPorts listeningPorts, StoreLimits limits) throws IOException {
    HorovodStore store = new HorovodStore(listeningPorts, limits);
    store.server.start();
    return store;
  }

  int port() {
    return server.port();
  }

  @Override
  public void check(HttpRequest head, long bodyLength) {
    values.checkValue(bodyLength);
  }

  @Override
  public void serve(HttpRequest request, byte[] body, HttpExchange exchange) {
    String key = request.target();
    switch (request.method()) {
      case "GET" -> {
        byte[] value = values.get(key);
        exchange.answer(value == null ? 404 : 200, value == null ? new byte[0] : value);
      }
      case "PUT" -> {
        values.put(key, body);
        exchange.answer(200, "");
      }
      case "DELETE" -> exchange.answer(200, "");
      default -> exchange.answer(405, "");
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
