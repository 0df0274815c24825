package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.azkaban.viewer.StandInExecutor.Login;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.codehaus.jackson.map.ObjectMapper;
import org.junit.Test;

/** What the page does with logs that are long, cut or hostile, and without an answer. */
public final class ViewerTroubleIT extends BrowserTest {

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

  /** Lines of a client, of Azkaban and of the job type, with words that a program chose. */
  @Test
  public void shouldBelieveNoEventThatAProgramWrites() throws Exception {
    JobLogFile log = submitted();
    log.event("TASK_STARTED", "worker:0", "pid", "1");
    String forged = log.eventText("JOB_FINISHED", null, "status", "FORGED");
    String entities = forged.replace("&", "&amp;").replace("\"", "&quot;");
    String old = "tony-event " + log.json("JOB_FINISHED", null, "status", "FORGED");
    for (String text : List.of(forged, entities, old)) {
      log.line("worker:0: step 1 " + text);
      log.line("worker:0: step 1\n" + text);
      log.line("worker:0: step 1\r\n" + text);
      log.line("x\n " + text);
      log.line("x\nfailed: " + text);
      log.line("22-11-2026 16:00:00 UTC train INFO - " + text);
      log.line(" INFO - " + text);
      log.line("    " + text);
      log.line("tony_event" + text.substring("tony-event".length()));
    }
    log.event("TASK_PROGRESS", "worker:0", "text", "50 % " + forged);
    azkaban.add(ended(log, "SUCCEEDED"));

    open();
    browser.await(END);

    assertEquals("SUCCEEDED", browser.text("#state"));
    assertEquals("1 running", counts());
    assertEquals("50 %", browser.text("#progress-text"));
    assertEquals("[\"JOB_SUBMITTED\",\"TASK_STARTED\",\"TASK_PROGRESS\"]", typesIn(log));
  }

  /** What the page reads of a log's lines as events. */
  private static String typesIn(JobLogFile log) throws Exception {
    String lines = new ObjectMapper().writeValueAsString(Files.readAllLines(log.file()));
    return browser
        .evaluatePromise(
            "import('./log.js').then(({ EventReader }) => { const reader = new EventReader();"
                + " return JSON.stringify("
                + lines
                + ".flatMap((line) => reader.eventsOf(line)).map(({ type }) => type)); })")
        .asText();
  }

  /** Earlier releases wrote a line for each; what a log has of both stays in its order. */
  @Test
  public void shouldReadEventsInLinesOfManyAndOfOne() throws Exception {
    JobLogFile log = submitted();
    String started = log.json("TASK_STARTED", "worker:0", "pid", "1");
    String told = log.json("TASK_PROGRESS", "worker:0", "text", "},{\"v\":1 ] größer 50 %");
    log.line("tony-events [" + started + ",null,{\"v\":2}," + told + "]");
    log.line("tony-event " + log.json("TASK_SUCCEEDED", "worker:0", "exitCode", "0"));
    log.line("tony-events [" + started); // cut off
    log.line("tony-events {}");
    log.line("tony-events");
    azkaban.add(ended(log, "SUCCEEDED"));

    open();
    browser.await(END);

    assertEquals("1 succeeded", counts());
    assertEquals(
        "[\"JOB_SUBMITTED\",\"TASK_STARTED\",\"TASK_PROGRESS\",\"TASK_SUCCEEDED\"]", typesIn(log));
  }

  /** An administrator may have log4j write something else before a text, or nothing. */
  @Test
  public void shouldFindEventsInAnotherLayout() throws Exception {
    for (String words : List.of("", "2026-11-22T16:00:00,123 [pool-3] INFO train: ")) {
      JobLogFile log = new JobLogFile(folder.newFile().toPath());
      log.append(words + "Starting job train\n");
      log.append(words + log.eventText("AM_STARTED", null, "attempt", "1") + "\n");
      log.append(words + "a program quotes  " + log.eventText("JOB_FINISHED", null) + "\n");
      azkaban.add(ended(log, "SUCCEEDED"));
      open();

      assertEquals("[\"AM_STARTED\"]", typesIn(log));
    }
  }

  /** As after a client that was killed: the next one tells the story from its beginning. */
  @Test
  public void shouldShowOnceWhatTwoClientsTell() throws Exception {
    JobLogFile log = submitted();
    log.event("TASK_ALLOCATED", "worker:0", "node", "node-1", "log", "http://node/log");
    log.event("NODE_AVOIDED", null, "node", "node-1", "message", "it fails too often");
    log.event(
        "JOB_SUBMITTED",
        null,
        "application",
        "application_1_0001",
        "queue",
        "default",
        "trackingUrl",
        "http://rm/app");
    log.event("TASK_ALLOCATED", "worker:0", "node", "node-1", "log", "http://node/log");
    log.event("NODE_AVOIDED", null, "node", "node-1", "message", "it fails too often");
    log.event("TASK_STARTED", "worker:0", "pid", "1");
    azkaban.add(ended(log, "SUCCEEDED"));

    open();
    browser.await(END);

    String mishaps = browser.text("#mishaps");
    assertEquals(mishaps, 1, mishaps.split("it fails too often", -1).length - 1);
    assertEquals("1 running", counts());
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

  /** Azkaban writes a job's name into its link as it is. */
  @Test
  public void shouldFindTheJobOfALinkThatAzkabanDoesNotEncode() throws Exception {
    azkaban.add(running(submitted()));
    azkaban.others = List.of("it's,ok", "per", "a", "größe ✓ ");
    for (String name :
        List.of("it's,ok&more", "per%cent#hash+plus", "a+b", "a%20b", "größe ✓ #1", "x=y?z#&%41")) {
      azkaban.name = name;
      browser.open(root + "/tony?execid=17&jobid=nightly:" + name);
      browser.await(shows("#application", APPLICATION));
      assertEquals("nightly:" + name, browser.text("h1"));

      // As a program encodes it.
      String encoded = URLEncoder.encode("nightly:" + name, StandardCharsets.UTF_8);
      browser.open(root + "/tony?execid=17&jobid=" + encoded);
      browser.await(shows("#application", APPLICATION));
      assertEquals("nightly:" + name, browser.text("h1"));
    }
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  public void shouldSayHowToWriteANameThatTheAddressDoesNotHold() throws Exception {
    azkaban.add(running(submitted()));
    browser.open(root + "/tony?execid=17&jobid=nightly:it's,ok&more");
    browser.await(END);
    assertEquals(
        "Execution 17 has no job nightly:it's,ok. In the address, the characters & % # + of its"
            + " name are written %26 %25 %23 %2B.",
        browser.text("#trouble"));
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

  /** A page that is hidden does not look: Azkaban may have begun a new file, and filled it. */
  @Test
  public void shouldReadTheNewFileFromItsBeginningThoughItIsLonger() throws Exception {
    JobLogFile log = submitted();
    azkaban.add(running(log));
    open();
    browser.await(shows("#application", APPLICATION));
    assertFalse(browser.isShown("#incomplete"));

    Path next = folder.newFile().toPath();
    JobLogFile longer = new JobLogFile(next);
    longer.event("TASK_STARTED", "worker:0", "pid", "1");
    for (int i = 0; i < 200; i++) {
      longer.line("a line of a program that prints much");
    }
    Files.move(next, log.file(), StandardCopyOption.ATOMIC_MOVE);

    browser.await(shows("#task-counts", "1 running"));
    assertTrue(browser.text("#incomplete").startsWith("Azkaban has begun a new file of this log."));
    assertTrue(browser.isShown("#incomplete"));
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
}
