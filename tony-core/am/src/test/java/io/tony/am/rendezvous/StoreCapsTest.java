package io.tony.am.rendezvous;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.am.http.ListeningPorts;
import io.tony.model.PortRange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
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

/**
 * What callers of a store can do to it, by real connections: each is refused in the way that its
 * cap says, while one who behaves is served.
 */
public class StoreCapsTest {
  /** Small enough to be met soon. */
  private static final StoreLimits SMALL =
      new StoreLimits(8, 2, 100, 1_000, 100_000, Duration.ofMinutes(5));

  private static final StoreLimits IMPATIENT =
      new StoreLimits(1_000, 2, 100, 1_000, 100_000, Duration.ofSeconds(1));

  private static final String TOKEN = "0123";

  @Rule public final Timeout limit = Timeout.seconds(60);

  private final List<AutoCloseable> opened = new ArrayList<>();
  private int port;

  @After
  public void close() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  // ---- The stores ----

  private static ListeningPorts loopback() {
    return new ListeningPorts("127.0.0.1", PortRange.ANY, "a test");
  }

  private void horovod(StoreLimits limits) throws IOException {
    HorovodStore store = HorovodStore.start(loopback(), limits);
    opened.add(store);
    port = store.port();
  }

  private void generic(StoreLimits limits) throws IOException {
    HttpStore store = HttpStore.start(loopback(), limits, TOKEN);
    opened.add(store);
    port = store.port();
  }

  private void mpi(StoreLimits limits, int ranks) throws IOException {
    PmiServer store = PmiServer.start(loopback(), limits, ranks);
    opened.add(store);
    port = store.port();
  }

  // ---- Callers ----

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    opened.add(socket);
    return socket;
  }

  private static void say(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** All that it is told until the connection ends, in whichever way. */
  private static String hearAll(Socket socket) throws IOException {
    ByteArrayOutputStream heard = new ByteArrayOutputStream();
    InputStream in = socket.getInputStream();
    try {
      byte[] part = new byte[64 * 1024];
      for (int length = in.read(part); length >= 0; length = in.read(part)) {
        heard.write(part, 0, length);
      }
    } catch (SocketException e) {
      // Reset: it was told nothing more.
    }
    return heard.toString(StandardCharsets.ISO_8859_1);
  }

  private static String hearLine(Socket socket) throws IOException {
    StringBuilder line = new StringBuilder();
    InputStream in = socket.getInputStream();
    for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
      line.append((char) next);
    }
    return line.toString();
  }

  private String ask(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      try {
        say(socket, request);
      } catch (SocketException e) {
        // It was refused before it had said all.
      }
      return hearAll(socket);
    }
  }

  private static String put(String key, int length) {
    return head("PUT", key, length) + "x".repeat(length);
  }

  private static String head(String method, String key, int length) {
    return method
        + " /"
        + key
        + " HTTP/1.1\r\nAuthorization: Bearer "
        + TOKEN
        + "\r\nContent-Length: "
        + length
        + "\r\n\r\n";
  }

  private static String get(String key) {
    return head("GET", key, 0);
  }

  private static String status(String answer) {
    return answer.isEmpty() ? "" : answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length());
  }

  /** One who behaves. */
  private void assertServed() throws IOException {
    assertEquals("200", status(ask(put("behaves", 10))));
    String answer = ask(get("behaves"));
    assertTrue(answer, answer.endsWith("\r\n\r\n" + "x".repeat(10)));
  }

  private void assertRankServed() throws IOException {
    assertEquals("cmd=appnum appnum=0\n", ask("cmd=get_appnum\ncmd=hang_up\n"));
  }

  /** True for a connection that the store has ended. */
  private static boolean ended(Socket socket) throws IOException {
    return hearAll(socket).isEmpty();
  }

  // ---- What they keep ----

  private void assertKeysAreCapped() throws IOException {
    for (int i = 0; i < SMALL.maxKeys() - 1; i++) {
      assertEquals("200", status(ask(put("flood" + i, 1))));
    }
    assertServed();

    String refused = ask(put("one-more", 1));

    assertEquals("507", status(refused));
    assertTrue(refused, refused.endsWith("the store is full: it holds 100 keys"));
    assertServed();
  }

  @Test
  public void shouldKeepNoMoreKeysThanItsCap() throws IOException {
    horovod(SMALL);
    assertKeysAreCapped();
  }

  @Test
  public void shouldKeepNoMoreKeysThanItsCapForThoseWithATokenEither() throws IOException {
    generic(SMALL);
    assertKeysAreCapped();
    assertEquals("507", status(ask(head("POST", "gate?barrier=2&member=a&wait=0", 0))));
    assertServed();
  }

  private void assertValuesAreCapped() throws IOException {
    assertEquals("200", status(ask(put("largest", SMALL.maxValueBytes()))));

    String refused = ask(put("larger", SMALL.maxValueBytes() + 1));

    assertEquals("413", status(refused));
    assertTrue(refused, refused.endsWith("a value of 1001 bytes is above 1000"));
    assertServed();
  }

  /** The body is many times what the kernel keeps: the answer comes through all the same. */
  @Test
  public void shouldTakeNoValueAboveItsCap() throws IOException {
    horovod(SMALL);
    assertValuesAreCapped();
    assertEquals("413", status(ask(put("large", 20_000_000))));
    assertEquals("413", status(ask(head("PUT", "huge", Integer.MAX_VALUE))));
    assertServed();
  }

  @Test
  public void shouldTakeNoValueAboveItsCapFromThoseWithATokenEither() throws IOException {
    generic(SMALL);
    assertValuesAreCapped();
  }

  @Test
  public void shouldKeepNoMoreBytesThanItsCap() throws IOException {
    StoreLimits limits = new StoreLimits(8, 2, 1_000, 10_000, 50_000, Duration.ofMinutes(5));
    horovod(limits);
    assertServed();
    int kept = 0;
    String answer = ask(put("flood" + kept, 10_000));
    while (status(answer).equals("200")) {
      kept++;
      answer = ask(put("flood" + kept, 10_000));
    }

    assertEquals(4, kept);
    assertEquals("507", status(answer));
    assertTrue(answer, answer.contains("50000 bytes for all keys"));
    assertServed();
  }

  @Test
  public void shouldKeepNoMoreOfUnfinishedRequestsThanItsCap() throws IOException {
    StoreLimits limits = new StoreLimits(100, 2, 1_000, 10_000, 50_000, Duration.ofMinutes(5));
    horovod(limits);
    Socket first = connect();
    say(first, head("PUT", "never", 10_000) + "x".repeat(9_000));
    assertServed();
    for (int i = 0; i < 3; i++) {
      say(connect(), head("PUT", "never", 10_000) + "x".repeat(9_000));
    }

    assertTrue("the oldest made room", ended(first));
    assertServed();
  }

  @Test
  public void shouldKeepNoMoreOfARankThanMpisOwnLimits() throws IOException {
    mpi(new StoreLimits(8, 2, 4, 1_024, 100_000, Duration.ofMinutes(5)), 1);
    Socket rank = connect();
    say(rank, "cmd=put kvsname=tony key=" + "k".repeat(65) + " value=x\n");
    assertTrue(hearLine(rank).startsWith("cmd=put_result rc=-1"));
    say(rank, "cmd=put kvsname=tony key=a value=" + "x".repeat(1_025) + "\n");
    assertTrue(hearLine(rank).startsWith("cmd=put_result rc=-1"));
    for (String key : List.of("a", "b", "c")) {
      say(rank, "cmd=put kvsname=tony key=" + key + " value=x\n");
      assertEquals("cmd=put_result rc=0 msg=success", hearLine(rank));
    }
    say(rank, "cmd=put kvsname=tony key=d value=x\n");
    assertEquals("cmd=put_result rc=-1 msg=the_store_is_full:_it_holds_4_keys", hearLine(rank));
    say(rank, "cmd=get kvsname=tony key=c\n");
    assertEquals("cmd=get_result rc=0 msg=success value=x", hearLine(rank));
    assertRankServed();
  }

  // ---- How many they are, and for how long ----

  private List<Socket> flood(int connections) throws IOException {
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      sockets.add(connect());
    }
    return sockets;
  }

  @Test
  public void shouldCloseTheOldestOfTooManyConnections() throws IOException {
    horovod(SMALL);
    List<Socket> silent = flood(SMALL.connectionCaps().maxPending());
    assertServed();
    assertTrue(ended(silent.get(0)));

    List<Socket> more = flood(200);

    assertTrue(ended(silent.get(SMALL.connectionCaps().maxPending() - 1)));
    assertTrue(ended(more.get(0)));
    assertServed();
  }

  @Test
  public void shouldServeRanksWhileOthersConnectAndSayNothing() throws IOException {
    mpi(SMALL, 1);
    Socket rank = connect();
    say(rank, "cmd=initack pmiid=0\n");
    assertEquals("cmd=initack", hearLine(rank));

    List<Socket> silent = flood(200);

    assertTrue(ended(silent.get(0)));
    assertRankServed();
    assertEquals("cmd=set size=1", hearLine(rank));
    assertEquals("cmd=set rank=0", hearLine(rank));
    assertEquals("cmd=set debug=0", hearLine(rank));
    say(rank, "cmd=get_appnum\n");
    assertEquals("a rank is not closed for them", "cmd=appnum appnum=0", hearLine(rank));
  }

  @Test
  public void shouldTakeTwoCallersForEachRank() throws IOException {
    mpi(SMALL, 1);
    List<Socket> ranks = flood(3);
    for (Socket rank : ranks.subList(0, 2)) {
      say(rank, "cmd=initack pmiid=0\n");
      assertEquals("cmd=initack", hearLine(rank));
    }

    say(ranks.get(2), "cmd=initack pmiid=0\n");

    assertTrue(ended(ranks.get(2)));
    ranks.get(0).close();
    assertRankServed();
    Socket again = connect();
    say(again, "cmd=initack pmiid=0\n");
    assertEquals("one has gone", "cmd=initack", hearLine(again));
  }

  @Test
  public void shouldHoldNoMoreCallersThatWaitThanItsCap() throws IOException {
    generic(SMALL);
    List<Socket> waiting = flood(SMALL.connectionCaps().maxParked());
    for (Socket socket : waiting) {
      say(socket, get("late?wait=60"));
    }
    assertServed();

    String refused = ask(get("late?wait=60"));

    assertEquals("503", status(refused));
    assertServed();
    assertEquals("200", status(ask(put("late", 1))));
    for (Socket socket : waiting) {
      assertEquals("200", status(hearAll(socket)));
    }
    Socket gone = connect();
    say(gone, get("later?wait=60"));
    gone.close();
    assertServed();
    waiting = flood(SMALL.connectionCaps().maxParked());
    for (Socket socket : waiting) {
      say(socket, get("later?wait=60"));
    }
    assertEquals("200", status(ask(put("later", 1))));
    for (Socket socket : waiting) {
      assertEquals("the one who went makes room", "200", status(hearAll(socket)));
    }
  }

  @Test
  public void shouldServeAllByOneThread() throws IOException {
    horovod(StoreLimits.horovod(300, FileDescriptors.ofProcess(300)));
    flood(300);
    assertServed();
    long threads =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("horovod-store"))
            .count();
    assertEquals(1, threads);
  }

  @Test
  public void shouldCloseACallerThatSaysNothing() throws IOException {
    horovod(IMPATIENT);
    Socket silent = connect();
    assertServed();
    assertTrue(ended(silent));
    assertServed();
  }

  /** Bytes that trickle win no time. */
  private void assertTricklesEnd(String endless) throws IOException {
    Socket slow = connect();
    slow.setSoTimeout(5);
    int said = 0;
    boolean open = true;
    while (open) {
      try {
        say(slow, endless.substring(said % endless.length(), said % endless.length() + 1));
        said++;
        open = slow.getInputStream().read() >= 0;
      } catch (java.net.SocketTimeoutException e) {
        // Nothing is told to it yet.
      } catch (SocketException e) {
        open = false;
      }
    }
    assertTrue(said + " bytes were said", said > 1);
  }

  @Test
  public void shouldCloseACallerThatTricklesItsRequest() throws IOException {
    horovod(IMPATIENT);
    assertTricklesEnd("GET /a HTTP/1.1");
    assertServed();
  }

  @Test
  public void shouldCloseARankThatTricklesItsFirstLine() throws IOException {
    mpi(IMPATIENT, 1);
    assertTricklesEnd("cmd=initack ");
    assertRankServed();
  }

  @Test
  public void shouldLetARankBeSilentThatHasSaidWhichOneItIs() throws IOException {
    mpi(IMPATIENT, 1);
    Socket rank = connect();
    say(rank, "cmd=initack pmiid=0\n");
    assertEquals("cmd=initack", hearLine(rank));
    assertTrue("longer than a stranger may be silent", ended(connect()));
    for (int line = 0; line < 3; line++) {
      assertTrue(hearLine(rank).startsWith("cmd=set"));
    }
    say(rank, "cmd=finalize\n");
    assertEquals("cmd=finalize_ack", hearLine(rank));
  }

  @Test
  public void shouldCloseACallerThatDoesNotReadItsAnswer() throws IOException {
    int large = 20_000_000; // many times what the kernel keeps
    horovod(new StoreLimits(8, 0, 100, large, 100_000_000L, Duration.ofSeconds(2)));
    assertEquals("200", status(ask(put("large", large))));
    Socket deaf = connect();
    say(deaf, get("large"));
    assertServed();

    assertTrue("the next stranger is closed after it", ended(connect()));
    assertTrue(hearAll(deaf).length() < large);
    assertServed();
  }

  // ---- What they say ----

  @Test
  public void shouldNotReadAHeadWithoutEnd() throws IOException {
    horovod(SMALL);
    String endless = "GET /" + "a".repeat(1_000_000);
    assertEquals("431", status(ask(endless)));
    assertServed();
    assertEquals("431", status(ask("GET /a HTTP/1.1\r\n" + "A: b\r\n".repeat(10_000))));
    assertServed();
  }

  @Test
  public void shouldSkipEmptyLinesBeforeARequest() throws IOException {
    horovod(SMALL);
    assertEquals("404", status(ask("\r\n\r\n" + get("a"))));
    assertEquals("431", status(ask("\r\n".repeat(100_000))));
  }

  /** Each has the answer to a value that was replaced since. */
  @Test
  public void shouldKeepNoMoreOfUnreadAnswersThanItsCap() throws IOException {
    int large = 20_000_000; // many times what the kernel keeps
    horovod(new StoreLimits(100, 0, 100, large, 60_000_000L, Duration.ofMinutes(5)));
    List<Socket> deaf = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      assertEquals("200", status(ask(put("large", large))));
      Socket socket = connect();
      say(socket, get("large"));
      assertEquals("HTTP/1.1 200 OK\r", hearLine(socket));
      deaf.add(socket);
    }

    assertTrue("the oldest made room", hearAll(deaf.get(0)).length() < large);
    assertTrue("it is told once", hearAll(deaf.get(2)).length() > large);
    assertServed();
  }

  @Test
  public void shouldCountAnAnswerOnceHoweverManyAreToldIt() throws IOException {
    int large = 20_000_000;
    horovod(new StoreLimits(100, 0, 100, large, 60_000_000L, Duration.ofMinutes(5)));
    assertEquals("200", status(ask(put("large", large))));
    List<Socket> slow = flood(4);
    for (Socket socket : slow) {
      say(socket, get("large"));
      assertEquals("HTTP/1.1 200 OK\r", hearLine(socket));
    }
    for (Socket socket : slow) {
      assertTrue(hearAll(socket).length() > large);
    }
  }

  @Test
  public void shouldKeepNoLargeRequestsOfThoseWhoWait() throws IOException {
    generic(new StoreLimits(100, 100, 100, 1_000, 80_000, Duration.ofMinutes(5)));
    String waiting = get("late?wait=60").replace("\r\n\r\n", "\r\nA: " + "x".repeat(9_000));
    flood(2).forEach(socket -> sayAll(socket, waiting + "\r\n\r\n"));
    assertServed();
    assertEquals("503", status(ask(waiting + "\r\n\r\n")));
    assertServed();
  }

  private static void sayAll(Socket socket, String text) {
    try {
      say(socket, text);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  public void shouldNotReadALineWithoutEnd() throws IOException {
    mpi(SMALL, 1);
    assertEquals("", ask("cmd=" + "a".repeat(100_000)));
    assertRankServed();
  }

  @Test
  public void shouldRefuseWhatMakesNoSense() throws IOException {
    horovod(SMALL);
    Random random = new Random(7);
    for (int i = 0; i < 50; i++) {
      byte[] garbage = new byte[2_000];
      random.nextBytes(garbage);
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.getOutputStream().write(garbage);
        socket.shutdownOutput();
        String answer = hearAll(socket);
        assertTrue(answer, answer.isEmpty() || status(answer).equals("400"));
      }
    }
    assertServed();
    for (String nonsense :
        List.of(
            "GET a HTTP/1.1\n\n",
            "GET /a HTTP/2\n\n",
            "GET /a HTTP/1.1\n: b\n\n",
            "PUT /a HTTP/1.1\nContent-Length: -1\n\n",
            "PUT /a HTTP/1.1\nContent-Length: ten\n\n")) {
      assertEquals(nonsense, "400", status(ask(nonsense)));
    }
    assertEquals("411", status(ask("PUT /a HTTP/1.1\nTransfer-Encoding: chunked\n\n0\n\n")));
    assertServed();
  }

  @Test
  public void shouldHangUpOnARankThatMakesNoSense() throws IOException {
    mpi(SMALL, 1);
    Random random = new Random(7);
    for (int i = 0; i < 50; i++) {
      byte[] garbage = new byte[2_000];
      random.nextBytes(garbage);
      Socket socket = connect();
      garbage[garbage.length - 1] = '\n';
      socket.getOutputStream().write(garbage);
      assertTrue(ended(socket));
    }
    assertRankServed();
  }

  @Test
  public void shouldKeepNothingForACallerWithoutTheToken() throws IOException {
    generic(SMALL);
    String refused = ask("PUT /a HTTP/1.1\r\nContent-Length: 900\r\n\r\n" + "x".repeat(900));
    assertEquals("401", status(refused));
    assertFalse(refused, refused.contains(TOKEN));
    assertServed();
  }

  @Test
  public void shouldLetAClientAskFirstWhetherItsBodyIsWanted() throws IOException {
    generic(SMALL);
    String asks = head("PUT", "a", 5).replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n");
    Socket socket = connect();
    say(socket, asks);
    assertEquals("HTTP/1.1 100 Continue\r", hearLine(socket));
    assertEquals("\r", hearLine(socket));
    say(socket, "value");
    assertEquals("200", status(hearAll(socket)));
    assertEquals("413", status(ask(asks.replace("Length: 5", "Length: 5000"))));
  }
}
