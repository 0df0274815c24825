package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.azkaban.viewer.PlainGet.HttpTimeouts;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLHandshakeException;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** How long the history is waited for, and how much of it is taken. */
public final class PlainGetTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(200);

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule public final Timeout limit = Timeout.seconds(60);

  private final CountDownLatch over = new CountDownLatch(1);
  private StandInHistory history;

  @Before
  public void open() throws IOException {
    history = new StandInHistory();
  }

  @After
  public void close() {
    over.countDown();
    history.close();
  }

  private byte[] get(HttpTimeouts patience, int most) throws IOException {
    return ask(new PlainGet(patience, most), history.address() + "/x");
  }

  private static byte[] ask(PlainGet get, String address) throws IOException {
    return get.get(URI.create(address), get.newDeadlineNanos()).content();
  }

  @Test
  public void shouldNotWaitForASilentHistory() {
    history.trouble = exchange -> await();
    assertThrows(
        SocketTimeoutException.class, () -> get(new HttpTimeouts(LONG, SHORT, LONG), 1_000));
  }

  private void await() {
    try {
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  public void shouldNotWaitForOneThatTrickles() {
    history.trouble =
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          OutputStream out = exchange.getResponseBody();
          while (over.getCount() > 0) {
            out.write(' ');
            out.flush();
          }
        };
    IOException e =
        assertThrows(
            IOException.class, () -> get(new HttpTimeouts(LONG, LONG, SHORT), Integer.MAX_VALUE));
    assertEquals("the answer takes too long", e.getMessage());
  }

  @Test
  public void shouldNotWaitForAHandshakeWithoutEnd() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      PlainGet get = new PlainGet(new HttpTimeouts(LONG, LONG, SHORT), 1_000);
      IOException e =
          assertThrows(
              IOException.class, () -> ask(get, "https://localhost:" + silent.getLocalPort()));
      assertEquals("the answer takes too long", e.getMessage());
    }
  }

  @Test
  public void shouldAskNobodyAfterTheDeadline() throws IOException {
    PlainGet get = new PlainGet(new HttpTimeouts(LONG, LONG, Duration.ZERO), 1_000);
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      server.configureBlocking(false);
      String address = "http://localhost:" + server.socket().getLocalPort() + "/x";

      assertThrows(SocketTimeoutException.class, () -> ask(get, address));

      assertNull("whoever connected would be waiting here", server.accept());
    }
  }

  @Test
  public void shouldBelieveACertificateOfTheHostAlone() throws Exception {
    try (SecureServer server = new SecureServer(folder.newFolder().toPath(), "localhost")) {
      assertEquals("well", new String(get(server), StandardCharsets.UTF_8));
    }
    try (SecureServer server = new SecureServer(folder.newFolder().toPath(), "elsewhere")) {
      assertThrows(SSLHandshakeException.class, () -> get(server));
    }
  }

  private static byte[] get(SecureServer server) throws IOException {
    PlainGet get = new PlainGet(HttpTimeouts.DEFAULT, 1_000, server.trusting().getSocketFactory());
    return ask(get, server.address() + "/x");
  }

  @Test
  public void shouldTakeNoAnswerWithoutEnd() throws Exception {
    history.trouble = exchange -> StandInHistory.answer(exchange, 200, "x".repeat(1_000));
    assertEquals(1_000, get(HttpTimeouts.DEFAULT, 1_000).length);
    IOException e = assertThrows(IOException.class, () -> get(HttpTimeouts.DEFAULT, 999));
    assertTrue(e.getMessage(), e.getMessage().contains("999 bytes"));
  }

  @Test
  public void shouldTakeNoPartForTheWhole() throws Exception {
    for (String answer :
        List.of(
            "HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
            "HTTP/1.0 200 OK\r\nContent-",
            "SSH-2.0-x\r\n\r\n",
            "")) {
      try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        Thread serving = new Thread(() -> serve(server, answer));
        serving.start();
        String address = "http://localhost:" + server.getLocalPort() + "/";
        PlainGet get = new PlainGet(HttpTimeouts.DEFAULT, 1_000);
        assertThrows(answer, IOException.class, () -> ask(get, address));
        serving.join();
      }
    }
  }

  private static void serve(ServerSocket server, String answer) {
    try (Socket caller = server.accept()) {
      InputStream in = caller.getInputStream();
      for (String end = ""; !end.endsWith("\r\n\r\n"); ) {
        end += (char) in.read();
      }
      caller.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  public void shouldTakeAnAddressOfAWebPageOnly() {
    PlainGet get = new PlainGet(HttpTimeouts.DEFAULT, 1);
    for (String wrong :
        List.of("file:///etc/", "history:18090", "http:///x", "http://a:b@h/", "http://h/?x=1")) {
      assertThrows(wrong, IllegalArgumentException.class, () -> new HistoryService(wrong, get));
    }
  }
}
