package io.tony.pictures;

import static org.junit.Assert.assertEquals;

import io.tony.Repository;
import io.tony.am.page.EventSource;
import io.tony.am.page.TrackingPage;
import io.tony.config.TonyConfig;
import io.tony.eventlog.EventJson;
import io.tony.history.HistoryIndex;
import io.tony.history.OwnedHomes;
import io.tony.history.web.HistoryServer;
import io.tony.page.PageFiles;
import io.tony.testing.Chromium;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * The pictures in {@code docs} show the pages as they are now. A picture contains a checksum of the
 * page from which it was drawn: of its elements and its style sheet, as the pixels depend on the
 * browser's version and fonts. With {@code -Dtony.docs.write=true}, pictures of changed pages are
 * drawn again.
 */
public final class DocsPicturesIT {
  private static final int WIDTH = 1240;
  private static final int MARGIN = 16;
  private static final String ENDED = "document.body.ariaBusy === 'false'";

  /** Whether the page, on which the time is that of the latest event, has drawn all events. */
  private static final String DRAWN =
      "[...document.querySelectorAll('#spans .tick')].at(-1)?.textContent"
          + " === document.getElementById('elapsed').textContent";

  @ClassRule public static final Chromium browser = new Chromium();

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final Configuration conf = new YarnConfiguration();

  @Test
  public void shouldShowTheTabOfARunningJob() throws Exception {
    ExampleJob job = ExampleJobs.afterOneRestart();
    try (AzkabanTab tab = new AzkabanTab(job)) {
      open(tab.url(), job.now(), DRAWN);
      assertCurrent("viewer-azkaban.png", "#times");
    }
  }

  @Test
  public void shouldShowThePageOfARunningJob() throws Exception {
    ExampleJob job = ExampleJobs.afterTwoRestarts();
    conf.set(YarnConfiguration.PROXY_ADDRESS, "localhost:8088");
    CompletableFuture<String> url = new CompletableFuture<>();
    TonyConfig config = TonyConfig.builder().layer("job", job.description().options()).build();
    TrackingPage page =
        new TrackingPage(
            conf,
            config,
            "localhost",
            job.description().name(),
            job.application(),
            new EventList(job.events().stream().map(EventJson::write).toList()),
            Optional.empty(),
            url::complete);
    try {
      open(url.get(), job.now(), DRAWN);
      assertCurrent("viewer.png", "#usage");
      browser.open("about:blank"); // ends the request for more events
    } finally {
      page.close();
    }
  }

  @Test
  public void shouldShowTheHistory() throws Exception {
    List<ExampleJob> jobs = ExampleJobs.ofTheMonth();
    ExampleJob last = jobs.get(jobs.size() - 2);
    Instant now = last.now().plusSeconds(60);
    for (ExampleJob job : jobs) {
      write(job);
    }
    FileSystem fs = new OwnedHomes();
    fs.initialize(fs.getUri(), conf);
    List<String> folders = List.of(folder.getRoot() + "/user/*/.tony/history");
    try (HistoryIndex index = new HistoryIndex(fs, folders, null, 2, () -> now)) {
      index.update();
      InetSocketAddress address = InetSocketAddress.createUnresolved("localhost", 0);
      try (HistoryServer server =
          new HistoryServer(conf, fs, index, address, Duration.ofHours(1), Optional.empty())) {
        server.start();
        String root = "http://localhost:" + server.address().getPort() + "/";
        open(root + "jobs/" + last.application() + "@ada/", now, ENDED);
        assertCurrent("viewer-ended.png", "#restarts");
        open(root, now, ENDED);
        assertCurrent("history.png", "#jobs tr:nth-child(10)");
        open(root + "compare?project=digits&flow=nightly&job=train", now, ENDED);
        assertCurrent("history-compare.png", "#runs tr:nth-child(13)");
        browser.open("about:blank");
      }
    }
  }

  private void write(ExampleJob job) throws IOException {
    Path history = folder.getRoot().toPath().resolve("user/" + job.description().user());
    Path log = history.resolve(".tony/history/" + job.application() + "/events.jsonl");
    Files.createDirectories(log.getParent());
    Files.write(log, job.events().stream().map(EventJson::write).toList());
    Files.setLastModifiedTime(log, FileTime.from(job.now()));
    Files.setLastModifiedTime(log.getParent(), FileTime.from(job.now()));
  }

  /** The events of a job that has no others for now. */
  private record EventList(List<String> lines) implements EventSource {
    @Override
    public Excerpt excerpt(long from) {
      int first = (int) Math.min(from, lines.size());
      return new Excerpt(first, lines.subList(first, lines.size()), false);
    }

    @Override
    public Optional<Excerpt> excerptInMemory(long from) {
      return Optional.of(excerpt(from));
    }

    @Override
    public int masterAttempt() {
      return 1;
    }

    @Override
    public boolean hasNews(long from) {
      return from != lines.size();
    }
  }

  // ---- The browser ----

  /** Opens a page at a time, and waits for a condition in JavaScript. */
  private static void open(String url, Instant now, String condition) throws Exception {
    browser.devTools("Emulation.setTimezoneOverride", Map.of("timezoneId", "UTC"));
    browser.devTools("Emulation.setLocaleOverride", Map.of("locale", "en-GB"));
    browser.devTools("Emulation.setScrollbarsHidden", Map.of("hidden", true));
    setHeight(1_000);
    String clock = "Date.now = () => " + now.toEpochMilli();
    browser.devTools("Page.addScriptToEvaluateOnNewDocument", Map.of("source", clock));
    browser.open(url);
    browser.await(condition);
    assertEquals(List.of(), browser.complaints());
  }

  private static void setHeight(int height) throws Exception {
    browser.devTools(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", WIDTH, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /**
   * Asserts that a picture was drawn from the page in the browser.
   *
   * @param last selects the element at the foot of the picture
   */
  private static void assertCurrent(String name, String last) throws Exception {
    String checksum = "page " + checksum();
    Path picture = Repository.path("docs").resolve(name);
    boolean current =
        Files.exists(picture)
            && CommentedPng.commentOf(Files.readAllBytes(picture)).equals(checksum);
    if (!current && Boolean.getBoolean("tony.docs.write")) {
      setHeight(foot(last) + MARGIN);
      browser.screenshot(picture);
      byte[] drawn = Files.readAllBytes(picture);
      Files.write(picture, CommentedPng.withComment(drawn, checksum));
    }
    assertEquals(
        "docs/" + name + " is stale; draw it with: make pictures, and check what it shows",
        checksum,
        CommentedPng.commentOf(Files.readAllBytes(picture)));
  }

  private static int foot(String selector) throws Exception {
    return browser
        .evaluate(
            "Math.ceil(scrollY + document.querySelector('"
                + selector
                + "').getBoundingClientRect().bottom)")
        .asInt();
  }

  /** Leaves addresses out, as ports differ each time. */
  private static String checksum() throws Exception {
    String elements = browser.evaluate("document.documentElement.outerHTML").asText();
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    content.write(
        elements.replaceAll(" (href|data-key)=\"[^\"]*\"", "").getBytes(StandardCharsets.UTF_8));
    content.write(PageFiles.ofJob().at("/viewer.css").content());
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.toByteArray());
    return HexFormat.of().formatHex(digest);
  }
}
