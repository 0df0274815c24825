package io.tony.am.rendezvous;

import io.tony.am.http.CappedServer;
import io.tony.am.http.HttpExchange;
import io.tony.am.http.HttpRequest;
import io.tony.am.http.ListeningPorts;
import io.tony.am.http.QueryParameters;
import io.tony.am.http.RequestRejectedException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Keys, counters and barriers over HTTP. The path is the key; the body is the value, any bytes.
 *
 * <ul>
 *   <li>{@code PUT /key}: 200.
 *   <li>{@code GET /key}: 200 and the value, or 404; with {@code ?wait=SECONDS} the answer is held
 *       until the key exists.
 *   <li>{@code DELETE /key}: 200.
 *   <li>{@code POST /key?add=N}: 200 and the sum, as a decimal number; a missing key counts as 0.
 *   <li>{@code POST /key?barrier=N&member=NAME}: 200 once N members of different names have
 *       arrived, and for each that arrives again; with {@code &wait=SECONDS} 408 and the arrived
 *       names when the time is over.
 * </ul>
 *
 * Each request needs {@code Authorization: Bearer TOKEN}; else 401. The answers 400, 413 and 507
 * have a text that explains the caller's mistake.
 */
final class HttpStore implements AutoCloseable, HttpExchange.Service {
  private static final int MAX_WAIT_S = 3600;

  private final byte[] authorization;
  private final StoredValues values;
  private final Map<String, Barrier> barriers = new HashMap<>();
  private final Map<String, Set<HttpExchange>> waitingReaders = new HashMap<>();
  private final CappedServer server;

  private HttpStore(ListeningPorts listeningPorts, StoreLimits limits, String token)
      throws IOException {
    authorization = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
    values = new StoredValues(limits);
    server =
        CappedServer.open(
            listeningPorts,
            "store",
            limits.connectionCaps(),
            connection -> new HttpExchange(connection, this));
  }

  static HttpStore start(ListeningPorts listeningPorts, StoreLimits limits, String token)
      throws IOException {
    HttpStore store = new HttpStore(listeningPorts, limits, token);
    store.server.start();
    return store;
  }

  int port() {
    return server.port();
  }

  /** Rejects a request without the token before its body is read. */
  @Override
  public void check(HttpRequest head, long bodyLength) {
    byte[] given = head.header("authorization").getBytes(StandardCharsets.UTF_8);
    if (!MessageDigest.isEqual(authorization, given)) {
      throw new RequestRejectedException(
          401,
          "callers without the token",
          "the store wants 'Authorization: Bearer TONY_STORE_TOKEN'");
    }
    values.checkValue(bodyLength);
  }

  @Override
  public void serve(HttpRequest request, byte[] body, HttpExchange exchange) {
    try {
      URI uri = new URI(request.target());
      answer(request, body, uri.getPath(), QueryParameters.parse(uri.getRawQuery()), exchange);
    } catch (IllegalArgumentException e) {
      exchange.answer(400, Objects.requireNonNullElse(e.getMessage(), e.toString()));
    } catch (URISyntaxException e) {
      exchange.answer(400, "the path is not one of a URL");
    }
  }

  private void answer(
      HttpRequest request, byte[] body, String key, QueryParameters query, HttpExchange exchange) {
    switch (request.method()) {
      case "GET" -> get(exchange, key, query);
      case "PUT" -> {
        put(key, body);
        exchange.answer(200, "");
      }
      case "DELETE" -> {
        values.remove(key);
        exchange.answer(200, "");
      }
      case "POST" -> {
        if (query.has("barrier")) {
          arrive(exchange, key, query);
        } else {
          exchange.answer(200, add(key, query));
        }
      }
      default -> throw new IllegalArgumentException("use GET, PUT, DELETE or POST");
    }
  }

  private void get(HttpExchange exchange, String key, QueryParameters query) {
    byte[] value = values.get(key);
    if (value != null) {
      exchange.answer(200, value);
      return;
    }
    int wait = query.number("wait", 0, 0, MAX_WAIT_S);
    if (wait == 0) {
      exchange.answer(404, "");
      return;
    }
    exchange.connection().park();
    Set<HttpExchange> waiting = waitingReaders.computeIfAbsent(key, name -> new LinkedHashSet<>());
    hold(
        exchange,
        waiting,
        () -> {
          if (waiting.isEmpty()) {
            waitingReaders.remove(key, waiting);
          }
        },
        wait,
        () -> exchange.answer(404, ""));
  }

  private void put(String key, byte[] value) {
    values.put(key, value);
    Set<HttpExchange> waiting = waitingReaders.remove(key);
    if (waiting != null) {
      release(waiting, value);
    }
  }

  private byte[] add(String key, QueryParameters query) {
    if (!query.has("add")) {
      throw new IllegalArgumentException("POST wants ?add=N, or ?barrier=N&member=NAME");
    }
    byte[] before = values.get(key);
    String text = before == null ? "0" : new String(before, StandardCharsets.UTF_8);
    try {
      long total = Math.addExact(Long.parseLong(text), query.number("add"));
      byte[] sum = Long.toString(total).getBytes(StandardCharsets.UTF_8);
      put(key, sum);
      return sum;
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("the value of " + key + " is no number", e);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("the sum at " + key + " is above 2^63", e);
    }
  }

  private void arrive(HttpExchange exchange, String key, QueryParameters query) {
    int size = query.number("barrier", 0, 1, Integer.MAX_VALUE);
    String member = query.text("member");
    int wait = query.number("wait", MAX_WAIT_S, 0, MAX_WAIT_S);
    Barrier barrier = barriers.get(key);
    if (barrier == null) {
      values.addOtherKey(key);
      barrier = new Barrier(size);
      barriers.put(key, barrier);
    }
    if (barrier.size != size) {
      throw new IllegalArgumentException(
          "the barrier " + key + " is for " + barrier.size + " members, not for " + size);
    }
    if (!barrier.members.contains(member)) {
      if (barrier.members.size() == size) {
        throw new IllegalArgumentException(
            "the barrier " + key + " is passed already by " + barrier.names() + ": use a new key");
      }
      values.addName(member);
      barrier.members.add(member);
    }
    if (barrier.members.size() == size) {
      exchange.answer(200, "");
      release(barrier.waiting, new byte[0]);
    } else {
      awaitRest(exchange, key, barrier, wait);
    }
  }

  private void awaitRest(HttpExchange exchange, String key, Barrier barrier, int wait) {
    exchange.connection().park();
    hold(
        exchange,
        barrier.waiting,
        () -> {},
        wait,
        () -> {
          String who = barrier.members.size() + " of " + barrier.size + " members came to " + key;
          exchange.answer(408, who + ": " + barrier.names());
        });
  }

  private static void release(Set<HttpExchange> waiting, byte[] value) {
    // Copied, because answering removes the exchange from the set.
    for (HttpExchange held : List.copyOf(waiting)) {
      held.answer(200, value);
    }
    waiting.clear();
  }

  /**
   * Holds a request until it is answered, its connection closes, or {@code seconds} have passed.
   *
   * @param waiting set that contains the exchange while it is held
   * @param onLeave runs after the exchange was removed from the set
   * @param onTimeout answers the request when the time has passed
   */
  private void hold(
      HttpExchange exchange,
      Set<HttpExchange> waiting,
      Runnable onLeave,
      int seconds,
      Runnable onTimeout) {
    waiting.add(exchange);
    Runnable cancel = server.deadlines().schedule(Duration.ofSeconds(seconds), onTimeout);
    exchange
        .connection()
        .onClose(
            () -> {
              cancel.run();
              waiting.remove(exchange);
              onLeave.run();
            });
  }

  @Override
  public void close() {
    server.close();
  }
}
