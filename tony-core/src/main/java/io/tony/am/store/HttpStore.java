package io.tony.am.store;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys, counters and barriers over HTTP. The path is the key; the body is the value, any bytes.
 *
 * <ul>
 *   <li>{@code PUT /key}: 200.
 *   <li>{@code GET /key}: 200 and the value, or 404; with {@code ?wait=SECONDS} the answer is held
 *       until the key is there.
 *   <li>{@code DELETE /key}: 200.
 *   <li>{@code POST /key?add=N}: 200 and the sum, as a decimal number; a missing key counts as 0.
 *   <li>{@code POST /key?barrier=N&member=NAME}: 200 once N members of different names have come,
 *       and for each that comes again; with {@code &wait=SECONDS} 408 and who came, when the time
 *       is over.
 * </ul>
 *
 * Each request needs {@code Authorization: Bearer TOKEN}; else 401. 400 and 413 tell the caller's
 * mistake in words.
 */
final class HttpStore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpStore.class);

  static final int MAX_VALUE_BYTES = 1024 * 1024;
  static final long MAX_TOTAL_BYTES = 64L * 1024 * 1024;
  private static final int MAX_WAIT_S = 3600;

  /** What a key costs beside its bytes. */
  private static final int ENTRY_BYTES = 64;

  private final HttpServer server;
  private final String token;
  private final ExecutorService callers;
  private final ScheduledThreadPoolExecutor timer;
  private final Map<String, byte[]> values = new HashMap<>();
  private final Map<String, Barrier> barriers = new HashMap<>();
  private final Map<String, List<HeldExchange>> readers = new HashMap<>();
  private long bytes;

  private HttpStore(HttpServer server, String token) {
    this.server = server;
    this.token = token;
    this.callers = Executors.newCachedThreadPool(task -> daemon(task, "store"));
    this.timer = new ScheduledThreadPoolExecutor(1, task -> daemon(task, "store-timer"));
    timer.setRemoveOnCancelPolicy(true);
    server.setExecutor(callers);
    server.createContext("/", this::handle);
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Listens on a free port of this host. */
  static HttpStore start(String host, String token) throws IOException {
    HttpStore store = new HttpStore(HttpServer.create(new InetSocketAddress(host, 0), 0), token);
    store.server.start();
    return store;
  }

  int port() {
    return server.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) {
    try {
      answer(exchange).forEach(HttpAnswer::send);
    } catch (IllegalArgumentException e) {
      new HttpAnswer(exchange, 400, e.getMessage()).send();
    } catch (IOException e) {
      LOG.debug("A caller went away", e);
      exchange.close();
    }
  }

  private List<HttpAnswer> answer(HttpExchange exchange) throws IOException {
    if (!admitted(exchange)) {
      return List.of(
          new HttpAnswer(
              exchange, 401, "the store wants 'Authorization: Bearer TONY_STORE_TOKEN'"));
    }
    String key = exchange.getRequestURI().getPath();
    Query query = Query.parse(exchange.getRequestURI().getRawQuery());
    return switch (exchange.getRequestMethod()) {
      case "GET" -> get(exchange, key, query);
      case "PUT" -> put(exchange, key, body(exchange));
      case "DELETE" -> delete(exchange, key);
      case "POST" ->
          query.has("barrier") ? arrive(exchange, key, query) : add(exchange, key, query);
      default -> throw new IllegalArgumentException("use GET, PUT, DELETE or POST");
    };
  }

  private boolean admitted(HttpExchange exchange) {
    String shown = exchange.getRequestHeaders().getFirst("Authorization");
    byte[] wanted = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
    return shown != null && MessageDigest.isEqual(wanted, shown.getBytes(StandardCharsets.UTF_8));
  }

  /** At most one byte more than is allowed, which {@link #put} then refuses. */
  private static byte[] body(HttpExchange exchange) throws IOException {
    try (InputStream in = exchange.getRequestBody()) {
      return in.readNBytes(MAX_VALUE_BYTES + 1);
    }
  }

  private synchronized List<HttpAnswer> get(HttpExchange exchange, String key, Query query) {
    byte[] value = values.get(key);
    if (value != null) {
      return List.of(new HttpAnswer(exchange, 200, value));
    }
    int wait = query.number("wait", 0, 0, MAX_WAIT_S);
    if (wait == 0) {
      return List.of(new HttpAnswer(exchange, 404, ""));
    }
    HeldExchange held = new HeldExchange(exchange);
    readers.computeIfAbsent(key, name -> new ArrayList<>()).add(held);
    after(
        wait,
        held,
        () -> {
          List<HeldExchange> waiting = readers.get(key);
          waiting.remove(held);
          if (waiting.isEmpty()) {
            readers.remove(key);
          }
          return new HttpAnswer(exchange, 404, "");
        });
    return List.of();
  }

  private synchronized List<HttpAnswer> put(HttpExchange exchange, String key, byte[] value) {
    if (value.length > MAX_VALUE_BYTES) {
      return List.of(HttpAnswer.tooLarge(exchange, "the value of " + key, MAX_VALUE_BYTES));
    }
    if (!store(key, value)) {
      return List.of(HttpAnswer.full(exchange, MAX_TOTAL_BYTES));
    }
    List<HttpAnswer> answers = new ArrayList<>();
    answers.add(new HttpAnswer(exchange, 200, ""));
    List<HeldExchange> waiting = readers.remove(key);
    if (waiting != null) {
      release(waiting, value, answers);
    }
    return answers;
  }

  private synchronized List<HttpAnswer> add(HttpExchange exchange, String key, Query query) {
    if (!query.has("add")) {
      throw new IllegalArgumentException("POST wants ?add=N, or ?barrier=N&member=NAME");
    }
    byte[] before = values.getOrDefault(key, "0".getBytes(StandardCharsets.UTF_8));
    String text = new String(before, StandardCharsets.UTF_8);
    byte[] sum;
    try {
      long total = Math.addExact(Long.parseLong(text), query.number("add"));
      sum = Long.toString(total).getBytes(StandardCharsets.UTF_8);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("the value of " + key + " is no number", e);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("the sum at " + key + " is above 2^63", e);
    }
    List<HttpAnswer> answers = new ArrayList<>(put(exchange, key, sum));
    if (answers.get(0).status == 200) {
      answers.set(0, new HttpAnswer(exchange, 200, sum));
    }
    return answers;
  }

  private synchronized List<HttpAnswer> delete(HttpExchange exchange, String key) {
    byte[] old = values.remove(key);
    bytes -= old == null ? 0 : cost(key, old);
    return List.of(new HttpAnswer(exchange, 200, ""));
  }

  private synchronized List<HttpAnswer> arrive(HttpExchange exchange, String key, Query query) {
    int size = query.number("barrier", 0, 1, Integer.MAX_VALUE);
    String member = query.text("member");
    Barrier barrier = barriers.get(key);
    if (barrier == null) {
      barrier = new Barrier(size);
      barriers.put(key, barrier);
      bytes += cost(key, new byte[0]);
    }
    if (barrier.size != size) {
      throw new IllegalArgumentException(
          "the barrier " + key + " is for " + barrier.size + " members, not for " + size);
    }
    if (!barrier.members.contains(member)) {
      if (barrier.members.size() == size) {
        throw new IllegalArgumentException(
            "the barrier " + key + " is passed already by " + barrier.members + ": use a new key");
      }
      if (bytes + cost(member, new byte[0]) > MAX_TOTAL_BYTES) {
        return List.of(HttpAnswer.full(exchange, MAX_TOTAL_BYTES));
      }
      bytes += cost(member, new byte[0]);
      barrier.members.add(member);
    }
    HeldExchange held = new HeldExchange(exchange);
    barrier.waiting.add(held);
    List<HttpAnswer> answers = new ArrayList<>();
    if (barrier.members.size() == size) {
      release(barrier.waiting, new byte[0], answers);
      barrier.waiting.clear();
    } else {
      awaitRest(held, key, barrier, query.number("wait", MAX_WAIT_S, 0, MAX_WAIT_S));
    }
    return answers;
  }

  private void awaitRest(HeldExchange held, String key, Barrier barrier, int wait) {
    after(
        wait,
        held,
        () -> {
          barrier.waiting.remove(held);
          String who = barrier.members.size() + " of " + barrier.size + " members came to " + key;
          return new HttpAnswer(held.exchange, 408, who + ": " + barrier.members);
        });
  }

  private static void release(List<HeldExchange> waiting, byte[] value, List<HttpAnswer> answers) {
    for (HeldExchange held : waiting) {
      held.answered = true;
      if (held.late != null) {
        held.late.cancel(false);
      }
      answers.add(new HttpAnswer(held.exchange, 200, value));
    }
  }

  /** Answers a caller that still waits when the time is over. */
  private void after(int seconds, HeldExchange held, Supplier<HttpAnswer> late) {
    held.late =
        timer.schedule(
            () -> {
              HttpAnswer answer;
              synchronized (this) {
                if (held.answered) {
                  return;
                }
                held.answered = true;
                answer = late.get();
              }
              answer.send();
            },
            seconds,
            TimeUnit.SECONDS);
  }

  private boolean store(String key, byte[] value) {
    byte[] old = values.get(key);
    long after = bytes + cost(key, value) - (old == null ? 0 : cost(key, old));
    if (after > MAX_TOTAL_BYTES) {
      return false;
    }
    values.put(key, value);
    bytes = after;
    return true;
  }

  private static long cost(String key, byte[] value) {
    return ENTRY_BYTES + 2L * key.length() + value.length;
  }

  @Override
  public void close() {
    server.stop(0);
    timer.shutdownNow();
    callers.shutdownNow();
  }
}
