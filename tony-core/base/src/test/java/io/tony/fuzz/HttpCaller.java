package io.tony.fuzz;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Calls a server of ours by bytes that need not be a request, and judges what it says. */
public final class HttpCaller {
  private static final Pattern CONTINUE = Pattern.compile("^HTTP/1\\.1 100 Continue(\\r\\n){2}");

  /** The whole of an answer: one line, headers, and as many bytes as they say. */
  private static final Pattern ANSWER =
      Pattern.compile(
          "HTTP/1\\.1 ([2-5]\\d\\d) [A-Z][A-Za-z ]+\\r\\n"
              + "Content-Length: (\\d+)\\r\\nConnection: close\\r\\n"
              + "([A-Z][A-Za-z-]*: [\\x20-\\x7e]+\\r\\n)*\\r\\n(.*)",
          Pattern.DOTALL);

  private final int port;

  public HttpCaller(int port) {
    this.port = port;
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** What it hears of bytes after which nothing follows; null for nothing. */
  public Integer statusOf(byte[] request) throws IOException {
    return statusOf(request, request.length);
  }

  /** The same in two parts, between which another caller is served. */
  public Integer statusOf(byte[] request, int first) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      try {
        socket.getOutputStream().write(request, 0, first);
        if (first < request.length) {
          statusOf(bytes("GET /other HTTP/1.1\r\n\r\n"));
          socket.getOutputStream().write(request, first, request.length - first);
        }
        socket.shutdownOutput();
      } catch (SocketException e) {
        // It was refused before it had said all.
      }
      return status(heard(socket));
    }
  }

  private static String heard(Socket socket) throws IOException {
    ByteArrayOutputStream heard = new ByteArrayOutputStream();
    InputStream in = socket.getInputStream();
    try {
      byte[] part = new byte[8192];
      for (int length = in.read(part); length >= 0; length = in.read(part)) {
        heard.write(part, 0, length);
      }
    } catch (SocketException e) {
      // Reset: it was told nothing more.
    }
    return heard.toString(StandardCharsets.ISO_8859_1);
  }

  private static Integer status(String heard) {
    String answer = CONTINUE.matcher(heard).replaceFirst("");
    if (answer.isEmpty()) {
      return null;
    }
    Matcher whole = ANSWER.matcher(answer);
    assertTrue("one answer: " + heard, whole.matches());
    assertEquals(heard, Integer.parseInt(whole.group(2)), whole.group(4).length());
    return Integer.valueOf(whole.group(1));
  }
}
