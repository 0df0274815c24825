package io.tony.am.serve;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** One request and its answer; then the connection ends. */
public final class HttpConversation implements Conversation {
  /** The request line and all headers; clients of ours send some hundred. */
  static final int MAX_HEAD_BYTES = 16 * 1024;

  /** No browser is to take words of ours, or of a caller, for a page. */
  private static final Map<String, String> TEXT =
      Map.of("Content-Type", "text/plain; charset=utf-8", "X-Content-Type-Options", "nosniff");

  /**
   * What answers. The answer may come later, by {@link HttpConversation#answer} of the same
   * conversation.
   */
  public interface Service {
    /** Throws a {@link Refusal} for a request whose body is not worth waiting for. */
    void check(HttpRequest head, long bodyLength);

    void serve(HttpRequest request, byte[] body, HttpConversation conversation);
  }

  private final Caller caller;
  private final Service service;
  private final StringBuilder line = new StringBuilder();
  private final Map<String, String> headers = new HashMap<>();
  private ByteArrayOutputStream body = new ByteArrayOutputStream(0);
  private int headBytes;
  private String requestLine;
  private HttpRequest head;
  private int bodyLength;
  private boolean complete;

  public HttpConversation(Caller caller, Service service) {
    this.caller = caller;
    this.service = service;
  }

  public Caller caller() {
    return caller;
  }

  @Override
  public void take(ByteBuffer received) {
    if (complete) {
      return; // a client that says more than one request hears one answer
    }
    while (head == null && received.hasRemaining()) {
      takeOfHead((char) (received.get() & 0xff));
    }
    if (head == null) {
      caller.hold(headBytes);
      return;
    }
    int length = Math.min(received.remaining(), bodyLength - body.size());
    byte[] part = new byte[length];
    received.get(part);
    body.write(part, 0, length);
    if (body.size() == bodyLength) {
      serve();
    } else {
      caller.hold(headBytes + body.size());
    }
  }

  /** Keeps nothing of the request but what waits with it, such as its key. */
  private void serve() {
    complete = true;
    HttpRequest request = head;
    byte[] value = body.toByteArray();
    head = null;
    headers.clear();
    body = new ByteArrayOutputStream(0);
    caller.hold(headBytes);
    if (caller.isOpen()) {
      service.serve(request, value, this);
    }
  }

  private void takeOfHead(char next) {
    if (++headBytes > MAX_HEAD_BYTES) {
      throw new Refusal(
          431, "bytes of a request's head", "its head is above " + MAX_HEAD_BYTES + " bytes");
    }
    if (next != '\n') {
      line.append(next);
      return;
    }
    String text = line.toString().strip();
    line.setLength(0);
    if (requestLine == null) {
      if (!text.isEmpty()) { // some clients end a body with one more line
        requestLine = text;
        checkRequestLine();
      }
    } else if (!text.isEmpty()) {
      int colon = text.indexOf(':');
      if (colon < 1) {
        throw Refusal.nonsense("a header without a name");
      }
      headers.put(
          text.substring(0, colon).toLowerCase(Locale.ROOT), text.substring(colon + 1).strip());
    } else {
      endOfHead();
    }
  }

  private void checkRequestLine() {
    String[] words = requestLine.split(" ", -1);
    if (words.length != 3 || !words[2].startsWith("HTTP/1.") || !words[1].startsWith("/")) {
      throw Refusal.nonsense("not a request of HTTP/1.1");
    }
  }

  private void endOfHead() {
    String[] words = requestLine.split(" ", -1);
    HttpRequest begun = new HttpRequest(words[0], words[1], headers);
    if (!begun.header("transfer-encoding").isEmpty()) {
      throw new Refusal(411, "bodies without a length", "send the body with its Content-Length");
    }
    long length = length(begun.header("content-length"));
    service.check(begun, length);
    bodyLength = Math.toIntExact(length);
    if (bodyLength > 0 && begun.header("expect").equalsIgnoreCase("100-continue")) {
      caller.tell("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
    }
    head = begun;
  }

  private static long length(String text) {
    try {
      long length = text.isEmpty() ? 0 : Long.parseLong(text);
      if (length >= 0) {
        return length;
      }
    } catch (NumberFormatException e) {
      // As below.
    }
    throw Refusal.nonsense("Content-Length is no number");
  }

  @Override
  public void refuse(Refusal refusal) {
    byte[] text = refusal.getMessage().getBytes(StandardCharsets.UTF_8);
    if (complete) {
      caller.finish(start(refusal.status(), text.length, TEXT), text);
    } else {
      complete = true;
      caller.hold(0);
      caller.interrupt(start(refusal.status(), text.length, TEXT), text);
    }
  }

  public void answer(int status, byte[] value) {
    caller.finish(start(status, value.length, Map.of()), value);
  }

  public void answer(int status, String text) {
    answer(status, TEXT, text);
  }

  public void answer(int status, Map<String, String> more, String text) {
    answer(status, more, text.getBytes(StandardCharsets.UTF_8));
  }

  public void answer(int status, Map<String, String> more, byte[] value) {
    caller.finish(start(status, value.length, more), value);
  }

  /** Horovod's client knows {@code Content-Length} in this spelling only. */
  private static byte[] start(int status, int length, Map<String, String> more) {
    StringBuilder start = new StringBuilder("HTTP/1.1 " + status + " " + reason(status) + "\r\n");
    start.append("Content-Length: " + length + "\r\nConnection: close\r\n");
    more.forEach((name, value) -> start.append(name + ": " + value + "\r\n"));
    return start.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
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
