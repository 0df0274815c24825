package io.tony.am.rendezvous;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;

import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.PortRange;
import io.tony.model.SampleJob;
import io.tony.runtime.Gang;
import io.tony.runtime.StoreAddress;
import io.tony.runtime.StoreProtocol;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** The store as its callers see it, over real connections. */
public class HttpStoreTest {
  private static final JobSpec JOB = SampleJob.job().workers(1).spec();

  private static final StoreLimits LIMITS = StoreLimits.http(1, FileDescriptors.ofProcess(1));

  private final HttpClient client = HttpClient.newHttpClient();
  private final GangStores stores = new GangStores(StoreProtocol.HTTP, "localhost", PortRange.ANY);
  private StoreAddress store;

  @Before
  public void open() {
    store = equip(stores, 0);
  }

  @After
  public void close() {
    stores.close();
  }

  private static StoreAddress equip(GangStores stores, int session) {
    ClusterSpec cluster = new ClusterSpec(Map.of("worker", List.of(new Endpoint("localhost", 1))));
    return stores.equip(new Gang(JOB, cluster, session)).storeAddress();
  }

  private HttpRequest request(String method, String path, byte[] body) {
    return HttpRequest.newBuilder(URI.create("http://" + store.endpoint() + path))
        .header("Authorization", "Bearer " + store.token())
        .method(method, BodyPublishers.ofByteArray(body))
        .build();
  }

  private String call(String method, String path, String body)
      throws IOException, InterruptedException {
    return told(
        client.send(
            request(method, path, body.getBytes(StandardCharsets.UTF_8)), BodyHandlers.ofString()));
  }

  private CompletableFuture<String> held(String method, String path) {
    return client
        .sendAsync(request(method, path, new byte[0]), BodyHandlers.ofString())
        .thenApply(HttpStoreTest::told);
  }

  private static String told(HttpResponse<String> response) {
    return response.statusCode() + " " + response.body();
  }

  @Test
  public void shouldKeepWhatItIsGiven() throws Exception {
    assertEquals("404 ", call("GET", "/a/b", ""));
    assertEquals("200 ", call("PUT", "/a/b", "first"));
    assertEquals("200 ", call("PUT", "/a/b", "second"));
    assertEquals("200 second", call("GET", "/a/b", ""));
    assertEquals("200 ", call("DELETE", "/a/b", ""));
    assertEquals("404 ", call("GET", "/a/b", ""));
  }

  @Test
  public void shouldAnswerWhoeverWaitsForAKeyWhenItComes() throws Exception {
    CompletableFuture<String> first = held("GET", "/model?wait=60");
    CompletableFuture<String> second = held("GET", "/model?wait=60");

    call("PUT", "/model", "here");

    assertEquals("200 here", first.get(30, TimeUnit.SECONDS));
    assertEquals("200 here", second.get(30, TimeUnit.SECONDS));
    assertEquals("404 ", call("GET", "/other?wait=1", ""));
  }

  @Test
  public void shouldCount() throws Exception {
    assertEquals("200 1", call("POST", "/tickets?add=1", ""));
    assertEquals("200 -4", call("POST", "/tickets?add=-5", ""));
    assertEquals("200 -4", call("GET", "/tickets", ""));
    call("PUT", "/word", "five");
    assertEquals("400 the value of /word is no number", call("POST", "/word?add=1", ""));
  }

  @Test
  public void shouldLetTheGangPassTogether() throws Exception {
    List<CompletableFuture<String>> members = new ArrayList<>();
    for (String member : List.of("a", "b", "a")) {
      members.add(held("POST", "/start?barrier=3&member=" + member));
    }
    String early = call("POST", "/start?barrier=3&member=b&wait=0", "");
    assertEquals("408 ", early.substring(0, 4));
    members.forEach(member -> assertFalse(member.isDone()));

    assertEquals("200 ", call("POST", "/start?barrier=3&member=c", ""));

    for (CompletableFuture<String> member : members) {
      assertEquals("200 ", member.get(30, TimeUnit.SECONDS));
    }
    assertEquals("one who asks again", "200 ", call("POST", "/start?barrier=3&member=a", ""));
    assertEquals(
        "400 the barrier /start is for 3 members, not for 2",
        call("POST", "/start?barrier=2&member=a", ""));
    assertEquals("400", call("POST", "/start?barrier=3&member=d", "").substring(0, 3));
  }

  @Test
  public void shouldSayWhoCameWhenTheOthersDoNot() throws Exception {
    assertEquals(
        "408 1 of 2 members came to /start: [a]",
        call("POST", "/start?barrier=2&member=a&wait=0", ""));
  }

  @Test
  public void shouldTellACallerItsMistake() throws Exception {
    assertEquals("400 POST wants ?add=N, or ?barrier=N&member=NAME", call("POST", "/a", ""));
    assertEquals("400 add=x is no number", call("POST", "/a?add=x", ""));
    assertEquals("400 wait=-1 is not in 0..3600", call("GET", "/a?wait=-1", ""));
    assertEquals("400 the parameter member is missing", call("POST", "/a?barrier=1", ""));
    assertEquals("400 use GET, PUT, DELETE or POST", call("PATCH", "/a", ""));
  }

  @Test
  public void shouldRefuseWhatIsTooLarge() throws Exception {
    byte[] largest = new byte[LIMITS.maxValueBytes()];
    byte[] larger = new byte[LIMITS.maxValueBytes() + 1];
    var nothing = BodyHandlers.discarding();

    assertEquals(413, client.send(request("PUT", "/a", larger), nothing).statusCode());
    int stored = 0;
    while (client.send(request("PUT", "/" + stored, largest), nothing).statusCode() == 200) {
      stored++;
    }
    assertEquals(LIMITS.maxTotalBytes() / LIMITS.maxValueBytes() - 1, stored);
    assertEquals("a smaller value in its place", "200 ", call("PUT", "/0", "x"));
    assertEquals(200, client.send(request("PUT", "/more", largest), nothing).statusCode());
  }

  @Test
  public void shouldServeOnlyThoseWithTheToken() throws Exception {
    URI uri = URI.create("http://" + store.endpoint() + "/a");
    for (String shown : List.of("Bearer ", "Bearer 00", store.token())) {
      HttpRequest wrong = HttpRequest.newBuilder(uri).header("Authorization", shown).build();
      assertEquals(401, client.send(wrong, BodyHandlers.discarding()).statusCode());
    }
    HttpRequest none = HttpRequest.newBuilder(uri).build();
    assertEquals(401, client.send(none, BodyHandlers.discarding()).statusCode());
  }

  @Test
  public void shouldGiveEachGangAStoreOfItsOwn() throws Exception {
    call("PUT", "/a", "of the first");
    assertEquals("another task of it", store, equip(stores, 0));
    URI first = URI.create("http://" + store.endpoint() + "/a");

    store = equip(stores, 1);

    assertNotEquals(first, URI.create("http://" + store.endpoint() + "/a"));
    assertEquals("404 ", call("GET", "/a", ""));
    HttpRequest late = HttpRequest.newBuilder(first).build();
    assertThrows(
        ConnectException.class,
        () -> HttpClient.newHttpClient().send(late, BodyHandlers.discarding()));
  }

  /** Horovod's worker says by DELETE that it is done; slower ones still need its address. */
  @Test
  public void shouldKeepWhatHorovodsWorkersDelete() throws Exception {
    try (GangStores open = new GangStores(StoreProtocol.OPEN_HTTP, "localhost", PortRange.ANY)) {
      store = equip(open, 0);
      assertEquals("", store.token());

      call("PUT", "/global/0", "address");
      assertEquals("200 ", call("DELETE", "/global/0", ""));

      assertEquals("200 address", call("GET", "/global/0", ""));
      assertEquals("404 ", call("GET", "/global/1", ""));
      assertEquals("405 ", call("POST", "/global/1", ""));
      assertEquals("what its client looks for", "Content-Length: 7", header(store, "/global/0", 1));
    }
  }

  private static String header(StoreAddress store, String path, int number) throws IOException {
    Endpoint endpoint = store.endpoint();
    try (Socket socket = new Socket(endpoint.host(), endpoint.port())) {
      String request = "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      byte[] answer = socket.getInputStream().readAllBytes();
      return new String(answer, StandardCharsets.ISO_8859_1).lines().toList().get(number);
    }
  }
}
