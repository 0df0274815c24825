package io.tony.am.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The rendezvous server of Horovod's gloo workers ({@code horovod/common/gloo/http_store.cc}): they
 * PUT and GET keys, and say by DELETE that they are done, which must not take the key from slower
 * ones. A request and its answer are one connection.
 *
 * <p>It writes its answers itself, because Horovod's client knows the header {@code Content-Length}
 * in this spelling only, and the JDK's server writes another.
 */
final class HorovodStore implements AutoCloseable {
  private static final int MAX_VALUE_BYTES = 64 * 1024;
  private static final int MAX_KEYS = 1_000_000;
  private static final int MAX_HEADERS = 100;
  private static final String LENGTH = "content-length:";

  private final Map<String, byte[]> values = new HashMap<>();
  private final SocketServer server;

  private HorovodStore(String host) throws IOException {
    this.server = SocketServer.start(host, "horovod-store", this::converse);
  }

  /** Listens on a free port of this host. */
  static HorovodStore start(String host) throws IOException {
    return new HorovodStore(host);
  }

  int port() {
    return server.port();
  }

  private void converse(InputStream in, OutputStream out) throws IOException {
    String request = SocketServer.readLine(in);
    String[] words = request == null ? new String[0] : request.strip().split(" ", -1);
    if (words.length != 3) {
      throw new IllegalArgumentException("not a request of HTTP");
    }
    byte[] body = in.readNBytes(bodyLength(in));
    String key = words[1];
    switch (words[0]) {
      case "GET" -> {
        byte[] value = get(key);
        send(out, value == null ? "404 Not Found" : "200 OK", value == null ? new byte[0] : value);
      }
      case "PUT" -> send(out, put(key, body) ? "200 OK" : "507 Insufficient Storage", new byte[0]);
      case "DELETE" -> send(out, "200 OK", new byte[0]);
      default -> send(out, "405 Method Not Allowed", new byte[0]);
    }
  }

  private static int bodyLength(InputStream in) throws IOException {
    int length = 0;
    for (int header = 0; header < MAX_HEADERS; header++) {
      String line = SocketServer.readLine(in);
      if (line == null || line.isBlank()) {
        return length;
      }
      if (line.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
        length = Integer.parseInt(line.substring(LENGTH.length()).strip());
        if (length < 0 || length > MAX_VALUE_BYTES) {
          throw new IllegalArgumentException(
              "a value of " + length + " bytes, above " + MAX_VALUE_BYTES);
        }
      }
    }
    throw new IllegalArgumentException("more than " + MAX_HEADERS + " headers");
  }

  private synchronized byte[] get(String key) {
    return values.get(key);
  }

  private synchronized boolean put(String key, byte[] value) {
    if (values.size() >= MAX_KEYS && !values.containsKey(key)) {
      return false;
    }
    values.put(key, value);
    return true;
  }

  private static void send(OutputStream out, String status, byte[] body) throws IOException {
    String head =
        "HTTP/1.1 "
            + status
            + "\r\nContent-Length: "
            + body.length
            + "\r\nConnection: close\r\n\r\n";
    byte[] start = head.getBytes(StandardCharsets.ISO_8859_1);
    byte[] all = new byte[start.length + body.length];
    System.arraycopy(start, 0, all, 0, start.length);
    System.arraycopy(body, 0, all, start.length, body.length);
    out.write(all);
    out.flush();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
