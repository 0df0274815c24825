package io.tony.am.store;

import io.tony.am.serve.CappedServer;
import io.tony.am.serve.HttpConversation;
import io.tony.am.serve.HttpRequest;
import io.tony.am.serve.Listening;
import java.io.IOException;

/**
 * The rendezvous server of Horovod's gloo workers ({@code horovod/common/gloo/http_store.cc}): they
 * PUT and GET keys, and say by DELETE that they are done, which must not take the key from slower
 * ones. A request and its answer are one connection.
 */
final class HorovodStore implements AutoCloseable, HttpConversation.Service {
  private final Values values;
  private final CappedServer server;

  private HorovodStore(Listening at, StoreLimits limits) throws IOException {
    values = new Values(limits);
    server =
        CappedServer.open(
            at, "horovod-store", limits.callers(), caller -> new HttpConversation(caller, this));
  }

  static HorovodStore start(Listening at, StoreLimits limits) throws IOException {
    HorovodStore store = new HorovodStore(at, limits);
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
  public void serve(HttpRequest request, byte[] body, HttpConversation conversation) {
    String key = request.target();
    switch (request.method()) {
      case "GET" -> {
        byte[] value = values.get(key);
        conversation.answer(value == null ? 404 : 200, value == null ? new byte[0] : value);
      }
      case "PUT" -> {
        values.put(key, body);
        conversation.answer(200, "");
      }
      case "DELETE" -> conversation.answer(200, "");
      default -> conversation.answer(405, "");
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
