package io.tony.history.web;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tony.event.Fact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.event.TaskFact;
import io.tony.event.UsageFact;
import io.tony.history.HistoryIndex;
import io.tony.history.RecordedJobs;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.security.AuthenticationFilterInitializer;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** What the history answers, over real connections; HistoryServiceIT shows it in a browser. */
public class HistoryServerTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(120);

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient client = HttpClient.newHttpClient();
  private final Configuration conf = new YarnConfiguration();
  private final String me = System.getProperty("user.name");
  private Instant now = Instant.now();
  private Path history;
  private HistoryIndex index;
  private HistoryServer server;

  @Before
  public void begin() {
    conf.set("hadoop.http.filter.initializers", NamedVisitors.class.getName());
    history = folder.getRoot().toPath().resolve(".tony/history");
  }

  @After
  public void stop() throws Exception {
    server.close();
    index.close();
  }

  /** Serves what was written by now. */
  private void serve() throws Exception {
    serve(FileSystem.getLocal(conf).getRawFileSystem());
  }

  private void serve(FileSystem fs) throws Exception {
    String pattern = folder.getRoot() + "/.tony/history*";
    index = new HistoryIndex(fs, List.of(pattern), null, 2, () -> now);
    index.update();
    server =
        new HistoryServer(
            conf,
            fs,
            index,
            InetSocketAddress.createUnresolved("localhost", 0),
            Duration.ofHours(1),
            Optional.empty());
    server.start();
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    URI address = URI.create("http://localhost:" + server.address().getPort() + "/" + path);
    HttpRequest.Builder request = HttpRequest.newBuilder(address);
    return client.send(
        (headers.length == 0 ? request : request.headers(headers)).build(),
        BodyHandlers.ofString());
  }

  private HttpResponse<String> as(String visitor, String path) throws Exception {
    return get(path, "Visitor", visitor);
  }

  private JsonNode answer(String path) throws Exception {
    HttpResponse<String> answer = get(path);
    assertEquals(answer.body(), 200, answer.statusCode());
    return json.readTree(answer.body());
  }

  private static List<String> applications(JsonNode list) {
    return list.findValuesAsText("application");
  }

  private static List<String> ids(int... numbers) {
    return Arrays.stream(numbers).mapToObj(RecordedJobs::id).toList();
  }

  private String page(int number) {
    return "jobs/" + RecordedJobs.id(number) + "/";
  }

  private static List<Fact> failure(String message) {
    return List.of(new JobFact.Finished(JobResult.failed(FailureKind.PROGRAM, message)));
  }

  private static List<Fact> described(String name, Map<String, String> options) {
    return List.of(
        new JobFact.MasterStarted(1, "node-1", 2, null, new JobFact.LaunchTimes(null, null)),
        new JobFact.Described(
            new JobDescription(
                "ada", "research", name, "pytorch", JobDescription.AzkabanStep.NONE, options, "")));
  }

  /** Java is slow at what it does for the first time. */
  @Test
  public void shouldHaveAnsweredForItselfBeforeAnybodyAsks() throws Exception {
    int before = NamedVisitors.askedForLists();
    serve();
    assertEquals(2, NamedVisitors.askedForLists() - before);
  }

  // ---- Lists ----

  @Test
  public void shouldListJobsByFiltersAndInPages() throws Exception {
    RecordedJobs.writeEnded(history, 1);
    RecordedJobs.writeEnded(history, 2);
    RecordedJobs.write(history, 3, RecordedJobs.begin(3));
    RecordedJobs.write(history, 3, failure("worker:1 <b>broke</b> & fell"));
    RecordedJobs.write(history, 4, RecordedJobs.begin(4));
    serve();

    JsonNode all = answer("jobs.json");
    assertEquals(ids(4, 3, 2, 1), applications(all));
    assertEquals(4, all.get("total").asInt());
    assertEquals(ids(4), applications(answer("jobs.json?status=running")));
    assertEquals(ids(3), applications(answer("jobs.json?status=FAILED&project=digits&user=" + me)));
    assertEquals(
        "as it was typed, not as it may stand in HTML",
        ids(3),
        applications(answer("jobs.json?text=%3Cb%3Ebroke%3C/b%3E%20%26")));
    assertEquals(ids(2, 1), applications(answer("jobs.json?until=2026-11-23T08:03:00Z")));
    assertEquals(ids(4, 3), applications(answer("jobs.json?since=2026-11-23T08:03:00Z")));
    assertEquals(List.of(), applications(answer("jobs.json?flow=weekly")));
    assertEquals(ids(2), applications(answer("jobs.json?execution=2&azkabanAttempt=0")));
    assertEquals(List.of(), applications(answer("jobs.json?execution=2&azkabanAttempt=1")));

    JsonNode second = answer("jobs.json?offset=1&limit=2");
    assertEquals(ids(3, 2), applications(second));
    assertEquals(4, second.get("total").asInt());
    assertEquals(1, second.get("offset").asInt());
  }

  @Test
  public void shouldNameAParameterThatMakesNoSense() throws Exception {
    serve();
    for (String wrong :
        List.of(
            "azkabanAttempt=x",
            "limit=1001",
            "limit=x",
            "offset=-1",
            "status=done",
            "since=monday",
            "until=1")) {
      HttpResponse<String> answer = get("jobs.json?" + wrong);
      assertEquals(wrong, 400, answer.statusCode());
      assertEquals("text/plain;charset=utf-8", type(answer));
      for (String part : wrong.split("=", -1)) {
        assertTrue(answer.body(), answer.body().contains(part));
      }
    }
    assertEquals(400, get("compare.json?last=100000").statusCode());
  }

  private static String type(HttpResponse<String> answer) {
    return answer.headers().firstValue("Content-Type").orElse("");
  }

  @Test
  public void shouldCompareTheRunsOfAStep() throws Exception {
    for (int i = 1; i <= 6; i++) {
      RecordedJobs.writeEnded(history, i);
    }
    serve();
    JsonNode runs = answer("compare.json?project=digits&flow=nightly&job=train&last=5");
    assertEquals(ids(6, 5, 4, 3, 2), applications(runs.get("runs")));
    assertTrue(runs.toString(), runs.findValuesAsText("name").contains("output.loss"));
    assertEquals(5, runs.get("columns").get(0).get("values").size());
  }

  private static List<Fact> trained(int number, long training, long lost) {
    List<Fact> facts = new ArrayList<>(RecordedJobs.begin(number));
    facts.add(new UsageFact.Goodput(0, 0, training, Map.of(FailureKind.PROGRAM, lost), 0, 1, true));
    return facts;
  }

  @Test
  public void shouldWeighTheGoodputOfAFlowByTime() throws Exception {
    RecordedJobs.write(history, 1, trained(1, 1_000, 0)); // ends 10 s after its submission
    RecordedJobs.write(history, 1, failure("it broke"));
    RecordedJobs.write(history, 2, trained(2, 1_000, 1_000)); // ends after 13 s
    RecordedJobs.write(history, 2, RecordedJobs.end(0.5));
    RecordedJobs.writeEnded(history, 3); // tells none
    RecordedJobs.write(history, 4, RecordedJobs.begin(4)); // runs
    serve();
    JsonNode goodput = answer("goodput.json?project=digits&flow=nightly");
    assertEquals(3, goodput.get("jobs").asInt());
    assertEquals(1, goodput.get("unknown").asInt());
    assertEquals(0, goodput.get("lost").asInt());
    assertEquals(10_000 + 13_000, goodput.get("millis").asLong());
    assertEquals((10 + 0.5 * 13) / 23, goodput.get("goodput").asDouble(), 1e-9);
    assertFalse(answer("goodput.json?flow=other").has("goodput"));
  }

  // ---- Pages ----

  @Test
  public void shouldServeThePagesAndTellVersionsApart() throws Exception {
    RecordedJobs.writeEnded(history, 1);
    serve();
    for (String path : List.of("", "compare?project=x", page(1))) {
      HttpResponse<String> html = get(path);
      assertEquals(200, html.statusCode());
      assertEquals("text/html;charset=utf-8", type(html));
      String policy = html.headers().firstValue("Content-Security-Policy").orElse("");
      assertTrue(policy, policy.startsWith("default-src 'self'"));
      String tag = html.headers().firstValue("ETag").orElseThrow();
      assertEquals(304, get(path, "If-None-Match", tag).statusCode());
      assertEquals(200, get(path, "If-None-Match", "\"other\"").statusCode());
    }
    assertEquals("text/javascript; charset=utf-8", type(get("history.js")));
    assertEquals("text/css; charset=utf-8", type(get(page(1) + "viewer.css")));
    assertEquals(404, get("nothing.js").statusCode());
    assertEquals(404, get("robots.txt").statusCode());

    HttpResponse<String> moved = get(page(1).replaceFirst("/$", ""));
    assertEquals(302, moved.statusCode());
    assertEquals("/" + page(1), moved.headers().firstValue("Location").orElse(""));
  }

  @Test
  public void shouldTellWhatAJobsPageIsAbout() throws Exception {
    RecordedJobs.write(history, 1, described("</script> \"x\" \u0000é", Map.of()));
    serve();
    HttpResponse<String> about = get(page(1) + "job");
    assertEquals("application/json;charset=utf-8", type(about));
    JsonNode job = json.readTree(about.body());
    assertEquals("</script> \"x\" \u0000é", job.get("name").asText());
    assertEquals(RecordedJobs.id(1), job.get("application").asText());
    assertEquals("../../", job.get("path").get(0).get("href").asText());
  }

  @Test
  public void shouldTellTheEventsOfAJobInPieces() throws Exception {
    List<Fact> facts = new ArrayList<>(RecordedJobs.begin(1));
    for (int i = 0; i < 40; i++) {
      facts.addAll(described("x".repeat(100_000), Map.of()));
    }
    facts.addAll(failure("it broke"));
    RecordedJobs.write(history, 1, facts);
    serve();
    int answers = 0;
    List<JsonNode> events = new ArrayList<>();
    JsonNode piece;
    do {
      piece = answer(page(1) + "events?from=" + events.size());
      assertEquals(events.size(), piece.get("from").asInt());
      assertEquals(0, piece.get("pause").asInt());
      piece.get("events").forEach(events::add);
      answers++;
    } while (!piece.get("finished").asBoolean());
    assertEquals(facts.size(), events.size());
    assertEquals("JOB_FINISHED", events.get(events.size() - 1).get("type").asText());
    assertTrue(answers + " answers", answers >= 4);
    assertEquals("FAILED", piece.get("status").asText());
    assertEquals(
        "more than there are",
        facts.size(),
        answer(page(1) + "events?from=9999").get("from").asInt());
    assertEquals(400, get(page(1) + "events?from=-1").statusCode());
  }

  @Test
  public void shouldGoOnWithAJobThatRuns() throws Exception {
    RecordedJobs.write(history, 1, RecordedJobs.begin(1));
    serve();
    JsonNode begin = answer(page(1) + "events");
    assertEquals(4, begin.get("events").size());
    assertFalse(begin.get("finished").asBoolean());
    assertEquals("RUNNING", begin.get("status").asText());
    assertTrue(begin.get("pause").asInt() > 0);
    assertEquals(0, answer(page(1) + "events?from=4").get("events").size());

    RecordedJobs.write(history, 1, RecordedJobs.end(0.25));
    index.update();
    assertEquals("from the first on, for another page", 4, events(answer(page(1) + "events")));
    JsonNode end = answer(page(1) + "events?from=4");
    assertEquals(4, events(end));
    assertTrue(end.get("finished").asBoolean());
    assertEquals("SUCCEEDED", end.get("status").asText());
  }

  private static int events(JsonNode piece) {
    return piece.get("events").size();
  }

  @Test
  public void shouldSayThatAJobWasLost() throws Exception {
    RecordedJobs.write(history, 1, RecordedJobs.begin(1));
    for (Path file : List.of(log(history, 1), log(history, 1).getParent())) {
      Files.setLastModifiedTime(file, FileTime.from(now.minus(Duration.ofDays(1))));
    }
    serve();
    JsonNode piece = answer(page(1) + "events");
    assertEquals(4, events(piece));
    assertTrue(piece.get("finished").asBoolean());
    assertEquals("LOST", piece.get("status").asText());
    assertEquals(
        "as the list has it",
        answer("jobs.json").get("jobs").get(0).get("message").asText(),
        piece.get("message").asText());
  }

  private static Path log(Path history, int number) {
    return history.resolve(RecordedJobs.id(number)).resolve("events.jsonl");
  }

  @Test
  public void shouldSayThatALogIsGone() throws Exception {
    RecordedJobs.writeEnded(history, 1);
    serve();
    Files.delete(log(history, 1));
    JsonNode piece = answer(page(1) + "events");
    assertEquals(0, events(piece));
    assertTrue(piece.get("finished").asBoolean());
  }

  private static final String CONTAINER = "container_1700000000000_0001_01_000002";

  /** The log of a job that failed, and whose first event names a container. */
  private static void ranInTheContainer(Path history) throws Exception {
    RecordedJobs.write(
        history,
        1,
        List.of(
            new TaskFact.Allocated(
                new TaskId("worker", 0), CONTAINER, HandedIn.NODE, "http://node-1:1/x")));
    RecordedJobs.write(history, 1, failure("it broke"));
  }

  @Test
  public void shouldTellWhatATaskWrote() throws Exception {
    HandedIn nodes = new HandedIn(conf, folder.getRoot().toPath());
    ranInTheContainer(history);
    nodes.write(CONTAINER, Map.of("stderr", "the <b>reason</b>\n"));
    serve();
    String log = page(1) + "log?event=0&container=" + CONTAINER;
    JsonNode answer = answer(log + "&file=stderr");
    assertEquals("the <b>reason</b>\n", answer.get("text").asText());
    assertEquals("reason</b>\n", answer(log + "&file=stderr&from=7").get("text").asText());
    assertEquals(400, get(log + "&file=/etc/passwd").statusCode());
    assertEquals(400, get(page(1) + "log?event=0&container=x&file=stderr").statusCode());
  }

  /** Another user has written a log of the same job, which names the same container. */
  @Test
  public void shouldTellWhatATaskWroteFromTheFolderOfTheJobsOwnerAlone() throws Exception {
    HandedIn nodes = new HandedIn(conf, folder.getRoot().toPath());
    ranInTheContainer(history);
    ranInTheContainer(history.resolveSibling("history-2"));
    nodes.write(CONTAINER, Map.of("stderr", "a secret"));
    serve(withFoldersOf("mallory"));
    String job = "jobs/" + RecordedJobs.id(1) + "@";
    String log = "/log?event=0&file=stderr&container=" + CONTAINER;

    assertEquals("a secret", answer(job + me + log).get("text").asText());
    JsonNode forged = answer(job + "mallory" + log);
    assertFalse(forged.toString(), forged.has("text"));
    assertTrue(forged.toString(), forged.has("why"));
  }

  // ---- Who may see what ----

  @Test
  public void shouldShowAJobToThoseOnlyWhomYarnShowsIt() throws Exception {
    conf.setBoolean(YarnConfiguration.YARN_ACL_ENABLE, true);
    conf.set(YarnConfiguration.YARN_ADMIN_ACL, "root");
    RecordedJobs.write(
        history, 1, described("secret", Map.of("tony.application.view-acls", "bob,carol viewers")));
    serve();
    for (String visitor : List.of(me, "bob", "carol", "root")) {
      assertEquals(visitor, ids(1), applications(json.readTree(as(visitor, "jobs.json").body())));
      for (String path : List.of("", "job", "events", "page.js")) {
        assertEquals(visitor, 200, as(visitor, page(1) + path).statusCode());
      }
    }
    for (String visitor : List.of("mallory", "")) {
      assertEquals("{\"total\":0,\"offset\":0,\"jobs\":[]}", as(visitor, "jobs.json").body());
      assertEquals("{\"runs\":[],\"columns\":[]}", as(visitor, "compare.json").body());
      for (String path : List.of("", "job", "events", "log", "page.js", "nothing")) {
        HttpResponse<String> hidden = as(visitor, page(1) + path);
        HttpResponse<String> none = as(visitor, page(2) + path);
        assertEquals(404, hidden.statusCode());
        assertEquals(
            "as if there were none",
            none.body(),
            hidden.body().replace(RecordedJobs.id(1), RecordedJobs.id(2)));
      }
    }
    assertEquals("nobody", 404, get(page(1)).statusCode());
  }

  @Test
  public void shouldKeepHadoopsOwnPagesForAdministrators() throws Exception {
    conf.set(YarnConfiguration.YARN_ADMIN_ACL, "root");
    serve();
    for (String path : List.of("conf", "jmx", "stacks", "logLevel?log=io.tony")) {
      assertEquals(path, 403, as("mallory", path).statusCode());
      assertEquals(path, 403, get(path).statusCode());
      assertEquals(path, 200, as("root", path).statusCode());
    }
  }

  @Test
  public void shouldShowAPageWithAWayOutWhereThereIsNoSuchJob() throws Exception {
    RecordedJobs.writeEnded(history, 1);
    serve();
    HttpResponse<String> page = get(page(2));
    assertEquals(404, page.statusCode());
    assertTrue(page.headers().firstValue("Content-Type").get().startsWith("text/html"));
    for (String part :
        List.of("<html lang=\"en\">", "<title>", "<main>", "<h1>", "href=\"../../\"")) {
      assertTrue(page.body(), page.body().contains(part));
    }
    HttpResponse<String> events = get(page(2) + "events");
    assertEquals(404, events.statusCode());
    assertEquals("the history has no " + RecordedJobs.id(2) + " that you may see", events.body());
  }

  @Test
  public void shouldSayThatItCannotReadALogNow() throws Exception {
    RecordedJobs.writeEnded(history, 1);
    boolean[] fails = {false};
    serve(
        new FilterFileSystem(FileSystem.getLocal(conf).getRawFileSystem()) {
          @Override
          public RemoteIterator<FileStatus> listStatusIterator(org.apache.hadoop.fs.Path path)
              throws IOException {
            if (fails[0]) {
              throw new IOException("the NameNode is away");
            }
            return super.listStatusIterator(path);
          }
        });
    fails[0] = true;
    HttpResponse<String> events = get(page(1) + "events");
    assertEquals(500, events.statusCode());
    assertTrue(events.body(), events.body().startsWith("the history cannot read the log"));
  }

  @Test
  public void shouldShowHadoopsOwnPagesToNobodyWhereNoAdministratorsAreNamed() throws Exception {
    serve();
    for (String path : List.of("conf", "jmx", "stacks", "logLevel?log=io.tony&level=DEBUG")) {
      assertEquals(path, 403, as("root", path).statusCode());
      assertEquals(path, 403, get(path).statusCode());
    }
  }

  /** The local file system, where the folders of the second history are of somebody else. */
  private FileSystem withFoldersOf(String owner) throws Exception {
    FileSystem local = FileSystem.getLocal(conf).getRawFileSystem();
    return new FilterFileSystem(local) {
      @Override
      public RemoteIterator<FileStatus> listStatusIterator(org.apache.hadoop.fs.Path folder)
          throws IOException {
        RemoteIterator<FileStatus> real = local.listStatusIterator(folder);
        return folder.getName().equals("history-2")
            ? RemoteIterators.mappingRemoteIterator(real, status -> owned(status, owner))
            : real;
      }
    };
  }

  private static FileStatus owned(FileStatus folder, String owner) {
    return new FileStatus(
        0, true, 1, 0, folder.getModificationTime(), 0, null, owner, "", folder.getPath());
  }

  @Test
  public void shouldShowTheLogOfTheUserWhomTheLinkNames() throws Exception {
    String other = me.toUpperCase(Locale.ROOT) + " & co";
    RecordedJobs.writeEnded(history, 1);
    RecordedJobs.write(history.resolveSibling("history-2"), 1, described("forged", Map.of()));
    serve(withFoldersOf(other));
    assertEquals(
        List.of(other, me).stream().sorted().toList(),
        answer("jobs.json").findValuesAsText("user").stream().sorted().toList());

    HttpResponse<String> answer = get(page(1));
    assertEquals(403, answer.statusCode());
    for (String user : List.of(me, other)) {
      String page = RecordedJobs.id(1) + "@" + user + "/";
      assertTrue(answer.body(), answer.body().contains("jobs/" + page));
      String address =
          "jobs/" + RecordedJobs.id(1) + "@" + user.replace(" ", "%20").replace("&", "%26");
      assertEquals(user, answer(address + "/job").get("user").asText());
      assertEquals(200, get(address + "/").statusCode());
      assertTrue(answer(address + "/events").get("events").size() > 0);
      String moved = get(address).headers().firstValue("Location").orElse("");
      assertEquals("/" + address + "/", moved);
    }
    assertEquals(404, get("jobs/" + RecordedJobs.id(1) + "@nobody/").statusCode());
    assertEquals(
        "another user's name",
        404,
        get("jobs/" + RecordedJobs.id(1) + "@X" + me + "/").statusCode());
  }

  /** What the tab in Azkaban asks for a reader, where Hadoop takes visitors at their word. */
  @Test
  public void shouldTellAWebServerWhatItsReaderMaySee() throws Exception {
    conf.setBoolean(YarnConfiguration.YARN_ACL_ENABLE, true);
    conf.set(YarnConfiguration.YARN_ADMIN_ACL, "root");
    conf.set("hadoop.http.filter.initializers", AuthenticationFilterInitializer.class.getName());
    conf.set("hadoop.http.authentication.type", "simple");
    Path secret = folder.newFile().toPath();
    Files.writeString(secret, "a secret of this test");
    conf.set("hadoop.http.authentication.signature.secret.file", secret.toString());
    RecordedJobs.writeEnded(history, 7);
    RecordedJobs.writeEnded(history, 8);
    serve();
    String asked =
        "jobs.json?flow=nightly&job=train&execution=7&azkabanAttempt=0"
            + "&since=2026-11-23T08:00:00Z&until=2026-11-23T08:08:00.001Z&limit=20&user.name=";

    JsonNode job = answer(asked + me).get("jobs").get(0);
    assertEquals(ids(7), applications(answer(asked + me)));
    assertEquals(me, job.get("user").asText());
    assertEquals("digits", job.get("project").asText());
    assertEquals("7", job.get("execution").asText());
    assertEquals(0, job.get("azkabanAttempt").asInt());
    assertEquals("research", job.get("queue").asText());
    assertEquals(List.of(), applications(answer(asked + "mallory")));
    assertEquals(List.of(), applications(answer(asked.replace("Attempt=0", "Attempt=1") + me)));

    String events = "jobs/" + RecordedJobs.id(7) + "@" + me + "/events?from=2&user.name=";
    JsonNode piece = answer(events + me);
    assertEquals(2, piece.get("from").asInt());
    assertEquals(6, events(piece));
    assertTrue(piece.get("finished").asBoolean());
    assertEquals(0, piece.get("pause").asInt());
    assertEquals(404, get(events + "mallory").statusCode());

    assertEquals("nobody", List.of(), applications(answer(asked.replace("&user.name=", ""))));
  }

  // ---- What is in the way of reading ----

  @Test
  public void shouldAnswerWithJsonWhateverALogHolds() throws Exception {
    RecordedJobs.write(history, 1, RecordedJobs.begin(1));
    RecordedJobs.write(history, 2, RecordedJobs.begin(2));
    String event = Files.readAllLines(log(history, 1)).get(0);
    Files.writeString(log(history, 1), event + "\nno event\n" + event + "\n");
    Files.writeString(log(history, 2), event + "\n" + event + "],\n" + event + "\n");
    serve();

    for (int job : List.of(1, 2)) {
      JsonNode events = answer(page(job) + "events").get("events");
      assertEquals("those before the first line that is no event", 1, events.size());
      assertEquals("AM_STARTED", events.get(0).get("type").asText());
    }
  }

  @Test
  public void shouldSayWhyALogCannotBeRead() throws Exception {
    RecordedJobs.write(history, 1, RecordedJobs.begin(1));
    serve();
    Files.writeString(log(history, 1), "x".repeat(17 * 1024 * 1024));
    HttpResponse<String> answer = get(page(1) + "events");
    assertEquals(403, answer.statusCode());
    assertTrue(answer.body(), answer.body().contains("longer than 1 MiB"));
  }

  /** A name that is cut may be another's. */
  @Test
  public void shouldCutNoListOfViewers() throws Exception {
    conf.setBoolean(YarnConfiguration.YARN_ACL_ENABLE, true);
    conf.set(YarnConfiguration.YARN_ADMIN_ACL, "root");
    String some = "annabel,".repeat(60) + "bob";
    String many = "annabel,".repeat(600) + "bob";
    RecordedJobs.write(history, 1, described("a", Map.of("tony.application.view-acls", some)));
    RecordedJobs.write(history, 2, described("b", Map.of("tony.application.view-acls", many)));
    serve();
    assertEquals(200, as("bob", page(1)).statusCode());
    assertEquals(404, as("ann", page(1)).statusCode());
    assertEquals("its owner and administrators alone", 404, as("bob", page(2)).statusCode());
  }

  @Test
  public void shouldPassOnEventsOnly() throws Exception {
    RecordedJobs.writeEnded(history, 1);
    List<String> lines = new ArrayList<>(Files.readAllLines(log(history, 1)));
    lines.add(1, "{}],\"finished\":true,\"status\":\"LOST\",\"x\":[{}");
    Files.write(log(history, 1), lines);
    serve();
    JsonNode piece = answer(page(1) + "events");
    assertEquals("not what the line says", "RUNNING", piece.get("status").asText());
    assertEquals(1, piece.get("events").size());
  }

  @Test
  public void shouldHoldNoThreadForThoseWhoConnectAndSayNothing() throws Exception {
    serve();
    List<Socket> silent = new ArrayList<>();
    try {
      assertEquals(200, get("jobs.json").statusCode());
      int before = Thread.activeCount();
      for (int i = 0; i < 400; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
        silent.add(socket);
        socket.getOutputStream().write("GET /jobs.js".getBytes(StandardCharsets.US_ASCII));
      }

      assertEquals(200, get("jobs.json").statusCode());
      int more = Thread.activeCount() - before;
      assertTrue(more + " threads more", more < 50);
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }
}
