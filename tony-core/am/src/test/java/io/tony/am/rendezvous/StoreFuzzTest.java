package io.tony.am.rendezvous;

import static io.tony.fuzz.HttpCaller.bytes;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.am.http.ListeningPorts;
import io.tony.fuzz.Fuzz;
import io.tony.fuzz.HttpCaller;
import io.tony.model.PortRange;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** The stores of the ApplicationMaster, called by bytes that are nearly right. */
public class StoreFuzzTest {
  private static final String TOKEN = "0123";
  private static final String LOGIN = " HTTP/1.1\r\nAuthorization: Bearer " + TOKEN + "\r\n";
  private static final StoreLimits LIMITS =
      new StoreLimits(8, 4, 100, 1_000, 100_000, Duration.ofMinutes(5));

  private static final List<byte[]> REQUESTS =
      List.of(
          bytes("PUT /a" + LOGIN + "Content-Length: 5\r\n\r\nvalue"),
          bytes("PUT /b%20c/d" + LOGIN + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n\0\1"),
          bytes("GET /a" + LOGIN + "\r\n"),
          bytes("GET /b?wait=3600" + LOGIN + "Host: localhost:80\r\nAccept: */*\r\n\r\n"),
          bytes("DELETE /a" + LOGIN + "\r\n"),
          bytes("POST /n?add=1" + LOGIN + "Content-Length: 0\r\n\r\n"),
          bytes("POST /n?barrier=1&member=a&wait=60" + LOGIN + "\r\n"));

  @Rule public final Timeout limit = Timeout.seconds(120);

  private final List<AutoCloseable> opened = new ArrayList<>();

  @After
  public void close() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  private static ListeningPorts loopback() {
    return new ListeningPorts("127.0.0.1", PortRange.ANY, "a test");
  }

  private HttpCaller generic() throws IOException {
    HttpStore store = HttpStore.start(loopback(), LIMITS, TOKEN);
    opened.add(store);
    return new HttpCaller(store.port());
  }

  private HttpCaller horovod() throws IOException {
    HorovodStore store = HorovodStore.start(loopback(), LIMITS);
    opened.add(store);
    return new HttpCaller(store.port());
  }

  private static void assertServed(HttpCaller store) throws IOException {
    byte[] put = bytes("PUT /good" + LOGIN + "Content-Length: 4\r\n\r\ngood");
    assertEquals(Integer.valueOf(200), store.statusOf(put));
    assertEquals(Integer.valueOf(200), store.statusOf(bytes("GET /good" + LOGIN + "\r\n")));
    byte[] delete = bytes("DELETE /good" + LOGIN + "\r\n");
    assertEquals(Integer.valueOf(200), store.statusOf(delete));
  }

  @Test
  public void shouldAnswerRequestsThatAreNearlyRight() throws Exception {
    for (HttpCaller store : List.of(generic(), horovod())) {
      new Fuzz("http", REQUESTS)
          .run(
              1_500,
              request -> {
                store.statusOf(request);
                assertServed(store);
              });
    }
  }

  @Test
  public void shouldTakeARequestInAnyTwoParts() throws Exception {
    HttpCaller store = generic();
    for (byte[] request : REQUESTS) {
      if (new String(request, StandardCharsets.ISO_8859_1).contains("wait")) {
        continue; // it has hung up before there is an answer
      }
      store.statusOf(bytes("PUT /a" + LOGIN + "Content-Length: 5\r\n\r\nvalue"));
      Integer whole = store.statusOf(request);
      for (int first = 1; first < request.length; first++) {
        store.statusOf(bytes("PUT /a" + LOGIN + "Content-Length: 5\r\n\r\nvalue"));
        assertEquals("at " + first, whole, store.statusOf(request, first));
      }
    }
  }

  @Test
  public void shouldAnswerTheFirstOfSeveralRequestsOnly() throws Exception {
    HttpCaller store = generic();
    for (byte[] first : REQUESTS) {
      String both = new String(first, StandardCharsets.ISO_8859_1);
      store.statusOf(bytes(both + "PUT /smuggled" + LOGIN + "Content-Length: 1\r\n\r\nx"));
      byte[] look = bytes("GET /smuggled" + LOGIN + "\r\n");
      assertEquals(Integer.valueOf(404), store.statusOf(look));
    }
  }

  // ---- PMI ----

  private static final List<String> COMMANDS =
      List.of(
          "initack",
          "init",
          "get_maxes",
          "get_appnum",
          "get_my_kvsname",
          "get_universe_size",
          "put",
          "get",
          "barrier_in",
          "finalize",
          "publish_name",
          "unpublish_name",
          "lookup_name",
          "spawn",
          "abort",
          "none");

  private static final List<String> ARGUMENTS =
      List.of(
          "pmiid=0",
          "pmiid=1",
          "pmiid=2147483648",
          "pmiid=-1",
          "kvsname=tony",
          "key=a",
          "key=" + "k".repeat(65),
          "key=",
          "value=",
          "value=a value with blanks=and more",
          "value=" + "v".repeat(1_025),
          "cmd=put",
          "exitcode=1",
          "=",
          "word",
          "");

  private static byte[] conversation(Random random) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < random.nextInt(12); i++) {
      lines.append("cmd=").append(pick(COMMANDS, random));
      for (int k = 0; k < random.nextInt(4); k++) {
        lines.append(' ').append(pick(ARGUMENTS, random));
      }
      lines.append('\n');
    }
    return bytes(lines.toString());
  }

  private static String pick(List<String> list, Random random) {
    return list.get(random.nextInt(list.size()));
  }

  /** What the ranks are told, line by line; the connection is closed by either. */
  private static void converse(int port, byte[] said, Random random) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      try {
        for (int at = 0; at < said.length; ) {
          int length = Math.min(1 + random.nextInt(200), said.length - at);
          socket.getOutputStream().write(said, at, length);
          at += length;
        }
        socket.shutdownOutput();
        String told =
            new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        assertTrue(told, told.matches("(cmd=[a-z_]+( [a-z_]+=[^\n]*)*\n)*"));
      } catch (SocketException e) {
        // It was hung up on.
      }
    }
  }

  @Test
  public void shouldServeRanksAfterConversationsThatAreNearlyRight() throws Exception {
    PmiServer server = PmiServer.start(loopback(), LIMITS, 2);
    opened.add(server);
    List<byte[]> valid = new ArrayList<>();
    Random random = new Random(Fuzz.SEED);
    for (int i = 0; i < 300; i++) {
      valid.add(conversation(random));
    }

    new Fuzz("pmi", valid)
        .run(
            1_500,
            said -> {
              converse(server.port(), said, random);
              try (Socket rank = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                rank.getOutputStream().write(bytes("cmd=initack pmiid=1\ncmd=get key=none\n"));
                BufferedReader in =
                    new BufferedReader(
                        new InputStreamReader(rank.getInputStream(), StandardCharsets.ISO_8859_1));
                assertEquals("cmd=initack", in.readLine());
                assertEquals("cmd=set size=2", in.readLine());
                assertEquals("cmd=set rank=1", in.readLine());
                assertEquals("cmd=set debug=0", in.readLine());
                assertTrue(in.readLine().startsWith("cmd=get_result rc=-1"));
              }
            });
  }
}
