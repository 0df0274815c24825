package io.tony.am.store;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An answer of the {@link HttpStore}, to be sent when no lock is held. */
final class HttpAnswer {
  private static final Logger LOG = LoggerFactory.getLogger(HttpAnswer.class);

  final int status;
  private final HttpExchange exchange;
  private final byte[] body;

  HttpAnswer(HttpExchange exchange, int status, byte[] body) {
    this.exchange = exchange;
    this.status = status;
    this.body = body;
  }

  HttpAnswer(HttpExchange exchange, int status, String text) {
    this(exchange, status, text.getBytes(StandardCharsets.UTF_8));
  }

  static HttpAnswer tooLarge(HttpExchange exchange, String what, long bytes) {
    return new HttpAnswer(exchange, 413, what + " is above " + bytes + " bytes");
  }

  static HttpAnswer full(HttpExchange exchange, long bytes) {
    return new HttpAnswer(exchange, 413, "the store is full: " + bytes + " bytes for all keys");
  }

  void send() {
    try (exchange) {
      // 0 would mean a body of unknown length.
      exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    } catch (IOException e) {
      LOG.debug("A caller went away", e);
    }
  }
}
