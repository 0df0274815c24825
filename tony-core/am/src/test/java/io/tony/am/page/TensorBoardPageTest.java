package io.tony.am.page;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.http.NoFreePortException;
import io.tony.model.PortRange;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** What anybody can ask of the page, over real connections; TensorBoardIT shows it behind YARN. */
public class TensorBoardPageTest {
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final HttpClient client = HttpClient.newHttpClient();

  private HttpResponse<String> look(TensorBoardPage page) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(page.url() + "?a=b")).build(), BodyHandlers.ofString());
  }

  @Test
  public void shouldLeadToTensorBoard() throws Exception {
    try (TensorBoardPage page = TensorBoardPage.serve("localhost", PortRange.ANY)) {
      page.redirectTo("http://node:6006/?a=\"<b>&c");
      HttpResponse<String> answer = look(page);
      assertEquals(200, answer.statusCode());
      assertEquals("text/html; charset=utf-8", answer.headers().firstValue("Content-Type").get());
      assertEquals("no-store", answer.headers().firstValue("Cache-Control").get());
      assertTrue(
          answer.body(),
          answer.body().contains("<a href=\"http://node:6006/?a=&quot;&lt;b>&amp;c\">TensorBoard"));
    }
  }

  @Test
  public void shouldBeServedWhateverOthersDoToIt() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try (TensorBoardPage page = TensorBoardPage.serve("localhost", PortRange.ANY)) {
      page.redirectTo("http://node:6006/");
      for (int i = 0; i < 300; i++) {
        Socket socket = connect(page);
        silent.add(socket);
        if (i > 0) { // what the first had said, and nobody read, would end it in another way
          say(socket, i % 2 == 0 ? "GET / HT" : "\u0000\u00ff\n");
        }
      }
      assertEquals("the oldest is closed", -1, silent.get(0).getInputStream().read());
      assertEquals(200, look(page).statusCode());
      try (Socket socket = connect(page)) {
        say(socket, "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nsome body");
        socket.shutdownOutput();
        InputStream in = socket.getInputStream();
        String answer = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        assertTrue(answer, answer.startsWith("HTTP/1.1 413 "));
      }
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  @Test
  public void shouldTakeItsPortFromTheRange() throws Exception {
    try (TensorBoardPage page = TensorBoardPage.serve("localhost", PortRange.ANY)) {
      int port = URI.create(page.url()).getPort();
      NoFreePortException none =
          assertThrows(
              NoFreePortException.class,
              () -> TensorBoardPage.serve("localhost", new PortRange(port, port)).close());
      assertTrue(none.getMessage(), none.getMessage().contains("the page that leads to"));
      try (TensorBoardPage other =
          TensorBoardPage.serve("localhost", new PortRange(port - 20, port + 20))) {
        int taken = URI.create(other.url()).getPort();
        assertTrue(taken + " beside " + port, taken != port && Math.abs(taken - port) <= 20);
      }
    }
  }

  private static Socket connect(TensorBoardPage page) throws IOException {
    return new Socket(InetAddress.getByName("localhost"), URI.create(page.url()).getPort());
  }

  private static void say(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
