package io.tony.azkaban.viewer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * HTTP client that only sends GET requests, without any login, cookie or redirect. Java's own
 * client could use this process's Kerberos ticket, share cookies and follow redirects; a reader
 * could then see what only Azkaban's web server is allowed to see.
 */
final class PlainGet {
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3})(?: [^\r\n]*)?");
  private static final byte[] END_OF_HEAD = {'\r', '\n', '\r', '\n'};
  private static final int MAX_HEAD_BYTES = 64 * 1024;
  private static final int HTTPS_PORT = 443;
  private static final int HTTP_PORT = 80;

  /** Time limits of requests. */
  static final class HttpTimeouts {
    static final HttpTimeouts DEFAULT =
        new HttpTimeouts(Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofSeconds(30));

    private final Duration connect;
    private final Duration read;
    private final Duration total;

    /**
     * Creates time limits.
     *
     * @param connect for establishing a connection
     * @param read for the wait for the next bytes
     * @param total for all requests together that serve one request of a reader
     */
    HttpTimeouts(Duration connect, Duration read, Duration total) {
      this.connect = connect;
      this.read = read;
      this.total = total;
    }
  }

  private final HttpTimeouts timeouts;
  private final int maxBytes;
  private final SSLSocketFactory tls;

  /**
   * Creates a client with Java's default TLS settings.
   *
   * @param maxBytes maximum size of an answer's content
   */
  PlainGet(HttpTimeouts timeouts, int maxBytes) {
    this(timeouts, maxBytes, (SSLSocketFactory) SSLSocketFactory.getDefault());
  }

  /**
   * Creates a client whose TLS connections are made by this factory.
   *
   * @param maxBytes maximum size of an answer's content
   */
  PlainGet(HttpTimeouts timeouts, int maxBytes, SSLSocketFactory tls) {
    this.timeouts = timeouts;
    this.maxBytes = maxBytes;
    this.tls = tls;
  }

  /**
   * Returns the common deadline for all requests that serve one request of a reader, counted from
   * now, as a value of {@link System#nanoTime}.
   */
  long newDeadlineNanos() {
    return System.nanoTime() + timeouts.total.toNanos();
  }

  /**
   * Sends a GET request and reads the whole answer.
   *
   * @param deadlineNanos as returned by {@link #newDeadlineNanos}
   * @throws IOException if the connection fails, or if the answer is late, incomplete, too long or
   *     not HTTP
   */
  Response get(URI address, long deadlineNanos) throws IOException {
    boolean secure = address.getScheme().equals("https");
    int port = address.getPort() >= 0 ? address.getPort() : secure ? HTTPS_PORT : HTTP_PORT;
    try (TimedSocket plain = new TimedSocket(deadlineNanos, timeouts.read)) {
      plain.connect(
          new InetSocketAddress(address.getHost(), port), plain.boundedMillis(timeouts.connect));
      try (Socket socket = secure ? secured(plain, address.getHost(), port) : plain) {
        socket.getOutputStream().write(requestBytes(address));
        socket.getOutputStream().flush();
        return parseResponse(readAll(socket.getInputStream()));
      }
    }
  }

  private Socket secured(Socket plain, String host, int port) throws IOException {
    SSLSocket socket = (SSLSocket) tls.createSocket(plain, host, port, true);
    SSLParameters parameters = socket.getSSLParameters();
    // Makes the TLS handshake fail if the server's certificate is not for this host.
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    return socket;
  }

  /**
   * Returns the bytes of the request. It is in HTTP 1.0, in which an answer ends with the end of
   * its connection.
   */
  private static byte[] requestBytes(URI address) {
    String target =
        address.getRawPath() + (address.getRawQuery() == null ? "" : "?" + address.getRawQuery());
    String text = "GET " + target + " HTTP/1.0\r\nHost: " + address.getRawAuthority() + "\r\n\r\n";
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private byte[] readAll(InputStream in) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] buffer = new byte[64 * 1024];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      if (all.size() + (long) count > (long) maxBytes + MAX_HEAD_BYTES) {
        throw tooLong();
      }
      all.write(buffer, 0, count);
    }
    return all.toByteArray();
  }

  private IOException tooLong() {
    return new IOException("the answer has more than " + maxBytes + " bytes");
  }

  private Response parseResponse(byte[] all) throws IOException {
    int end = endOfHead(all);
    String[] head = new String(all, 0, end, StandardCharsets.ISO_8859_1).split("\r\n", -1);
    Matcher status = STATUS.matcher(head[0]);
    if (!status.matches()) {
      throw new IOException("what came is no answer of HTTP");
    }
    int begin = end + END_OF_HEAD.length;
    int length = all.length - begin;
    if (length > maxBytes) {
      throw tooLong();
    }
    for (String line : head) {
      String[] header = line.toLowerCase(Locale.ROOT).split(":", 2);
      boolean truncated =
          header[0].equals("content-length") && !header[1].trim().equals(Integer.toString(length));
      if (truncated || header[0].equals("transfer-encoding")) {
        throw new IOException("the answer is not whole");
      }
    }
    byte[] content = new byte[length];
    System.arraycopy(all, begin, content, 0, length);
    return new Response(Integer.parseInt(status.group(1)), content);
  }

  private static int endOfHead(byte[] all) throws IOException {
    for (int at = 0; at + END_OF_HEAD.length <= all.length && at < MAX_HEAD_BYTES; at++) {
      if (all[at] == '\r' && all[at + 1] == '\n' && all[at + 2] == '\r' && all[at + 3] == '\n') {
        return at;
      }
    }
    throw new IOException("what came is no answer of HTTP");
  }

  /** An HTTP answer: status and content. */
  static final class Response {
    private static final int OK = 200;
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int REDIRECTS = 3;
    private static final int FAILURES = 5;

    private final int status;
    private final byte[] content;

    Response(int status, byte[] content) {
      this.status = status;
      this.content = content;
    }

    boolean isOk() {
      return status == OK;
    }

    /** Returns true if the status is a server error (5xx); a later request may succeed. */
    boolean isFailure() {
      return status / 100 == FAILURES;
    }

    /**
     * Returns true if the status is 401, 403 or a redirect: the server requires a login, which
     * Azkaban's web server cannot perform for the reader.
     */
    boolean wantsLogin() {
      return status == UNAUTHORIZED || status == FORBIDDEN || status / 100 == REDIRECTS;
    }

    int status() {
      return status;
    }

    byte[] content() {
      return content;
    }
  }
}
