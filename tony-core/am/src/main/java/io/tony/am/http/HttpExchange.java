package io.tony.am.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One HTTP request and its answer. The connection is closed after the answer. */
public final class HttpExchange implements ConnectionHandler {
  /**
   * Maximum number of bytes of the request line and all headers together; TonY's clients send about
   * 100.
   */
  static final int MAX_HEAD_BYTES = 16 * 1024;

  /**
   * Headers of a text answer. They prevent browsers from rendering the text, which may contain
   * parts of a request, as HTML.
   */
  private static final Map<String, String> TEXT =
      Map.of("Content-Type", "text/plain; charset=utf-8", "X-Content-Type-Options", "nosniff");

  /**
   * Answers requests, at once or later, by calling one of the exchange's {@code answer} methods.
   */
  public interface Service {
    /**
     * Checks the request line and headers before the body is read.
     *
     * @throws RequestRejectedException to reject the request without reading its body
     */
    void check(HttpRequest head, long bodyLength);

    void serve(HttpRequest request, byte[] body, HttpExchange exchange);
  }

  private final Connection connection;
  private final Service service;
  private final StringBuilder line = new StringBuilder();
  private final Map<String, String> headers = new HashMap<>();
  private ByteArrayOutputStream body = new ByteArrayOutputStream(0);
  private int headBytes;
  private @Nullable String requestLine; // null until it is complete
  private @Nullable HttpRequest head; // null until it is complete, and once it is served
  private int bodyLength;
  private boolean complete;

  public HttpExchange(Connection connection, Service service) {
    this.connection = connection;
    this.service = service;
  }

  public Connection connection() {
    return connection;
  }

  @Override
  public void receive(ByteBuffer received) {
    if (complete) {
      // One request per connection: further input is ignored.
      return;
    }
    while (head == null && received.hasRemaining()) {
      readHeadByte((char) (received.get() & 0xff));
    }
    HttpRequest request = head;
    if (request == null) {
      connection.setHeldBytes(headBytes);
      return;
    }
    int length = Math.min(received.remaining(), bodyLength - body.size());
    byte[] part = new byte[length];
    received.get(part);
    body.write(part, 0, length);
    if (body.size() == bodyLength) {
      serve(request);
    } else {
      connection.setHeldBytes(headBytes + body.size());
    }
  }

  /**
   * Passes the complete request to the service, and releases the body's memory. The bytes of the
   * headers still count as buffered until the request is answered.
   */
  private void serve(HttpRequest request) {
    complete = true;
    byte[] value = body.toByteArray();
    head = null;
    headers.clear();
    body = new ByteArrayOutputStream(0);
    connection.setHeldBytes(headBytes);
    if (connection.isOpen()) {
      service.serve(request, value, this);
    }
  }

  private void readHeadByte(char next) {
    if (++headBytes > MAX_HEAD_BYTES) {
      throw new RequestRejectedException(
          431, "bytes of a request's head", "its head is above " + MAX_HEAD_BYTES + " bytes");
    }
    if (next != '\n') {
      line.append(next);
      return;
    }
    String text = line.toString().strip();
    line.setLength(0);
    if (requestLine == null) {
      // Some clients send an extra empty line after a body.
      if (!text.isEmpty()) {
        requestLine = text;
        checkRequestLine(text);
      }
    } else if (!text.isEmpty()) {
      int colon = text.indexOf(':');
      if (colon < 1) {
        throw RequestRejectedException.badRequest("a header without a name");
      }
      headers.put(
          text.substring(0, colon).toLowerCase(Locale.ROOT), text.substring(colon + 1).strip());
    } else {
      completeHead(requestLine);
    }
  }

  private static void checkRequestLine(String start) {
    String[] parts = start.split(" ", -1);
    if (parts.length != 3 || !parts[2].startsWith("HTTP/1.") || !parts[1].startsWith("/")) {
      throw RequestRejectedException.badRequest("not a request of HTTP/1.1");
    }
  }

  private void completeHead(String start) {
    String[] parts = start.split(" ", -1);
    HttpRequest newHead = new HttpRequest(parts[0], parts[1], headers);
    if (!newHead.header("transfer-encoding").isEmpty()) {
      throw new RequestRejectedException(
          411, "bodies without a length", "send the body with its Content-Length");
    }
    long length = length(newHead.header("content-length"));
    service.check(newHead, length);
    bodyLength = Math.toIntExact(length);
    if (bodyLength > 0 && newHead.header("expect").equalsIgnoreCase("100-continue")) {
      connection.send("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
    }
    head = newHead;
  }

  private static long length(String text) {
    try {
      long length = text.isEmpty() ? 0 : Long.parseLong(text);
      if (length >= 0) {
        return length;
      }
    } catch (NumberFormatException e) {
      // A text that is no number is rejected below, like a negative number.
    }
    throw RequestRejectedException.badRequest("Content-Length is no number");
  }

  @Override
  public void reject(RequestRejectedException rejection) {
    byte[] text = rejection.getMessage().getBytes(StandardCharsets.UTF_8);
    if (complete) {
      connection.finish(responseHead(rejection.status(), text.length, TEXT), text);
    } else {
      complete = true;
      connection.setHeldBytes(0);
      connection.interrupt(responseHead(rejection.status(), text.length, TEXT), text);
    }
  }

  public void answer(int status, byte[] value) {
    connection.finish(responseHead(status, value.length, Map.of()), value);
  }

  public void answer(int status, String text) {
    answer(status, TEXT, text);
  }

  public void answer(int status, Map<String, String> moreHeaders, String text) {
    answer(status, moreHeaders, text.getBytes(StandardCharsets.UTF_8));
  }

  public void answer(int status, Map<String, String> moreHeaders, byte[] value) {
    connection.finish(responseHead(status, value.length, moreHeaders), value);
  }

  /**
   * Returns the status line and headers. {@code Content-Length} must have exactly this
   * capitalization, because Horovod's client is case-sensitive.
   */
  private static byte[] responseHead(int status, int length, Map<String, String> moreHeaders) {
    StringBuilder builder = new StringBuilder("HTTP/1.1 " + status + " " + reason(status) + "\r\n");
    builder.append("Content-Length: " + length + "\r\nConnection: close\r\n");
    moreHeaders.forEach((name, value) -> builder.append(name + ": " + value + "\r\n"));
    return builder.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String reason(int status) {
    return switch (status) {
      case 200 -> "OK";
      case 302 -> "Found";
      case 400 -> "Bad Request";
      case 401 -> "Unauthorized";
      case 403 -> "Forbidden";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 408 -> "Request Timeout";
      case 411 -> "Length Required";
      case 413 -> "Content Too Large";
      case 431 -> "Request Header Fields Too Large";
      case 503 -> "Service Unavailable";
      case 507 -> "Insufficient Storage";
      default -> throw new IllegalArgumentException("no reason for " + status);
    };
  }
}
