package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.azkaban.viewer.StandInExecutor.Attempt;
import io.tony.azkaban.viewer.StandInExecutor.Login;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * The page in a real browser: the packed plugin, loaded by Azkaban 2.5.0 and mapped under a context
 * path, with a stand-in for Azkaban's {@code /executor}.
 */
public final class ViewerPageIT {

  private static final String APPLICATION = "application_1795279724695_0001";
  private static final long START = 1_795_276_800_000L;
  private static final String END = "document.body.ariaBusy === 'false'";

  @ClassRule public static final TemporaryFolder PROFILE = new TemporaryFolder();
  private static Chromium browser;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private StandInExecutor azkaban;
  private ViewerHost host;
  private URI root;

  @BeforeClass
  public static void startBrowser() throws Exception {
    browser =
        Chromium.start(Path.of(System.getProperty("browser.setup")), PROFILE.getRoot().toPath());
  }

  @AfterClass
  public static void stopBrowser() throws Exception {
    if (browser != null) {
      browser.stop();
    }
  }

  @Before
  public void start() throws Exception {
    start(new StandInExecutor(true));
  }

  private void start(StandInExecutor executor) throws Exception {
    azkaban = executor;
    browser.complaints();
    host = new ViewerHost("/azkaban", Path.of(System.getProperty("tony.viewers")));
    host.serve("/executor", azkaban);
    root = host.start();
  }

  @After
  public void stop() throws Exception {
    browser.open("about:blank");
    host.stop();
  }

  @Test
  public void shouldShowARealJobThatSucceeded() throws Exception {
    azkaban.add(ended(resource("quickstart-train.log"), "SUCCEEDED"));

    open();
    browser.await(END);

    assertEquals("nightly:train", browser.text("h1"));
    assertEquals("SUCCEEDED", browser.text("#state"));
    assertEquals("2 of 2 tasks succeeded", browser.text("#phase"));
    assertEquals(APPLICATION, browser.text("#application"));
    assertEquals("default", browser.text("#queue"));
    assertEquals("1 min 00 s", browser.text("#elapsed"));
    assertEquals("2 succeeded, 1 stopped", counts());
    assertEquals("100 %", browser.text("#progress-text"));
    assertEquals(
        List.of("ps:0 stopped", "worker:0 succeeded", "worker:1 succeeded"),
        rows(".slice(0, 2).map((cell) => cell.innerText).join(' ')"));
    assertEquals("http://localhost:37133/proxy/" + APPLICATION + "/", link("#tracking"));
    assertEquals(root + "/executor?execid=17&job=nightly%3Atrain&attempt=0", link("#azkaban-log"));
    assertEquals(
        "http://localhost:33057/node/containerlogs/container_1795279724695_0001_01_000003/root",
        link("tbody tr:nth-child(2) a"));
    assertFalse(browser.isShown("#tensorboard"));
    assertFalse(browser.isShown("#failure"));
    assertFalse(browser.isShown("#incomplete"));
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldReadWhatAzkaban2DoesNotEscape() throws Exception {
    host.stop();
    start(new StandInExecutor(false));
    JobLogFile log =
        submitted().event("AM_STARTED", null, "attempt", "1", "host", "n", "tasks", "1");
    log.event("TASK_ALLOCATED", "worker:0", "node", "größe & 漢 &amp; 🎉", "log", "");
    azkaban.add(ended(log, "SUCCEEDED"));

    open();
    browser.await(END);

    assertEquals(List.of("größe & 漢 &amp; 🎉"), rows("[2].innerText"));
  }

  @Test
  public void shouldFollowAJobThatRunsHoweverItsLogIsCut() throws Exception {
    JobLogFile log = submitted();
    azkaban.add(running(log));
    open();
    browser.await(shows("#application", APPLICATION));
    assertEquals("submitted, waits for its ApplicationMaster", browser.text("#phase"));
    assertEquals("not known yet", counts());

    log.event("AM_STARTED", null, "attempt", "1", "host", "node-1", "tasks", "2");
    log.event("GANG_REQUESTED", null, "resources", "2 × worker (512 MiB, 1 vcore)");
    byte[] rest =
        ("21-11-2026 16:00:00 UTC train INFO - "
                + log.eventText("TASK_ALLOCATED", "worker:0", "node", "nöde-漢", "log", "")
                + "\n")
            .getBytes(StandardCharsets.UTF_8);
    int inTheMiddleOfALetter =
        new String(rest, StandardCharsets.ISO_8859_1)
                .indexOf(
                    new String("漢".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1))
            + 1;
    log.append(Arrays.copyOf(rest, inTheMiddleOfALetter));
    browser.await(shows("#task-counts", "2 requested"));

    log.append(Arrays.copyOfRange(rest, inTheMiddleOfALetter, rest.length));
    browser.await(shows("#task-counts", "1 requested, 1 allocated"));
    assertTrue(rows("[2].innerText").toString(), rows("[2].innerText").contains("nöde-漢"));

    log.event("TASK_STARTED", "worker:0", "pid", "1");
    Instant now = Instant.now();
    log.at(now.minusSeconds(1000))
        .event("TASK_PROGRESS", "worker:0", "text", "2026-11-21 10:00 step 100/1000 loss 0.5");
    log.at(now).event("TASK_PROGRESS", "worker:0", "text", "step 200/1000");
    browser.await(
        "document.getElementById('progress-text').textContent.startsWith('20 %, about 2 h 1')");
    assertEquals("RUNNING", browser.text("#state"));
    assertEquals("true", browser.evaluate("document.body.ariaBusy").asText());

    log.event("TASK_SUCCEEDED", "worker:0", "exitCode", "0");
    log.event("JOB_FINISHED", null, "status", "SUCCEEDED", "message", "all is well");
    azkaban.become("SUCCEEDED", START + 5_000);
    browser.await(END);
    assertEquals("all is well", browser.text("#phase"));
    assertEquals("5 s", browser.text("#elapsed"));
  }

  @Test
  public void shouldSayWhyARealJobFailed() throws Exception {
    azkaban.add(ended(resource("failing-train.log"), "FAILED"));

    open();
    browser.await(END);

    assertTrue(browser.isShown("#failure"));
    assertTrue(
        browser.text("#failure-message"),
        browser.text("#failure-message").startsWith("worker:1 exited with code 1"));
    assertEquals("The last lines of the stderr of worker:1", browser.text("#stderr-title"));
    String stderr = browser.text("#stderr-text");
    assertTrue(stderr, stderr.startsWith("Traceback (most recent call last):\n"));
    assertTrue(stderr, stderr.endsWith("KeyError: 'petal_width'"));
    assertTrue(link("#failure-log"), link("#failure-log").contains("/node/containerlogs/"));
    assertEquals(
        "worker:1 failed", rows(".slice(0, 2).map((cell) => cell.innerText).join(' ')").get(0));
  }

  @Test
  public void shouldShowTheAttemptThatIsChosenAndFollowTheLatest() throws Exception {
    azkaban.add(ended(resource("failing-train.log"), "FAILED"));
    JobLogFile second = submitted();
    azkaban.add(running(second));

    open();
    browser.await(shows("#application", APPLICATION));
    assertEquals("Attempt 2 of 2: RUNNING", choice());
    assertFalse(browser.isShown("#failure"));

    browser.type("#attempt", "Attempt 1 of 2: FAILED");
    browser.await(END);
    assertEquals("FAILED", browser.text("#state"));
    assertTrue(browser.isShown("#failure"));
    assertTrue(link("#azkaban-log"), link("#azkaban-log").endsWith("&attempt=0"));

    open();
    browser.await(shows("#application", APPLICATION));
    azkaban.retry("FAILED", running(new JobLogFile(folder.newFile().toPath())));
    browser.await(shows("#attempt option:checked", "Attempt 3 of 3: RUNNING"));
    assertEquals("not known yet", browser.text("#application"));
  }

  @Test
  public void shouldShowRestartsMetricsTensorBoardAndAdvice() throws Exception {
    JobLogFile log =
        submitted().event("AM_STARTED", null, "attempt", "1", "host", "n", "tasks", "2");
    for (int i = 0; i < 2; i++) {
      log.event("TASK_ALLOCATED", "worker:" + i, "node", "node-" + i, "log", "https://node/" + i);
      log.event("TASK_STARTED", "worker:" + i, "pid", "1");
    }
    log.event("TENSORBOARD", "worker:0", "url", "http://board:6006/");
    for (int i = 1; i <= 5; i++) {
      log.event(
          "METRICS", null, "worker:0", 800 + i + " 0.97", "worker:1", "90" + i + " 1.5 43 2048");
    }
    log.event("METRICS", null, "ps min", "10 0.1", "ps median", "20 0.2", "ps max", "30 0.3");
    log.event(
        "TASK_FAILED",
        "worker:1",
        "kind",
        "LOST",
        "message",
        "node-1 is lost",
        "stderr",
        "",
        "log",
        "");
    log.event(
        "TASK_RESTARTED",
        "worker:1",
        "kind",
        "LOST",
        "message",
        "node-1 is lost",
        "left",
        "2",
        "attempt",
        "1",
        "where",
        "new");
    log.event("A_TYPE_OF_A_LATER_VERSION", null, "text", "x");
    log.event("ADVICE", null, "text", "worker used 10 % of its memory");
    azkaban.add(running(log));

    open();
    browser.await(shows("#advice-list", "worker used 10 % of its memory"));

    assertEquals("http://board:6006/", link("#tensorboard"));
    assertEquals("1 requested, 1 running", counts());
    assertEquals(
        List.of("worker:1 2", "worker:0 1"),
        rows(".filter((cell, i) => i === 0 || i === 3).map((cell) => cell.innerText).join(' ')"));
    assertTrue(
        browser.text("#mishaps"),
        browser
            .text("#mishaps")
            .contains(
                "worker:1 started again in a new container (LOST, 2 more after this)\nnode-1 is lost"));
    assertFalse("the failure was made good", browser.isShown("#failure"));
    assertEquals(
        List.of(
            "worker: Memory, MiB",
            "worker: CPU, cores",
            "worker: GPU, %",
            "worker: GPU memory, MiB",
            "ps: Memory, MiB",
            "ps: CPU, cores"),
        texts("figcaption"));
    assertEquals(
        "Memory of worker over time, in MiB; at last: worker:0 805, worker:1 905",
        browser.evaluate("document.querySelector('svg').getAttribute('aria-label')").asText());
    assertEquals(
        2,
        browser
            .evaluate("document.querySelector('svg').querySelectorAll('polyline').length")
            .asInt());
    assertEquals(
        List.of("min 10 MiB", "median 20 MiB", "max 30 MiB"),
        texts(".role + .role figure:first-child li"));
  }

  @Test
  public void shouldTakeEveryFieldForText() throws Exception {
    String attack = "<img src=x onerror=window.hit=1>\"'&lt;b&gt;<script>window.hit=1</script>";
    String address = "javascript:window.hit=1//<img src=x onerror=window.hit=1>";
    JobLogFile log = new JobLogFile(folder.newFile().toPath());
    log.line(attack);
    log.event(
        "JOB_SUBMITTED", null, "application", attack, "queue", attack, "trackingUrl", address);
    log.event(
        "AM_STARTED", null, "attempt", "2", "host", attack, "tasks", attack, "running", attack);
    log.event("GANG_REQUESTED", null, "resources", "1 × " + attack + " (1 MiB)");
    log.event("TASK_STARTED", null, "pid", attack);
    log.event("toString", null);
    log.event("GANG_WAITING", null, "missing", attack, "free", attack, "short", attack);
    log.event("TASK_ALLOCATED", attack + ":0", "node", attack, "log", address);
    log.event("TASK_PROGRESS", attack + ":0", "text", attack);
    log.event("TENSORBOARD", attack + ":0", "url", "data:text/html,<script>1</script>");
    log.event("METRICS", null, attack, "1 1", "__proto__", "1 1", "constructor", attack);
    log.event("ADVICE", null, "text", attack);
    log.event("TASK_FAILED", attack + ":0", "message", attack, "stderr", attack, "log", address);
    log.event("GANG_REQUESTED", null, "resources", "999999999999 × many (1 MiB)");
    log.event("GANG_RESTARTED", attack + ":0", "kind", attack, "left", attack, "message", attack);
    log.event("TASK_FAILED", "__proto__", "message", attack, "stderr", attack, "log", "//evil/");
    log.event("NODE_AVOIDED", null, "node", attack, "message", attack);
    log.event("ROLE_EXCUSED", null, "role", attack, "message", attack);
    log.event("STOP_REQUESTED", null, "who", attack);
    log.event(
        "JOB_FINISHED", null, "status", attack, "kind", attack, "message", attack, "task", attack);
    azkaban.add(ended(log, attack));

    open();
    browser.await(END);

    assertEquals(attack, browser.text("#application"));
    assertEquals(attack, browser.text("#state"));
    assertTrue(browser.text("#failure-message").contains(attack));
    assertEquals(attack, browser.text("#stderr-text"));
    assertTrue(browser.text("#mishaps").contains(attack));
    assertEquals(attack, browser.text("#advice-list"));
    assertTrue(rows("[2].innerText").contains(attack));
    assertTrue("an address that is none is shown", rows("[5].innerText").contains(address));
    assertFalse(browser.isShown("#tracking"));
    assertFalse(browser.isShown("#tensorboard"));
    assertFalse(browser.isShown("#failure-log"));
    assertEquals(
        0, browser.evaluate("document.querySelectorAll('img, main script').length").asInt());
    assertTrue(
        browser
            .evaluate("[...document.links].every((a) => a.href.startsWith(location.origin))")
            .asBoolean());
    assertTrue(browser.evaluate("window.hit === undefined").asBoolean());
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldStayUsableWith10000Tasks() throws Exception {
    int tasks = 10_000;
    JobLogFile log = submitted();
    StringBuilder text = new StringBuilder();
    for (String type : List.of("TASK_ALLOCATED", "TASK_REGISTERED", "TASK_STARTED")) {
      for (int i = 0; i < tasks; i++) {
        text.append("21-11-2026 16:00:00 UTC train INFO - ")
            .append(
                log.eventText(
                    type, "worker:" + i, "node", "node-" + i % 500, "log", "http://node/log/" + i))
            .append('\n');
      }
    }
    log.append(text.toString());
    log.event(
        "TASK_FAILED",
        "worker:7777",
        "message",
        "worker:7777 exited with code 1",
        "stderr",
        "",
        "log",
        "");
    azkaban.add(ended(log, "FAILED"));

    long begin = System.nanoTime();
    open();
    browser.await(END);
    System.out.printf(
        "10,000 tasks, %d MB of log: read and shown in %d ms%n",
        Files.size(log.file()) >> 20, (System.nanoTime() - begin) / 1_000_000);

    assertEquals("9,999 running, 1 failed", counts());
    assertEquals("1 to 100 of 10,000 tasks", browser.text("#task-position"));
    assertEquals(100, rows("").size());
    assertEquals("worker:7777", rows("[0].innerText").get(0));
    double millis =
        browser
            .evaluatePromise(
                "(async () => {"
                    + " const next = document.getElementById('next-tasks');"
                    + " const begin = performance.now();"
                    + " for (let i = 0; i < 20; i++) { next.click(); document.body.offsetHeight; }"
                    + " return (performance.now() - begin) / 20; })()")
            .asDouble();
    System.out.printf("the next 100 of them in %.1f ms%n", millis);
    assertTrue(millis + " ms for a page of tasks", millis < 1000);

    browser.type("#task-text", "worker:12");
    browser.await(shows("#task-position", "1 to 100 of 111 tasks of 10,000"));
    browser.click("#next-tasks");
    assertEquals("101 to 111 of 111 tasks of 10,000", browser.text("#task-position"));
    assertEquals(11, rows("").size());
    browser.type("#task-state", "failed");
    assertEquals("0 tasks of 10,000", browser.text("#task-position"));
  }

  @Test
  public void shouldSayThatTheSessionIsOver() throws Exception {
    azkaban.add(running(submitted()));
    for (Login login : List.of(Login.EXPIRED, Login.PAGE)) {
      azkaban.login = Login.VALID;
      open();
      browser.await(shows("#application", APPLICATION));
      azkaban.login = login;
      browser.await(END);
      assertTrue(
          login.name(),
          browser.text("#trouble").endsWith("Log in to Azkaban and load this page again."));
      assertEquals("what was known stays", APPLICATION, browser.text("#application"));
    }
  }

  @Test
  public void shouldGoOnWhenAzkabanAnswersAgain() throws Exception {
    JobLogFile log = submitted();
    azkaban.add(running(log));
    azkaban.login = Login.BROKEN;
    open();
    browser.await("!document.getElementById('trouble').hidden");
    assertEquals(
        "Azkaban answered with HTTP status 500. The page tries again.", browser.text("#trouble"));

    azkaban.login = Login.VALID;
    browser.await(shows("#application", APPLICATION));
    assertFalse(browser.isShown("#trouble"));
  }

  @Test
  public void shouldSayWhatAzkabanRefuses() throws Exception {
    browser.open(root + "/tony?execid=18&jobid=train");
    browser.await(END);
    assertEquals("Cannot find execution '18'", browser.text("#trouble"));

    azkaban.add(running(submitted()));
    browser.open(root + "/tony?execid=17&jobid=train");
    browser.await(END);
    assertEquals("Execution 17 has no job train.", browser.text("#trouble"));

    browser.open(root + "/tony");
    browser.await("!document.getElementById('trouble').hidden");
    assertTrue(browser.text("#trouble").startsWith("This page is about one job."));
  }

  @Test
  public void shouldSayThatTheBeginningIsMissing() throws Exception {
    JobLogFile log = new JobLogFile(folder.newFile().toPath());
    log.append("\"type\":\"TASK_STARTED\",\"session\":0,\"task\":\"worker:0\",\"details\":{}}\n");
    log.event("TASK_STARTED", "worker:1", "pid", "1");
    azkaban.add(ended(log, "SUCCEEDED"));

    open();
    browser.await(END);

    assertTrue(browser.isShown("#incomplete"));
    assertEquals("1 running", counts());
  }

  @Test
  public void shouldReadOnInTheNewFileWhenAzkabanBeginsOne() throws Exception {
    JobLogFile log = submitted();
    for (int i = 0; i < 20; i++) {
      log.line("a line of a program");
    }
    azkaban.add(running(log));
    open();
    browser.await(shows("#application", APPLICATION));

    Files.writeString(log.file(), "");
    log.event("TASK_STARTED", "worker:0", "pid", "1");

    browser.await(shows("#task-counts", "1 running"));
    assertEquals(APPLICATION, browser.text("#application"));
  }

  @Test
  public void shouldSayThatTheLogTellsNothing() throws Exception {
    JobLogFile log = new JobLogFile(folder.newFile().toPath()).line("error: 2 problems");
    azkaban.add(ended(log, "FAILED"));

    open();
    browser.await(END);

    assertTrue(browser.isShown("#nothing"));
    assertFalse(browser.isShown("#tasks"));
  }

  @Test
  public void shouldTellProgressAndTicksAsPeopleDo() throws Exception {
    azkaban.add(ended(submitted(), "SUCCEEDED"));
    open();
    browser.await(END);

    assertEquals(
        "[0.12,0.5,null,null,0.25,1,null]",
        browser
            .evaluatePromise(
                "import('./job.js').then(({ fractionOf }) => JSON.stringify(['step 1200/10000', '50 %',"
                    + " '2026/11/21 step', 'data/train/1/2', '12/31 23:59:59 1 / 4', '9/8', 'none'].map(fractionOf)))")
            .asText());
    assertEquals(
        "[[0,1],[0,0.25,0.5,0.75,1],[0,250,500,750,1000],[0,1000,2000,3000,4000]]",
        browser
            .evaluatePromise(
                "import('./chart.js').then(({ ticks }) => JSON.stringify([0, 1, 812, 3001].map(ticks)))")
            .asText());
    assertEquals(
        "[\"0 s\",\"59 s\",\"3 min 05 s\",\"2 h 07 min\",\"3 d 04 h\"]",
        browser
            .evaluatePromise(
                "import('./text.js').then(({ duration }) => JSON.stringify("
                    + "[-5, 59999, 185000, 7620000, 273600000].map(duration)))")
            .asText());
  }

  // ---- What the tests read ----

  private void open() throws Exception {
    browser.open(root + "/tony?" + StandInExecutor.PARAMETERS);
  }

  private static String shows(String selector, String text) {
    return "document.querySelector(`" + selector + "`)?.textContent.trim() === `" + text + "`";
  }

  private static String counts() throws Exception {
    return browser.text("#task-counts");
  }

  private static String choice() throws Exception {
    return browser.text("#attempt option:checked");
  }

  /** For each row of the table, what JavaScript makes of the list of its cells. */
  private static List<String> rows(String ofCells) throws Exception {
    return strings(
        "[...document.querySelectorAll('tbody tr')].map((row) => [...row.cells]" + ofCells + ")");
  }

  private static List<String> texts(String selector) throws Exception {
    return strings(
        "[...document.querySelectorAll('" + selector + "')].map((one) => one.innerText.trim())");
  }

  private static List<String> strings(String expression) throws Exception {
    List<String> values = new ArrayList<>();
    browser.evaluate(expression).forEach(value -> values.add(value.asText()));
    return values;
  }

  private static String link(String selector) throws Exception {
    return browser.evaluate("document.querySelector('" + selector + "').href").asText();
  }

  // ---- What they are about ----

  private JobLogFile submitted() throws Exception {
    return new JobLogFile(folder.newFile().toPath())
        .line("Starting job train at " + START)
        .event(
            "JOB_SUBMITTED",
            null,
            "application",
            APPLICATION,
            "queue",
            "default",
            "trackingUrl",
            "http://rm:8088/proxy/" + APPLICATION + "/");
  }

  /** The log of a job that ran in {@code bin/quickstart}. */
  private JobLogFile resource(String name) throws Exception {
    JobLogFile log = new JobLogFile(folder.newFile().toPath());
    try (InputStream in = ViewerPageIT.class.getResourceAsStream(name)) {
      log.append(in.readAllBytes());
    }
    return log;
  }

  private static Attempt running(JobLogFile log) {
    return new Attempt(log.file(), "RUNNING", START, -1);
  }

  private static Attempt ended(JobLogFile log, String status) {
    return new Attempt(log.file(), status, START, START + 60_000);
  }
}
