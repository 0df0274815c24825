package io.tony.am.page;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import io.tony.eventlog.EventJson;
import io.tony.fuzz.Fuzz;
import io.tony.fuzz.HttpCaller;
import io.tony.model.JobEvent;
import io.tony.model.PortRange;
import io.tony.timeline.WrittenLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** What the page answers, over real connections; JobPageIT shows it behind YARN's proxy. */
public class JobPageTest {
  private static final String PROXIED = "http://proxy:8088/proxy/application_1_2/";
  private static final JobInfo ABOUT =
      new JobInfo(
          "application_1_2",
          "nightly \"x\"",
          "alice",
          "default",
          "http://rm/app",
          PROXIED,
          "http://history/jobs/application_1_2@alice/");

  @Rule public final Timeout limit = Timeout.seconds(60);

  private final HttpClient client = HttpClient.newHttpClient();
  private final Configuration conf = new Configuration(false);
  private final Story story = new Story();

  /** A log of lines that the test writes. */
  private static final class Story implements EventSource {
    private final List<String> lines = new ArrayList<>();
    private final CountDownLatch asked = new CountDownLatch(3);
    private final CountDownLatch hangs = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private int old; // lines that are in files alone
    private boolean finished;
    private boolean broken;
    private int atOnce = Integer.MAX_VALUE;
    private int read;

    synchronized void add(String line) {
      lines.add(line);
    }

    synchronized void finish() {
      finished = true;
    }

    @Override
    public Optional<Excerpt> excerptInMemory(long from) {
      try {
        return from < old ? Optional.empty() : Optional.of(excerpt(from));
      } catch (IOException e) {
        return Optional.empty();
      }
    }

    @Override
    public Excerpt excerpt(long from) throws IOException {
      if (from < old) {
        hangs.countDown();
        await(goesOn);
      }
      return lines(from);
    }

    private synchronized Excerpt lines(long from) throws IOException {
      if (broken) {
        throw new IOException("no such block");
      }
      int first = (int) Math.min(from, lines.size());
      int end = lines.size() - first > atOnce ? first + atOnce : lines.size();
      read += end - first;
      return new Excerpt(
          first, List.copyOf(lines.subList(first, end)), finished && end == lines.size());
    }

    @Override
    public int masterAttempt() {
      return 1;
    }

    @Override
    public synchronized boolean hasNews(long from) {
      asked.countDown();
      return finished || from != lines.size();
    }
  }

  @Before
  public void believeThisMachineToBeTheProxy() {
    conf.set(YarnConfiguration.PROXY_ADDRESS, "localhost:8088");
  }

  private JobPage page() throws IOException {
    TonyConfig config =
        TonyConfig.builder()
            .layer("job", Map.of("tony.application.view-acls", "bob,carol viewers"))
            .build();
    // Nobody's patience ends while a test looks.
    return JobPage.serve(
        new ProxiedViewers(conf, config, ABOUT),
        "localhost",
        PortRange.ANY,
        ABOUT,
        story,
        Duration.ofMinutes(2));
  }

  private HttpRequest request(JobPage page, String path, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(page.url() + path));
    return (headers.length == 0 ? request : request.headers(headers)).build();
  }

  private HttpResponse<String> get(JobPage page, String path, String... headers) throws Exception {
    return client.send(request(page, path, headers), BodyHandlers.ofString());
  }

  private int statusFor(JobPage page, String user) throws Exception {
    return get(page, "events", "Cookie", "a=b; proxy-user=" + user).statusCode();
  }

  @Test
  public void shouldServeThePageAndWhatItIsAbout() throws Exception {
    try (JobPage page = page()) {
      HttpResponse<String> html = get(page, "?from=YARN");
      assertEquals(200, html.statusCode());
      assertEquals("text/html; charset=utf-8", html.headers().firstValue("Content-Type").get());
      assertTrue(html.headers().firstValue("Content-Security-Policy").get().contains("'self'"));
      assertTrue(html.body(), html.body().contains("page.js"));
      assertEquals(200, get(page, "page.js").statusCode());
      assertEquals(
          "{\"application\":\"application_1_2\",\"name\":\"nightly \\\"x\\\"\",\"user\":\"alice\","
              + "\"queue\":\"default\","
              + "\"history\":\"http://history/jobs/application_1_2@alice/\",\"path\":[{\"label\":\"YARN application\","
              + "\"href\":\"http://rm/app\"}]}",
          get(page, "job").body());
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** HDFS does not answer: who asks for what is at hand does not wait for that. */
  @Test
  public void shouldKeepNobodyWaitingForOldEventsButWhoAsksForThem() throws Exception {
    story.add("{\"n\":0}");
    story.add("{\"n\":1}");
    story.old = 1;
    try (JobPage page = page()) {
      CompletableFuture<HttpResponse<String>> slow =
          client.sendAsync(request(page, "events?from=0"), BodyHandlers.ofString());
      CompletableFuture<HttpResponse<String>> figures =
          client.sendAsync(request(page, "metrics"), BodyHandlers.ofString());
      story.hangs.await();
      assertEquals(200, get(page, "job").statusCode());
      assertTrue(get(page, "events?from=1").body().endsWith("\"events\":[{\"n\":1}]}"));
      assertFalse(slow.isDone());

      story.goesOn.countDown();

      assertTrue(slow.get().body().endsWith("\"events\":[{\"n\":0},{\"n\":1}]}"));
      assertEquals(200, figures.get().statusCode());
    }
  }

  @Test
  public void shouldTellTheEventsFromANumberOn() throws Exception {
    story.add("{\"n\":0}");
    story.add("{\"n\":1}");
    try (JobPage page = page()) {
      assertEquals(
          "{\"from\":0,\"finished\":false,\"teller\":1,\"pause\":0,\"events\":[{\"n\":0},{\"n\":1}]}",
          get(page, "events").body());
      assertEquals(
          "{\"from\":1,\"finished\":false,\"teller\":1,\"pause\":0,\"events\":[{\"n\":1}]}",
          get(page, "events?from=1").body());
      assertEquals(
          "more than there are: an ApplicationMaster was lost",
          "{\"from\":2,\"finished\":false,\"teller\":1,\"pause\":0,\"events\":[]}",
          get(page, "events?from=7").body());
    }
  }

  @Test
  public void shouldHoldWhoeverHasSeenAllUntilThereIsMore() throws Exception {
    story.add("{}");
    try (JobPage page = page()) {
      CompletableFuture<HttpResponse<String>> held =
          client.sendAsync(request(page, "events?from=1"), BodyHandlers.ofString());
      assertTrue(story.asked.await(30, TimeUnit.SECONDS));
      assertFalse("there is nothing to tell yet", held.isDone());

      story.add("{\"n\":1}");
      assertEquals(
          "{\"from\":1,\"finished\":false,\"teller\":1,\"pause\":0,\"events\":[{\"n\":1}]}",
          held.get().body());
      story.finish();
      assertEquals(
          "{\"from\":2,\"finished\":true,\"teller\":1,\"pause\":0,\"events\":[]}",
          get(page, "events?from=2").body());
    }
  }

  @Test
  public void shouldAnswerAtOnceWhereManyWaitAlready() throws Exception {
    try (JobPage page = page()) {
      List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
      BlockingQueue<HttpResponse<String>> answers = new LinkedBlockingQueue<>();
      for (int i = 0; i < 60; i++) {
        all.add(
            client
                .sendAsync(request(page, "events?from=0"), BodyHandlers.ofString())
                .whenComplete((answer, error) -> answers.add(answer)));
      }
      // Five are held; the others are told that there is nothing, and when to ask again.
      for (int i = 0; i < 55; i++) {
        HttpResponse<String> answer = answers.take();
        assertTrue(answer.body(), answer.body().contains("\"pause\":2000,\"events\":[]"));
      }
      story.finish();
      for (CompletableFuture<HttpResponse<String>> one : all) {
        assertEquals(200, one.get().statusCode());
      }
    }
  }

  private String metrics(JobPage page) throws Exception {
    HttpResponse<String> answer = get(page, "metrics");
    assertEquals(200, answer.statusCode());
    assertEquals(
        "text/plain; version=0.0.4; charset=utf-8",
        answer.headers().firstValue("Content-Type").get());
    return answer.body();
  }

  @Test
  public void shouldTellFiguresOfAllEventsSoFar() throws Exception {
    List<JobEvent> events = WrittenLog.plain().events();
    story.atOnce = 3; // a long log is read in pieces
    events.subList(0, 5).forEach(event -> story.add(EventJson.write(event)));
    try (JobPage page = page()) {
      assertTrue(metrics(page).contains("\ntony_tasks{role=\"worker\",state=\"registered\"} 1\n"));
      events.subList(5, events.size()).forEach(event -> story.add(EventJson.write(event)));
      story.add("no event");
      String text = metrics(page);
      assertTrue(text, text.contains("application=\"application_1_2\""));
      assertTrue(text, text.contains("\ntony_tasks{role=\"worker\",state=\"running\"} 2\n"));
      assertTrue(text, text.contains("\ntony_event_lines_passed_over_total 1\n"));
      assertEquals("each line is read once", events.size() + 1, story.read);
    }
  }

  @Test
  public void shouldSendWhoeverDoesNotComeThroughTheProxyThere() throws Exception {
    conf.set(YarnConfiguration.PROXY_ADDRESS, "192.0.2.1:8088");
    try (JobPage page = page()) {
      for (String path : List.of("", "job", "events", "log", "metrics", "page.js")) {
        HttpResponse<String> answer = get(page, path, "Cookie", "proxy-user=alice");
        assertEquals(path, 302, answer.statusCode());
        assertEquals(PROXIED, answer.headers().firstValue("Location").get());
      }
    }
  }

  @Test
  public void shouldShowTheJobToThoseOnlyWhomYarnShowsIt() throws Exception {
    conf.setBoolean(YarnConfiguration.YARN_ACL_ENABLE, true);
    conf.set(YarnConfiguration.YARN_ADMIN_ACL, "root");
    story.add("{}");
    try (JobPage page = page()) {
      assertEquals("its owner", 200, statusFor(page, "alice"));
      assertEquals("named by the job", 200, statusFor(page, "carol"));
      assertEquals("YARN's administrator", 200, statusFor(page, "root"));
      assertEquals(403, statusFor(page, "mallory"));
      assertEquals("as the proxy writes it", 403, statusFor(page, "alice%3Broot"));
      assertEquals(403, get(page, "events").statusCode());
      assertEquals(403, get(page, "metrics").statusCode());
      assertEquals(403, get(page, "log").statusCode());
      HttpResponse<String> refused = get(page, "", "Cookie", "proxy-user=%3Cscript%3E");
      assertEquals(403, refused.statusCode());
      assertEquals("text/plain; charset=utf-8", refused.headers().firstValue("Content-Type").get());
    }
  }

  @Test
  public void shouldShowTheJobToEverybodyWhereYarnDoes() throws Exception {
    story.add("{}");
    try (JobPage page = page()) {
      assertEquals(200, statusFor(page, "mallory"));
      assertEquals(200, get(page, "events").statusCode());
    }
  }

  @Test
  public void shouldSayWhatItDoesNotServe() throws Exception {
    try (JobPage page = page()) {
      assertEquals(404, get(page, "../../etc/passwd").statusCode());
      assertEquals(404, get(page, "nothing.js").statusCode());
      assertEquals(400, get(page, "events?from=-1").statusCode());
      assertEquals(400, get(page, "events?from=x").statusCode());
      HttpRequest post =
          HttpRequest.newBuilder(URI.create(page.url() + "events"))
              .POST(HttpRequest.BodyPublishers.noBody())
              .build();
      assertEquals(405, client.send(post, BodyHandlers.ofString()).statusCode());
      story.broken = true;
      story.add("{}");
      assertEquals(503, get(page, "events").statusCode());
      assertEquals(503, get(page, "metrics").statusCode());
    }
  }

  @Test
  public void shouldBeServedWhateverOthersDoToIt() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try (JobPage page = page()) {
      int port = URI.create(page.url()).getPort();
      for (int i = 0; i < 300; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        silent.add(socket);
        if (i > 0) { // what the first had said, and nobody read, would end it in another way
          socket.getOutputStream().write(HttpCaller.bytes(i % 2 == 0 ? "GET / HT" : "\0\n"));
        }
      }
      assertEquals("the oldest is closed", -1, silent.get(0).getInputStream().read());
      assertEquals(200, get(page, "job", "Cookie", "proxy-user=bob").statusCode());
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  @Test
  public void shouldAnswerRequestsThatAreNearlyRight() throws Exception {
    String user = " HTTP/1.1\r\nHost: a:80\r\nCookie: a=b; proxy-user=bob\r\n\r\n";
    String log = "/log?container=container_1_0001_01_000002&file=stdout&from=0";
    List<byte[]> requests =
        Stream.of("/", "/job", "/events?from=0", "/events?from=7", log, "/metrics", "/%2e%2e/a")
            .map(path -> HttpCaller.bytes("GET " + path + user))
            .toList();
    try (JobPage page = page()) {
      HttpCaller caller = new HttpCaller(URI.create(page.url()).getPort());
      new Fuzz("http", requests)
          .run(
              1_000,
              request -> {
                caller.statusOf(request);
                assertEquals(Integer.valueOf(200), caller.statusOf(requests.get(1)));
              });
    }
  }
}
